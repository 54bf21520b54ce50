"""The public test kit: real doubles for tests of crawlers and of Gossamer itself.

`FakeClock` turns the hands of both clocks, `MemoryFrontier` is a frontier without a store, `MemoryKV` a store that can
lose power.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from itertools import count

from gossamer.frontier.memory import MemoryFrontier
from gossamer.storage.memory import MemoryKV

__all__ = ["FakeClock", "MemoryFrontier", "MemoryKV"]


class FakeClock:
    """A clock that stands still until it is turned.

    `advance` runs what was put off in order, each at its own time. The wall clock goes with the monotonic one, and can
    be set apart from it.
    """

    def __init__(self, monotonic: float = 1_000.0, wall: float = 1_800_000_000.0) -> None:
        self._now = monotonic
        self._distance = wall - monotonic
        self._calls: list[tuple[float, int, _Call]] = []
        self._tickets = count()

    def monotonic(self) -> float:
        return self._now

    def wall(self) -> float:
        return self._now + self._distance

    def set_wall(self, wall: float) -> None:
        """Let the wall clock jump; the monotonic one takes no notice."""
        self._distance = wall - self._now

    def call_at(self, when: float, callback: Callable[[], None]) -> _Call:
        call = _Call(callback)
        heapq.heappush(self._calls, (when, next(self._tickets), call))
        return call

    async def sleep(self, seconds: float) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        call = self.call_at(self._now + seconds, lambda: None if future.done() else future.set_result(None))
        try:
            await future
        finally:
            call.cancel()

    @property
    def next_call(self) -> float | None:
        """When the next call is due; None if nobody waits."""
        while self._calls and self._calls[0][2].is_cancelled:
            heapq.heappop(self._calls)
        return self._calls[0][0] if self._calls else None

    def advance(self, seconds: float) -> None:
        """Turn both clocks on, and make the calls that come due."""
        end = self._now + seconds
        while (due := self.next_call) is not None and due <= end:
            _, _, call = heapq.heappop(self._calls)
            self._now = max(self._now, due)
            call.callback()
        self._now = end


class _Call:
    """A call that was put off."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback = callback
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True
