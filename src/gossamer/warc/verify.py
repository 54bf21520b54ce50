"""Is the archive whole? Asked of single records when a job recovers, and of whole files by `gossamer warc check`.

A file is good when it is nothing but whole gzip members, one record in each, every CRC, length and digest right, every
record id its own, and not one byte behind the last. That is more than `gzip -t` asks, which passes over zeros behind
the last member and over members of zeros. One without any record is good only while it is open: nothing was written
yet.
"""

from __future__ import annotations

import hashlib
import heapq
from array import array
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import msgspec

from gossamer.model.disposition import Span
from gossamer.storage.files import storage_errors
from gossamer.warc.naming import OPEN_SUFFIX, SUFFIX
from gossamer.warc.reader import DamagedRecord, RecordFacts, WarcReader

MAX_FINDINGS = 100
"""Bad digests and repeated ids named one by one per file; the rest is counted."""


class FileReport(msgspec.Struct, kw_only=True):
    """What stands in one file."""

    path: str
    size: int
    is_open: bool = False
    """Named `.open`: a job is writing it, or was killed; its tail may be unfinished."""
    records: dict[str, int] = {}
    """By WARC-Type."""
    damage: str = ""
    """Why reading ended early; what lies behind was not looked at."""
    damage_offset: int | None = None
    wrong_digests: int = 0
    without_digest: int = 0
    """Records without a block digest, of which only the CRC could be checked."""
    repeated_ids: int = 0
    findings: list[str] = []
    """At most MAX_FINDINGS sentences about single records."""

    @property
    def is_good(self) -> bool:
        return not (self.damage or self.wrong_digests or self.repeated_ids)


class ArchiveReport(msgspec.Struct, kw_only=True):
    """Several files, and what only shows when they are seen together."""

    files: list[FileReport]
    shared_ids: int = 0
    """Record ids that stand in more than one file."""
    findings: list[str] = []

    @property
    def is_good(self) -> bool:
        return self.shared_ids == 0 and all(file.is_good for file in self.files)


def is_whole(path: Path, span: Span) -> bool:
    """Whether exactly the record of `span` stands there, whole, with its own id and the right block digest.

    Raises StorageError if the file cannot be read; a file that is not there holds nothing.
    """
    try:
        with storage_errors("could not read", path), path.open("rb") as file:
            facts = WarcReader(file, span.start).read()
    except DamagedRecord:
        return False
    return (
        facts.end == span.end
        and facts.record_id == span.record_id
        and facts.has_block_digest
        and "WARC-Block-Digest" not in facts.wrong
    )


def first_record_id(path: Path) -> str | None:
    """The id of the record that opens a file; None if none can be read."""
    try:
        with storage_errors("could not read", path), path.open("rb") as file:
            return WarcReader(file).read().record_id
    except DamagedRecord:
        return None


def check_file(path: Path) -> FileReport:
    """Read a whole file. Raises StorageError if it cannot be read at all."""
    return _check(path)[0]


def check_files(paths: Iterable[Path]) -> ArchiveReport:
    """Read many files. Remembers 8 bytes of each record, to see ids that repeat between files."""
    archive = ArchiveReport(files=[])
    ids = []
    for path in paths:
        report, hashes = _check(path)
        archive.files.append(report)
        ids.append(hashes)
    for one, other in _shared(ids):
        archive.shared_ids += 1
        if len(archive.findings) < MAX_FINDINGS:
            pair = f"{archive.files[one].path} and {archive.files[other].path}"
            archive.findings.append(f"{pair} hold the same record id")
    return archive


def check_folder(folder: Path) -> ArchiveReport:
    """Read every WARC file of a folder, `.open` ones too."""
    with storage_errors("could not list", folder):
        paths = sorted(path for path in folder.iterdir() if path.name.removesuffix(OPEN_SUFFIX).endswith(SUFFIX))
    return check_files(paths)


def _check(path: Path) -> tuple[FileReport, array[int]]:
    report = FileReport(path=str(path), size=0, is_open=path.name.endswith(OPEN_SUFFIX))
    seen: set[int] = set()
    with storage_errors("could not read", path), path.open("rb") as file:
        report.size = path.stat().st_size
        reader = WarcReader(file)
        try:
            while not reader.is_at_end():
                _note(report, reader.read(), seen)
        except DamagedRecord as damage:
            report.damage, report.damage_offset = damage.reason, damage.offset
    if not (report.records or report.damage or report.is_open):
        report.damage, report.damage_offset = "it holds no record", 0
    return report, array("Q", sorted(seen))


def _note(report: FileReport, facts: RecordFacts, seen: set[int]) -> None:
    report.records[facts.kind] = report.records.get(facts.kind, 0) + 1
    if facts.wrong:
        report.wrong_digests += 1
        _find(report, f"at byte {facts.start}: {' and '.join(facts.wrong)} differ from what is there")
    if not facts.has_block_digest:
        report.without_digest += 1
    key = int.from_bytes(hashlib.blake2b(facts.record_id.encode(), digest_size=8).digest(), "big")
    if key in seen:
        report.repeated_ids += 1
        _find(report, f"at byte {facts.start}: the record id stood before in this file")
    seen.add(key)


def _find(report: FileReport, sentence: str) -> None:
    if len(report.findings) < MAX_FINDINGS:
        report.findings.append(sentence)


def _shared(ids: list[array[int]]) -> Iterator[tuple[int, int]]:
    """Pairs of files that hold the same id."""
    merged = heapq.merge(*([(key, index) for key in keys] for index, keys in enumerate(ids)))
    return ((a[1], b[1]) for a, b in pairwise(merged) if a[0] == b[0])
