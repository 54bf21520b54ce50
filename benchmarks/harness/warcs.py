"""Checking WARC files, without the crawler's own reader.

Three witnesses: `gzip -t` for the file; a walk over the gzip members here, each of which must be exactly one whole
record; FastWARC for the block and payload digests (every record that has one must match, and every response must have
both). What is wrong is told as sentences that name file and offset.
"""

from __future__ import annotations

import shutil
import subprocess
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fastwarc.warc import ArchiveIterator

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Record:
    """One record, by its header."""

    kind: str
    uri: str
    record_id: str
    concurrent_to: str
    status: int
    """Of the HTTP response in it; 0 otherwise."""
    content_type: str
    """Media type of that response."""
    file: str
    offset: int

    @property
    def is_http_response(self) -> bool:
        return self.kind == "response" and self.uri.startswith("http")


@dataclass(slots=True)
class Archive:
    """All records of some files, and what is wrong with them."""

    records: list[Record]
    problems: list[str]

    @property
    def responses(self) -> list[Record]:
        return [record for record in self.records if record.kind == "response"]


def read_archive(files: list[Path]) -> Archive:
    """Read and check every file."""
    archive = Archive([], [])
    for path in files:
        archive.problems += _gzip_test(path)
        records: list[Record] = []
        try:
            records += _members(path)
        except BrokenMember as error:
            archive.problems.append(str(error))
        archive.records += records
        archive.problems += _digests(path, len(records))
    archive.problems += _identities(archive.records)
    return archive


class BrokenMember(Exception):
    """A gzip member that is not one whole record."""


def _gzip_test(path: Path) -> list[str]:
    if path.stat().st_size == 0:
        return []  # just created: no record was due yet, and `gzip -t` calls that an unexpected end
    gzip = shutil.which("gzip")
    if gzip is None:
        return []
    with path.open("rb") as file:  # by standard input, since gzip objects to names that end in .open
        done = subprocess.run([gzip, "-t"], stdin=file, capture_output=True, text=True, check=False)
    return [f"{path.name}: gzip -t: {done.stderr.strip()}"] if done.returncode else []


def _members(path: Path) -> Iterator[Record]:
    """One record per gzip member. Raises BrokenMember at the first that is none."""
    with path.open("rb") as file:
        offset, rest = 0, b""
        while rest or (rest := file.read(_BLOCK)):
            unpacker = zlib.decompressobj(31)
            parts, start = [], offset
            while not unpacker.eof:
                chunk = rest or file.read(_BLOCK)
                if not chunk:
                    raise BrokenMember(f"{path.name}:{start}: the last member is cut off")
                try:
                    parts.append(unpacker.decompress(chunk))
                except zlib.error as error:
                    raise BrokenMember(f"{path.name}:{start}: {error}") from error
                offset += len(chunk)
                rest = b""
            rest = unpacker.unused_data
            offset -= len(rest)
            yield _record(b"".join(parts), path.name, start)


def _record(data: bytes, file: str, offset: int) -> Record:
    head, gap, block = data.partition(b"\r\n\r\n")
    lines = head.decode("utf-8", "replace").split("\r\n")
    fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    if not gap or not lines[0].startswith("WARC/1."):
        raise BrokenMember(f"{file}:{offset}: no WARC record begins here")
    length = fields.get("content-length", "")
    if not length.isdigit() or block[int(length) :] != b"\r\n\r\n":
        raise BrokenMember(f"{file}:{offset}: Content-Length does not fit the member")
    status, content_type = 0, ""
    kind = fields.get("warc-type", "")
    if kind == "response" and block.startswith(b"HTTP/"):
        status, content_type = _http_facts(block)
    return Record(
        kind,
        fields.get("warc-target-uri", ""),
        fields.get("warc-record-id", ""),
        fields.get("warc-concurrent-to", ""),
        status,
        content_type,
        file,
        offset,
    )


def _http_facts(block: bytes) -> tuple[int, str]:
    """Status and media type of a response, interim ones skipped."""
    status, content_type = 0, ""
    while block.startswith(b"HTTP/"):
        head, _, block = block.partition(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        words = lines[0].split()
        status = int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
        fields = {name.lower(): value for name, _, value in (line.partition(b":") for line in lines[1:])}
        content_type = fields.get(b"content-type", b"").split(b";")[0].strip().lower().decode("latin-1")
        if not 100 <= status < 200:
            break
    return status, content_type


def _digests(path: Path, expected: int) -> list[str]:
    """What FastWARC objects to; it must also see as many records as the walk did."""
    problems: list[str] = []
    seen = 0
    try:
        # A payload can only be checked with its HTTP head parsed, a block only without: hence two passes. Given as
        # files, since FastWARC takes a name that ends in .open for an uncompressed one.
        with path.open("rb") as file:
            for record in ArchiveIterator(file, parse_http=False):
                seen += 1
                if record.headers.get("WARC-Block-Digest") is None:
                    if record.headers.get("WARC-Type") == "response":
                        problems.append(f"{path.name}:{record.stream_pos}: a response without a block digest")
                elif not record.verify_block_digest(consume=True):
                    problems.append(f"{path.name}:{record.stream_pos}: the block digest is wrong")
        with path.open("rb") as file:
            for record in ArchiveIterator(file, parse_http=True):
                has_digest = record.headers.get("WARC-Payload-Digest") is not None
                if has_digest and not record.verify_payload_digest(consume=True):
                    problems.append(f"{path.name}:{record.stream_pos}: the payload digest is wrong")
    except (OSError, ValueError) as error:
        problems.append(f"{path.name}: FastWARC: {error}")
    if seen != expected:
        problems.append(f"{path.name}: {expected} gzip members, but FastWARC sees {seen} records")
    return problems


def _identities(records: list[Record]) -> list[str]:
    """Record ids are unique, and a record that refers to another finds it."""
    problems: list[str] = []
    first: dict[str, Record] = {}
    for record in records:
        other = first.setdefault(record.record_id, record)
        if other is not record:
            where = f"{record.file}:{record.offset} and {other.file}:{other.offset}"
            problems.append(f"{where} have the same record id {record.record_id}")
    for record in records:
        if record.concurrent_to and record.concurrent_to not in first:
            problems.append(f"{record.file}:{record.offset}: concurrent to {record.concurrent_to}, which is nowhere")
    return problems
