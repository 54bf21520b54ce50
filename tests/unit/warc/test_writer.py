"""WarcFile: spans that are records, and nothing left of what failed."""

from __future__ import annotations

import errno
import gzip
import os
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.config import Warc
from gossamer.errors import DiskFull
from gossamer.model.attempt import Attempt
from gossamer.storage import appendfile
from gossamer.warc.records import STREAM_ABOVE, RecordBuilder
from gossamer.warc.verify import is_whole
from gossamer.warc.writer import WarcFile

BUILDER = RecordBuilder(Warc())
NAME = "warcs/X.warc.gz"


@pytest.fixture
def file(tmp_path: Path):
    (tmp_path / "warcs").mkdir()
    opened = WarcFile(tmp_path, NAME, 0, 2, create=True)
    yield opened
    opened.drop()


def test_each_span_is_one_gzip_member_of_one_record(
    file: WarcFile, tmp_path: Path, attempt: Callable[..., Attempt]
) -> None:
    tried = attempt()
    capture = BUILDER.capture(tried.exchange, tried)
    spans = file.append(capture.records)
    data = (tmp_path / "warcs" / "X.warc.gz.open").read_bytes()
    assert [span.start for span in spans] == [0, spans[0].end, spans[1].end]
    assert spans[-1].end == len(data) == file.position
    for span, record in zip(spans, capture.records, strict=True):
        assert span.file == NAME
        assert span.record_id == record.record_id
        assert gzip.decompress(data[span.start : span.end]) == record.to_bytes()
        assert is_whole(tmp_path / "warcs" / "X.warc.gz.open", span)


def test_several_records_are_one_write(
    file: WarcFile, attempt: Callable[..., Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    writes = []
    monkeypatch.setattr(
        appendfile, "write_at", lambda fd, data, at: writes.append(len(data)) or os.pwrite(fd, data, at)
    )
    tried = attempt()
    spans = file.append(BUILDER.capture(tried.exchange, tried).records)
    assert writes == [spans[-1].end]


def test_a_large_record_is_one_member_written_in_pieces(
    file: WarcFile, tmp_path: Path, attempt: Callable[..., Attempt]
) -> None:
    tried = attempt(os.urandom(4 * STREAM_ABOVE))
    record = BUILDER.capture(tried.exchange, tried).records[0]
    span = file.append_large(record)
    data = (tmp_path / "warcs" / "X.warc.gz.open").read_bytes()
    inflate = zlib.decompressobj(31)
    assert inflate.decompress(data) == record.to_bytes()
    assert inflate.eof and not inflate.unused_data
    assert (span.start, span.end) == (0, len(data))


def test_a_full_disk_in_the_middle_of_a_large_record_leaves_the_records_before(
    file: WarcFile, tmp_path: Path, attempt: Callable[..., Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = attempt()
    file.append(BUILDER.capture(tried.exchange, tried).records)
    path = tmp_path / "warcs" / "X.warc.gz.open"
    before = path.read_bytes()
    large = attempt(os.urandom(8 * STREAM_ABOVE))
    record = BUILDER.capture(large.exchange, large).records[0]

    def fails_late(descriptor: int, data: bytes, offset: int) -> int:
        if offset > 3 * STREAM_ABOVE:
            raise OSError(errno.ENOSPC, "No space left on device")
        return os.pwrite(descriptor, data, offset)

    with monkeypatch.context() as patched:
        patched.setattr(appendfile, "write_at", fails_late)
        with pytest.raises(DiskFull, match="No space left"):
            file.append_large(record)
    assert path.read_bytes() == before
    assert file.append_large(record).start == len(before)


def test_finishing_gives_the_file_its_final_name(
    file: WarcFile, tmp_path: Path, attempt: Callable[..., Attempt]
) -> None:
    tried = attempt()
    file.append(BUILDER.capture(tried.exchange, tried).records)
    file.finish()
    assert file.is_finished
    assert [path.name for path in (tmp_path / "warcs").iterdir()] == ["X.warc.gz"]


def test_a_file_without_a_byte_is_removed_instead_of_finished(file: WarcFile, tmp_path: Path) -> None:
    file.finish()
    assert file.is_finished
    assert list((tmp_path / "warcs").iterdir()) == []


def test_a_record_beyond_five_gigabytes_has_the_right_span(tmp_path: Path, attempt: Callable[..., Attempt]) -> None:
    (tmp_path / "warcs").mkdir()
    path = tmp_path / "warcs" / "X.warc.gz.open"
    path.touch()
    start = 5 * 1024**3
    os.truncate(path, start)
    file = WarcFile(tmp_path, NAME, start, 2, create=False)
    tried = attempt()
    spans = file.append(BUILDER.capture(tried.exchange, tried).records)
    assert spans[0].start == start
    assert all(is_whole(path, span) for span in spans)
    file.drop()
