"""Relay: the calls of `def` hooks on their way from the loop to the toes' threads, several at a time.

    add -> held while the loop has other work, at most HELD_SECONDS or MOST calls -> flush -> each thread wakes the next

Under the interpreter's lock a thread that is woken while the loop works goes back to sleep at once, until it gets the
lock; then the loop sleeps for it. An empty hook so costs three changes of thread, and the loop begins again with cold
caches after every page. Here the calls wait until the loop has nothing else to do, or some have gathered, and begin one
after the other: each thread wakes the one behind it before it does what it was ordered, by which time that one is up.
The loop stands aside once for all of them. A hook that blocks holds up none: the next thread is awake by then. One
whose last call was not quick (`thread`) is not brought here.

Used from one event loop; only the passing on is done in the threads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from time import perf_counter

Order = Callable[[], None]
Orders = SimpleQueue[Order | None]
"""What a thread takes its work from; None ends it."""

HELD_SECONDS = 0.005
"""A page waits longer than this for a loop that is busy, whose work is a millisecond a page and toe. With 2 ms calls
came five at a time in a crawl at full speed and cost twice as much, with 10 ms eight at a time and not noticeably less.
"""
MOST = 16
"""Calls that are held: a hook that does little takes some 10 µs, so the loop stands aside no longer than for one page."""
QUIET_SECONDS = 0.00005
"""A turn of the loop that did nothing takes a third of this; one that read a page or settled it ten times as long."""


class Relay:
    """The calls of one crew."""

    def __init__(self) -> None:
        self._held: list[tuple[Orders, Order]] = []
        self._since = 0.0
        """When the first of them was added."""
        self._looked = 0.0
        """When the loop looked last, or was told to."""
        self._is_watching = False
        """Whether the loop will look."""

    def add(self, orders: Orders, order: Order) -> None:
        """Have a thread that waits for its orders carry out this one soon: others wait for it to pass theirs on."""
        self._held.append((orders, order))
        if len(self._held) == 1:
            self._since = perf_counter()
            if not self._is_watching:
                self._watch(self._since)
        elif len(self._held) >= MOST:
            self.flush()

    def flush(self) -> None:
        """Let all that are held begin."""
        held, self._held = self._held, []
        _begin(held[::-1])

    def _watch(self, now: float) -> None:
        self._looked = now
        self._is_watching = True
        asyncio.get_running_loop().call_soon(self._look)

    def _look(self) -> None:
        """Called once in each turn of the loop while something is held."""
        self._is_watching = False
        if self._held:
            now = perf_counter()
            if now - self._looked < QUIET_SECONDS or now - self._since > HELD_SECONDS:
                self.flush()
            else:
                self._watch(now)


def _begin(turns: list[tuple[Orders, Order]]) -> None:
    """Wake the thread of the last one."""
    if turns:
        orders, order = turns.pop()
        orders.put(partial(_take_turn, turns, order))


def _take_turn(turns: list[tuple[Orders, Order]], order: Order) -> None:
    _begin(turns)
    order()
