"""Time, as something that is given in.

All waiting is on the monotonic clock; the wall clock only dates things and carries a wait across a restart. Nothing
below `control` asks the operating system for the time itself: it holds a `Clock`, so a test turns the hands
(`gossamer.testing.FakeClock`) and never sleeps.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Cancellable(Protocol):
    """A call that was put off and can still be called off."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """Both clocks and the two ways to wait on them."""

    def monotonic(self) -> float:
        """Seconds, never going back; comparable within one process only."""

    def wall(self) -> float:
        """Seconds since the epoch, UTC; may jump."""

    def call_at(self, when: float, callback: Callable[[], None]) -> Cancellable:
        """Run `callback` in the event loop when `monotonic()` reaches `when`."""

    async def sleep(self, seconds: float) -> None:
        """Wait; cancelled like any await."""


class SystemClock:
    """The machine's clocks and the running event loop's timers."""

    # The functions themselves: the time is asked some thirty times for each page.
    monotonic = staticmethod(time.monotonic)
    wall = staticmethod(time.time)

    def call_at(self, when: float, callback: Callable[[], None]) -> Cancellable:
        # uvloop and asyncio loops count from CLOCK_MONOTONIC, but promise only loop.time(): convert to be sure.
        loop = asyncio.get_running_loop()
        return loop.call_at(loop.time() + (when - time.monotonic()), callback)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
