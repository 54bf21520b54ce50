"""The history of a job's launches: reports/launches.jsonl, two lines for each, when it began and when it ended.

A launch without its second line was killed, or lasts. Lines are appended by one write each; one that a crash has torn
is passed over when they are read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from gossamer.jobs.joblog import append_line
from gossamer.storage.files import storage_errors


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line as it is written."""

    launch: str
    """14 digits: when it began, UTC."""
    event: Literal["begun", "ended"]
    at: float
    """Wall time."""
    checkpoint: str = ""
    """The one it went back to before it began."""
    exit_status: str = ""
    """Name of an ExitStatus."""
    reason: str = ""
    pages: int = 0
    """Of the job, over all launches so far."""
    queued: int = 0


class LaunchRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One launch."""

    launch: str
    began: float
    ended: float | None = None
    """None = it was killed, or lasts."""
    exit_status: str | None = None
    reason: str = ""
    checkpoint: str = ""
    pages: int = 0
    queued: int = 0


class History:
    """The launches of one job."""

    FILE = "launches.jsonl"

    def __init__(self, reports: Path) -> None:
        self._path = reports / self.FILE

    def append(self, line: Line) -> None:
        """Write a line, durably. Raises StorageError."""
        append_line(self._path, msgspec.json.encode(line), is_synced=True)

    def launches(self) -> list[LaunchRecord]:
        """All of them, oldest first. Raises StorageError if they cannot be read."""
        found: dict[str, LaunchRecord] = {}
        for line in self._lines():
            if line.event == "begun":
                found[line.launch] = LaunchRecord(launch=line.launch, began=line.at, checkpoint=line.checkpoint)
            elif (begun := found.get(line.launch)) is not None:
                found[line.launch] = msgspec.structs.replace(
                    begun,
                    ended=line.at,
                    exit_status=line.exit_status,
                    reason=line.reason,
                    pages=line.pages,
                    queued=line.queued,
                )
        return list(found.values())

    def _lines(self) -> list[Line]:
        with storage_errors("could not read", self._path):
            raw = self._path.read_bytes() if self._path.exists() else b""
        lines = []
        for text in raw.splitlines():
            try:
                lines.append(msgspec.json.decode(text, type=Line))
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
        return lines
