"""A deadline on a given clock around a block of awaits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gossamer.util.clock import Clock


@asynccontextmanager
async def within(clock: Clock, seconds: float) -> AsyncIterator[None]:
    """Raise TimeoutError from the block when it has taken `seconds` on `clock`."""
    async with asyncio.timeout(None) as limit:
        loop = asyncio.get_running_loop()
        alarm = clock.call_at(clock.monotonic() + seconds, lambda: limit.reschedule(loop.time()))
        try:
            yield
        finally:
            alarm.cancel()
