"""logs/progress.log: one line every few seconds about how a crawl gets on, in Heritrix's manner; and the same in memory.

                    time  state    docs/s  KB/s  queued  in-process  done  failed  disregarded  toes  busy  congestion  MB
    2026-07-02T10:11:12Z  RUNNING    85.0  2610     912          12  4031       3           17    50    12        1.50  84

Rates are those of the last WINDOW_SECONDS; congestion is how many times more toes would find work, 1 = as many as there
are. MB is the memory of the process. The file is bounded: beyond MAX_BYTES it becomes progress.log.1, and the one
before it goes. It is for people and plots; nothing depends on it.
"""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path

import msgspec

from gossamer.storage.files import storage_errors

INTERVAL_SECONDS = 5.0
KEPT = 2000
"""Snapshots in memory: nearly three hours; beyond that every second one is dropped, and the interval doubles."""
MAX_BYTES = 8 * 1024 * 1024
"""Of one file: about a week."""

_COLUMNS = (
    ("time", 20),
    ("state", 9),
    ("docs/s", 8),
    ("KB/s", 8),
    ("queued", 10),
    ("in-process", 10),
    ("done", 10),
    ("failed", 8),
    ("disregarded", 11),
    ("toes", 5),
    ("busy", 5),
    ("congestion", 10),
    ("MB", 6),
)


class ProgressSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """One moment of a run."""

    at: float
    """Wall time."""
    state: str
    uris_per_second: float
    bytes_per_second: float
    queued: int
    in_process: int
    succeeded: int
    failed: int
    disregarded: int
    toes: int
    busy_toes: int
    congestion: float
    """How many times more toes would be useful; see `congestion_ratio`."""
    memory: int
    """Resident bytes of the process."""


class ProgressLog:
    """Keeps the snapshots of one run."""

    def __init__(self, path: Path | None) -> None:
        """With None nothing is written."""
        self._path = path
        self._kept: deque[ProgressSnapshot] = deque()
        self._stride = 1
        self._skipped = 0
        self._is_begun = False

    @property
    def snapshots(self) -> tuple[ProgressSnapshot, ...]:
        """Those kept, oldest first: evenly spread over the run."""
        return tuple(self._kept)

    def add(self, snapshot: ProgressSnapshot) -> None:
        """Keep it, and write its line. Raises StorageError; it is kept all the same."""
        self._keep(snapshot)
        if self._path is None:
            return
        lines = _line(snapshot)
        if not self._is_begun:
            lines = _headings() + lines
        with storage_errors("could not write to", self._path):
            if self._path.exists() and self._path.stat().st_size > MAX_BYTES:
                self._path.replace(self._path.with_name(f"{self._path.name}.1"))
                lines = lines if lines.startswith(_headings()) else _headings() + lines
            with self._path.open("a", encoding="ascii") as file:
                file.write(lines)
        self._is_begun = True

    def _keep(self, snapshot: ProgressSnapshot) -> None:
        self._skipped += 1
        if self._skipped < self._stride:
            return
        self._skipped = 0
        self._kept.append(snapshot)
        if len(self._kept) > KEPT:
            self._kept = deque(list(self._kept)[::2])
            self._stride *= 2


def congestion_ratio(*, ready: int, inactive: int, in_process: int, snoozed: int) -> float:
    """How many times more toes would be useful, by numbers of queues; 0 = there is no work at all.

    Heritrix's (active + eligible inactive) / (in process + snoozed), where active ones are ready, in process or snoozed.
    """
    return (ready + inactive + in_process + snoozed) / max(1, in_process + snoozed)


def resident_bytes() -> int:
    """Memory of this process that is in use; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, IndexError, ValueError):
        return 0
    return pages * 4096


def _headings() -> str:
    return "  ".join(name.rjust(width) for name, width in _COLUMNS) + "\n"


def _line(snapshot: ProgressSnapshot) -> str:
    cells = (
        time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(snapshot.at)),
        snapshot.state,
        f"{snapshot.uris_per_second:.1f}",
        f"{snapshot.bytes_per_second / 1000:.0f}",
        str(snapshot.queued),
        str(snapshot.in_process),
        str(snapshot.succeeded),
        str(snapshot.failed),
        str(snapshot.disregarded),
        str(snapshot.toes),
        str(snapshot.busy_toes),
        f"{snapshot.congestion:.2f}",
        f"{snapshot.memory / 1e6:.0f}",
    )
    return "  ".join(cell.rjust(width) for cell, (_, width) in zip(cells, _COLUMNS, strict=True)) + "\n"
