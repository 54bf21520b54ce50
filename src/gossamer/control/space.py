"""Space: how a crawl that a full disk stopped waits until it is worth opening everything again."""

from __future__ import annotations

from gossamer.config import Limits
from gossamer.control.paths import JobPaths
from gossamer.storage import free_bytes
from gossamer.util.clock import Clock

CHECK_SECONDS = 1.0
RESERVE = 4 * 1024 * 1024
"""Bytes beside what the store asks for: opening it rewrites its log, and then something shall be archived."""


async def wait_for_space(paths: JobPaths, limits: Limits, clock: Clock) -> None:
    """Return when there is as much room as the operator wants kept free, and as reopening the store needs."""
    await clock.sleep(CHECK_SECONDS)
    while free_bytes(paths.folder) < max(limits.min_free_space or 0, _log_bytes(paths) + RESERVE):
        await clock.sleep(CHECK_SECONDS)


def _log_bytes(paths: JobPaths) -> int:
    """Of the store's write-ahead logs: a store that is opened writes what is in them into tables."""
    return sum(path.stat().st_size for path in paths.state.glob("*.log"))
