"""The end of a log file, read without reading the file. Bounded in lines and in bytes."""

from __future__ import annotations

import os
from pathlib import Path

MAX_BYTES = 4 * 1024 * 1024
"""Read from the end of a file at most."""
_STEP = 64 * 1024


def last_lines(path: Path, count: int) -> tuple[list[str], bool]:
    """The last `count` whole lines, oldest first, and whether they are all of the file. Raises OSError."""
    with path.open("rb") as stream:
        position = stream.seek(0, os.SEEK_END)
        floor = max(0, position - MAX_BYTES)
        content = b""
        while position > floor and content.count(b"\n") <= count:
            step = min(_STEP, position - floor)
            position -= step
            stream.seek(position)
            content = stream.read(step) + content
    whole, _, _ = content.rpartition(b"\n")  # what stands behind the last line feed is still being written
    lines = whole.split(b"\n") if whole else []
    is_whole = position == 0 and len(lines) <= count
    if position > 0:
        lines = lines[1:]  # it may have begun before
    return [line.decode("utf-8", "replace") for line in lines[-count:]], is_whole
