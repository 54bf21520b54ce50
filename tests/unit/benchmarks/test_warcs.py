from __future__ import annotations

import base64
import gzip
import hashlib
from pathlib import Path

import pytest

from benchmarks.harness.warcs import read_archive


def record(number: int) -> bytes:
    """One response as a gzip member."""
    body = b"hello %d" % number
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\n\r\n" + body
    digests = [base64.b32encode(hashlib.sha1(data).digest()) for data in (block, body)]
    head = (
        b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/%d\r\nWARC-Record-ID: <urn:uuid:%d>\r\n"
        b"WARC-Date: 2026-11-30T00:00:00Z\r\nWARC-Block-Digest: sha1:%s\r\nWARC-Payload-Digest: sha1:%s\r\n"
        b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n"
    )
    return gzip.compress(head % (number, number, *digests, len(block)) + block + b"\r\n\r\n")


@pytest.fixture
def members() -> list[bytes]:
    return [record(number) for number in range(5)]


def problems(tmp_path: Path, data: bytes) -> str:
    path = tmp_path / "x.warc.gz.open"
    path.write_bytes(data)
    return "\n".join(read_archive([path]).problems)


def test_whole_records_are_read_and_not_objected_to(tmp_path: Path, members: list[bytes]) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(b"".join(members))
    archive = read_archive([path])
    assert archive.problems == []
    assert [(r.uri, r.status, r.content_type) for r in archive.responses] == [
        (f"http://h/{n}", 200, "text/html") for n in range(5)
    ]
    assert archive.records[1].offset == len(members[0])


def test_an_empty_file_is_no_fault(tmp_path: Path) -> None:
    assert problems(tmp_path, b"") == ""


def test_a_torn_tail_is_seen(tmp_path: Path, members: list[bytes]) -> None:
    assert "cut off" in problems(tmp_path, b"".join(members)[:-5])


def test_zeros_behind_the_last_record_are_seen(tmp_path: Path, members: list[bytes]) -> None:
    assert "header check" in problems(tmp_path, b"".join(members) + bytes(100))


def test_a_record_turned_to_zeros_is_seen(tmp_path: Path, members: list[bytes]) -> None:
    members[2] = bytes(len(members[2]))
    assert "header check" in problems(tmp_path, b"".join(members))


def test_a_changed_body_is_seen_by_both_digests(tmp_path: Path, members: list[bytes]) -> None:
    members[2] = gzip.compress(gzip.decompress(members[2]).replace(b"hello", b"HELLO"))
    found = problems(tmp_path, b"".join(members))
    assert "block digest is wrong" in found and "payload digest is wrong" in found


def test_a_record_written_twice_is_seen(tmp_path: Path, members: list[bytes]) -> None:
    assert "same record id" in problems(tmp_path, b"".join([*members, members[0]]))


def test_two_records_in_one_member_are_seen(tmp_path: Path, members: list[bytes]) -> None:
    both = gzip.compress(gzip.decompress(members[0]) + gzip.decompress(members[1]))
    assert "does not fit the member" in problems(tmp_path, both)
