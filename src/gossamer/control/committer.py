"""Committer: makes settled work durable, every second or every so many bytes, without pausing the crawl.

Settled is what is in the store's log (survives kill -9); durable is what a commit has covered (survives power loss).
A commit that fails ends or pauses the job: what it did not cover is checked, or undone, at the next start.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from gossamer.config import Durability
from gossamer.errors import StorageError
from gossamer.frontier import LocalFrontier
from gossamer.model.events import UriFinished
from gossamer.util.bus import EventBus
from gossamer.util.clock import Clock


class Committer:
    """Owns the commits of one frontier."""

    def __init__(
        self,
        frontier: LocalFrontier,
        clock: Clock,
        settings: Durability,
        bus: EventBus,
        sync_files: Callable[[Sequence[str]], None],
        on_error: Callable[[StorageError], None],
        keep: Callable[[], None] = lambda: None,
    ) -> None:
        """`keep` writes to the store what is written at commits only; it raises StorageError."""
        self._frontier = frontier
        self._clock = clock
        self._settings = settings
        self._bus = bus
        self._sync_files = sync_files
        self._on_error = on_error
        self._keep = keep
        self._lock = asyncio.Lock()
        self._bytes_seen = 0
        self._due = asyncio.Event()

    async def run(self) -> None:
        """Commit until cancelled; after a storage error, which is reported once, no more."""
        unsubscribe = self._bus.subscribe(UriFinished, self._count)
        try:
            while True:
                await self._wait_due()
                await self.commit()
        except StorageError as error:
            self._on_error(error)
        finally:
            unsubscribe()

    async def commit(self) -> None:
        """Make everything settled so far durable. Raises StorageError."""
        async with self._lock:
            self._keep()
            await self._frontier.commit(self._sync_files)

    def _count(self, event: UriFinished) -> None:
        """What was received for a URI was archived with it: a commit may be due before its time."""
        self._bytes_seen += event.wire_bytes
        if self._bytes_seen >= self._settings.commit_bytes:
            self._due.set()

    async def _wait_due(self) -> None:
        timer = self._clock.call_at(self._clock.monotonic() + self._settings.commit_interval, self._due.set)
        try:
            await self._due.wait()
        finally:
            timer.cancel()
        self._due.clear()
        self._bytes_seen = 0
