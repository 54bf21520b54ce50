"""The final summary of a crawl, as plain data: what the command line shows at the end, and `--json` prints.

It joins the frontier's exact counts, the run's statistics and the archive's files; it decides and words nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

import msgspec

from gossamer.stats.tracker import Share, Snapshot


class Counts(Protocol):
    """What the frontier counts, exactly and over all runs of the job."""

    @property
    def queued(self) -> int: ...
    @property
    def retired(self) -> int: ...
    @property
    def succeeded(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def disregarded(self) -> int: ...
    @property
    def pages(self) -> int: ...
    @property
    def wire_bytes(self) -> int: ...
    @property
    def queues(self) -> int: ...
    @property
    def reasons(self) -> dict[str, int]: ...


class ArchiveFile(msgspec.Struct, frozen=True):
    """One file of the archive."""

    path: str
    size: int


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended and what the job has by now. `run_` is of this run, everything else of the whole job."""

    exit_status: str
    reason: str
    """One sentence."""
    pages: int
    succeeded: int
    failed: int
    disregarded: int
    queued: int
    """URIs left over."""
    retired: int
    hosts: int
    """WorkQueues ever made."""
    wire_bytes: int
    reasons: dict[str, int]
    """Why URIs failed or were disregarded; most frequent first."""
    run_seconds: float
    run_pages: int
    run_pages_per_second: float
    run_bytes_per_second: float
    run_statuses: dict[int, int]
    run_types: tuple[Share, ...]
    run_hosts: tuple[Share, ...]
    archive: tuple[ArchiveFile, ...] = ()


def summarize(
    counts: Counts, snapshot: Snapshot, *, exit_status: str, reason: str, archive: Iterable[Path] = ()
) -> Summary:
    """Put it together; `archive` are files that exist, sorted as they shall be shown."""
    return Summary(
        exit_status=exit_status,
        reason=reason,
        pages=counts.pages,
        succeeded=counts.succeeded,
        failed=counts.failed,
        disregarded=counts.disregarded,
        queued=counts.queued,
        retired=counts.retired,
        hosts=counts.queues,
        wire_bytes=counts.wire_bytes,
        reasons=dict(sorted(counts.reasons.items(), key=lambda item: (-item[1], item[0]))),
        run_seconds=snapshot.running_seconds,
        run_pages=snapshot.pages,
        run_pages_per_second=snapshot.pages_per_second,
        run_bytes_per_second=snapshot.bytes_per_second,
        run_statuses=snapshot.statuses,
        run_types=snapshot.types,
        run_hosts=snapshot.hosts,
        archive=tuple(ArchiveFile(str(path), path.stat().st_size) for path in archive),
    )
