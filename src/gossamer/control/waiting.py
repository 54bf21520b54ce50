"""Waiting for one of two things, and for no longer than so long."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from gossamer.util.clock import Clock


@asynccontextmanager
async def after(clock: Clock, seconds: float | None, call: Callable[[], object]) -> AsyncIterator[None]:
    """Have `call` made if the block takes longer than so many seconds; None = never."""
    if seconds is None:
        yield
        return

    def due() -> None:
        call()

    timer = clock.call_at(clock.monotonic() + seconds, due)
    try:
        yield
    finally:
        timer.cancel()


async def first_of(wanted: Awaitable[object], other: Awaitable[object]) -> bool:
    """Wait for either; whether `wanted` came. The one that did not is cancelled; what `wanted` raised is raised."""
    first, second = asyncio.ensure_future(wanted), asyncio.ensure_future(other)
    try:
        await asyncio.wait({first, second}, return_when=asyncio.FIRST_COMPLETED)
        if not first.done() or first.cancelled():
            return False
        first.result()
        return True
    finally:
        for waiter in (first, second):
            waiter.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
