"""job.log: what a job did and was told, over all its launches, a line each.

    2026-07-02T10:11:12.345Z 20260702101110 state RUNNING
    2026-07-02T10:14:09.101Z 20260702101110 command pause
    2026-07-02T10:14:09.230Z 20260702101110 state PAUSED operator

When; the launch; what kind of line; the rest, free of control characters. It is for people: a line that cannot be
written is said elsewhere, and the crawl goes on.
"""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path

from gossamer.errors import StorageError
from gossamer.storage.files import storage_errors
from gossamer.util.terminal import printable

log = logging.getLogger(__name__)

MAX_TEXT = 2000
"""Characters of the free part of a line."""


class JobLog:
    """The log of one job; opened anew for each line, so that it may be moved away at any time."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, now: float, launch_id: str, kind: str, text: str) -> None:
        """Append a line at wall time `now`, in one piece."""
        seconds, millis = divmod(int(now * 1000), 1000)
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
        line = f"{moment}.{millis:03d}Z {launch_id} {kind} {printable(text, MAX_TEXT)}".rstrip()
        try:
            append_line(self._path, line.encode())
        except StorageError as error:
            log.warning("%s", error)


def append_line(path: Path, line: bytes, *, is_synced: bool = False) -> None:
    """Add a line, given without its end, by one write; after one that a crash has torn it begins a new line.

    Raises StorageError.
    """
    with storage_errors("could not write to", path):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            size = os.fstat(descriptor).st_size
            is_torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
            os.write(descriptor, b"\n" * is_torn + line + b"\n")
            if is_synced:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
