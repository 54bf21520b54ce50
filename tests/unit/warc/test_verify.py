"""Every kind of damage is found, and nothing else is called damage."""

from __future__ import annotations

import base64
import gzip
import hashlib
import os
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.config import Warc
from gossamer.model.attempt import Attempt
from gossamer.model.disposition import Span
from gossamer.warc import RecordBuilder, check_file, check_files, check_folder, is_whole
from gossamer.warc.reader import DamagedRecord, WarcReader
from gossamer.warc.verify import MAX_FINDINGS, first_record_id
from gossamer.warc.writer import WarcFile

BUILDER = RecordBuilder(Warc())


def member(block: bytes, record_id: str = "urn:uuid:a", **fields: str) -> bytes:
    """A record made by hand."""
    named = {
        "WARC-Type": "resource",
        "WARC-Record-ID": f"<{record_id}>",
        "WARC-Block-Digest": "sha1:" + base64.b32encode(hashlib.sha1(block).digest()).decode(),
        "Content-Length": str(len(block)),
        **{name.replace("_", "-"): value for name, value in fields.items()},
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return gzip.compress(b"WARC/1.1\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n")


@pytest.fixture
def archive(tmp_path: Path, attempt: Callable[..., Attempt]) -> tuple[Path, list[Span]]:
    """A file of three captures, and the spans in it."""
    (tmp_path / "warcs").mkdir()
    file = WarcFile(tmp_path, "warcs/X.warc.gz", 0, 2, create=True)
    spans = []
    for number in range(3):
        tried = attempt(os.urandom(500) + str(number).encode())
        spans += file.append(BUILDER.capture(tried.exchange, tried).records)
    file.finish()
    return tmp_path / "warcs" / "X.warc.gz", spans


def test_a_whole_file_is_good(archive: tuple[Path, list[Span]]) -> None:
    path, _ = archive
    report = check_file(path)
    assert report.is_good
    assert report.records == {"response": 3, "request": 3, "metadata": 3}
    assert report.size == path.stat().st_size
    assert not report.without_digest


def test_every_span_is_whole_and_no_other_stretch_is(archive: tuple[Path, list[Span]]) -> None:
    path, spans = archive
    for span in spans:
        assert is_whole(path, span)
        assert not is_whole(path, Span(span.file, span.start, span.end - 1, span.record_id))
        assert not is_whole(path, Span(span.file, span.start + 1, span.end, span.record_id))
        assert not is_whole(path, Span(span.file, span.start, span.end, "urn:uuid:another"))
    assert not is_whole(path, Span("f", path.stat().st_size, path.stat().st_size + 10, "urn:uuid:x"))


def test_a_file_that_is_not_there_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="could not read"):
        is_whole(tmp_path / "none", Span("f", 0, 1, "x"))


def test_any_flipped_byte_in_a_record_is_noticed(archive: tuple[Path, list[Span]]) -> None:
    path, spans = archive
    good = path.read_bytes()
    span = spans[3]
    # Bytes 4-9 of a gzip header (time, flags, system) and the padding in the last byte of the deflate stream carry
    # nothing and are covered by no checksum.
    for at in {*range(span.start, span.end)} - {*range(span.start + 4, span.start + 10), span.end - 9}:
        path.write_bytes(good[:at] + bytes([good[at] ^ 0x40]) + good[at + 1 :])
        assert not is_whole(path, span), at
        if at % 8:
            continue
        report = check_file(path)
        assert not report.is_good
        assert report.damage_offset == span.start or report.wrong_digests


@pytest.mark.parametrize("missing", [1, 4, 9, 50])
def test_a_torn_tail_is_found_where_its_record_begins(archive: tuple[Path, list[Span]], missing: int) -> None:
    path, spans = archive
    os.truncate(path, spans[-1].end - missing)
    report = check_file(path)
    assert report.damage == "the file ends within a gzip member"
    assert report.damage_offset == spans[-1].start
    assert not is_whole(path, spans[-1])
    assert is_whole(path, spans[-2])


def test_zeros_at_the_end_are_found_though_gzip_passes_over_them(archive: tuple[Path, list[Span]]) -> None:
    path, spans = archive
    end = path.stat().st_size
    os.truncate(path, end + 300_000)
    report = check_file(path)
    assert report.damage == "zeros from here to the end"
    assert report.damage_offset == end
    assert is_whole(path, spans[-1])


def test_a_record_of_zeros_is_found(archive: tuple[Path, list[Span]]) -> None:
    path, spans = archive
    data = bytearray(path.read_bytes())
    data[spans[-1].start : spans[-1].end] = bytes(spans[-1].end - spans[-1].start)
    path.write_bytes(data)
    assert check_file(path).damage == "zeros from here to the end"
    half = (spans[4].start + spans[4].end) // 2
    data[half : spans[4].end] = bytes(spans[4].end - half)
    path.write_bytes(data)
    assert check_file(path).damage_offset == spans[4].start
    assert not is_whole(path, spans[4])


@pytest.mark.parametrize("garbage", [b"x", b"\x1f", b"garbage" * 20_000])
def test_garbage_behind_the_last_record_is_found(archive: tuple[Path, list[Span]], garbage: bytes) -> None:
    path, spans = archive
    with path.open("ab") as file:
        file.write(garbage)
    report = check_file(path)
    assert report.damage == "no gzip member begins here"
    assert report.damage_offset == spans[-1].end


def test_wrong_digests_are_told_apart_and_reading_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    other = "sha1:" + "A" * 32
    http = b"HTTP/1.1 200 OK\r\n\r\nbody"
    path.write_bytes(
        member(b"one", "urn:uuid:1", WARC_Block_Digest=other)
        + member(b"two", "urn:uuid:2", WARC_Payload_Digest=other)
        + member(http, "urn:uuid:3", WARC_Payload_Digest=other, Content_Type="application/http; msgtype=response")
        + member(b"four", "urn:uuid:4")
    )
    report = check_file(path)
    assert report.records == {"resource": 4}
    assert report.wrong_digests == 3
    assert [finding.split(": ")[1].split(" ")[0] for finding in report.findings] == [
        "WARC-Block-Digest",
        "WARC-Payload-Digest",
        "WARC-Payload-Digest",
    ]


def test_digests_in_other_forms_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    block = b"HTTP/1.1 200 OK\r\n\r\nbody"
    payload = hashlib.sha256(b"body").hexdigest()
    more = {"Content_Type": "application/http"}
    path.write_bytes(
        member(block, "urn:uuid:1", WARC_Payload_Digest=f"sha256:{payload}", **more)
        + member(block, "urn:uuid:2", WARC_Payload_Digest=f"SHA-256:{payload.upper()}", **more)
        + member(block, "urn:uuid:3", WARC_Block_Digest=f"md5:{hashlib.md5(block).hexdigest()}")
        + member(block, "urn:uuid:4", WARC_Block_Digest="blake9:unknown", WARC_Payload_Digest="rubbish")
    )
    assert check_file(path).is_good


def test_a_revisits_payload_digest_is_not_that_of_its_block(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(
        member(
            b"HTTP/1.1 200 OK\r\n\r\n",
            WARC_Type="revisit",
            WARC_Payload_Digest="sha1:" + "A" * 32,
            Content_Type="application/http",
        )
    )
    assert check_file(path).is_good


def test_ids_that_repeat_are_found_in_one_file_and_between_files(tmp_path: Path) -> None:
    first, second, third = (tmp_path / f"{name}.warc.gz" for name in "abc")
    first.write_bytes(member(b"1", "urn:uuid:1") + member(b"2", "urn:uuid:2") + member(b"3", "urn:uuid:1"))
    second.write_bytes(member(b"4", "urn:uuid:4"))
    third.write_bytes(member(b"5", "urn:uuid:2"))
    report = check_folder(tmp_path)
    assert [file.repeated_ids for file in report.files] == [1, 0, 0]
    assert report.shared_ids == 1
    assert report.findings == [f"{first} and {third} hold the same record id"]
    assert not report.is_good
    assert check_files([second, third]).is_good


def test_findings_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(member(b"1") * (MAX_FINDINGS + 50))
    report = check_file(path)
    assert report.repeated_ids == MAX_FINDINGS + 49
    assert len(report.findings) == MAX_FINDINGS


def test_a_folder_is_checked_with_its_open_files_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(member(b"1", "urn:uuid:1"))
    (tmp_path / "b.warc.gz.open").write_bytes(member(b"2", "urn:uuid:2"))
    (tmp_path / "notes.txt").write_bytes(b"no archive")
    report = check_folder(tmp_path)
    assert [(Path(file.path).name, file.is_open) for file in report.files] == [
        ("a.warc.gz", False),
        ("b.warc.gz.open", True),
    ]
    assert report.is_good


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n\r\n\r\n", "no WARC record"),
        (b"WARC/1.1\r\nWARC-Type: x\r\n\r\n\r\n\r\n", "Content-Length"),
        (b"WARC/1.1\r\nContent-Length: -1\r\n\r\n\r\n\r\n", "Content-Length"),
        (b"WARC/1.1\r\nContent-Length: \xc2\xb2\r\n\r\n\r\n\r\n", "Content-Length"),
        (b"WARC/1.1\r\nContent-Length: 5\r\n\r\nabc\r\n\r\n", "end of the record"),
        (b"WARC/1.1\r\nContent-Length: 50\r\n\r\nabc\r\n\r\n", "before its Content-Length"),
        (b"WARC/1.1\r\nContent-Length: 2\r\n\r\nabc\r\n\r\n", "end of the record"),
        (b"WARC/1.1\r\nContent-Length: 3\r\n\r\nabc", "end of the record"),
        (b"WARC/1.1\r\nContent-Length: 3\r\n\r\nabc\r\n\r\nWARC/1.1\r\n", "end of the record"),
        (b"WARC/1.1\r\nContent-Length: 3\r\n", "no end"),
        (b"", "no end"),
        (b"WARC/1.1\r\nX: " + b"y" * 300_000 + b"\r\n\r\n", "longer than"),
    ],
)
def test_what_is_no_whole_record_is_damage(tmp_path: Path, record: bytes, reason: str) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(member(b"before") + gzip.compress(record) + member(b"behind", "urn:uuid:b"))
    report = check_file(path)
    assert reason in report.damage
    assert report.damage_offset == len(member(b"before"))
    assert report.records == {"resource": 1}


def test_a_bomb_is_read_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    size = 64_000_000
    deflate = zlib.compressobj(1, zlib.DEFLATED, 31)
    with path.open("wb") as file:
        file.write(deflate.compress(b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: %d\r\n\r\n" % size))
        for _ in range(size // 1_000_000):
            file.write(deflate.compress(bytes(1_000_000)))
        file.write(deflate.compress(b"\r\n\r\n") + deflate.flush())
    tracemalloc.start()
    try:
        assert check_file(path).is_good
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_the_first_record_is_named_and_none_where_there_is_none(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(member(b"1", "urn:uuid:first") + member(b"2", "urn:uuid:second"))
    assert first_record_id(path) == "urn:uuid:first"
    path.write_bytes(b"")
    assert first_record_id(path) is None


def test_a_reader_tells_where_it_stands(archive: tuple[Path, list[Span]]) -> None:
    path, spans = archive
    with path.open("rb") as file:
        reader = WarcReader(file, spans[4].start)
        facts = [reader.read(), reader.read()]
        assert [(f.start, f.end, f.record_id) for f in facts] == [
            (span.start, span.end, span.record_id) for span in spans[4:6]
        ]
        assert reader.offset == spans[6].start
        reader = WarcReader(file, spans[-1].end)
        assert reader.is_at_end()
        with pytest.raises(DamagedRecord, match="the file ends"):
            reader.read()


def test_a_file_without_a_record_is_bad_unless_it_is_only_just_begun(tmp_path: Path) -> None:
    empty, begun = tmp_path / "A.warc.gz", tmp_path / "B.warc.gz.open"
    empty.touch()
    begun.touch()
    report = check_file(empty)
    assert (report.is_good, report.damage, report.damage_offset) == (False, "it holds no record", 0)
    assert check_file(begun).is_good
