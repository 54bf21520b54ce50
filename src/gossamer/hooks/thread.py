"""HookThread: the thread that a toe owns, in which all `def` hooks of its crawler run, one after the other.

It begins with the first call and ends when it is told to. A thread cannot be stopped: one that does not come back is
abandoned, and keeps no process from exiting. A call brings back what was raised as a value, since an exception of a
user's code (SystemExit, StopIteration) must not reach the event loop. A call after a quick one begins by way of the
crew's relay, any other at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from time import perf_counter
from typing import Any, NamedTuple

from gossamer.hooks.relay import Order, Orders, Relay

log = logging.getLogger(__name__)

QUICK_SECONDS = 0.001
"""A call that takes longer costs more than its hand-over, and may be one that blocks, of which as many as can should
run.
"""


class Outcome(NamedTuple):
    """What came of a call."""

    value: Any
    error: BaseException | None


class HookThread:
    """Made, called and ended from one event loop."""

    def __init__(self, name: str, relay: Relay | None = None) -> None:
        """Quick calls begin by way of the relay; without one, or after one that was not quick, they begin at once."""
        self.name = name
        self._relay = relay
        self._orders: Orders = SimpleQueue()
        """One `_do_next` for each call: a turn that others wait behind must not come behind a call made later."""
        self._calls: deque[Order] = deque()
        """What was ordered and has not begun, in order."""
        self._thread: threading.Thread | None = None
        self._is_abandoned = False
        self._present: asyncio.Future[Outcome] | None = None
        self._has_ended: asyncio.Future[None] | None = None
        self._ordered = 0
        """Calls so far; the thread counts those that are over."""
        self._done = 0
        self.is_quick = False
        """The call before this took so little that it pays to gather its calls with others."""

    @property
    def is_busy(self) -> bool:
        """Whether it is in a call, or has one before it."""
        return self._done != self._ordered

    @property
    def is_alive(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    @property
    def is_current(self) -> bool:
        """Whether the caller is in it."""
        return threading.current_thread() is self._thread

    def is_in(self, future: asyncio.Future[Outcome]) -> bool:
        """Whether this call is under way; False while it waits behind another."""
        return self._present is future

    def call(self, function: Callable[..., Any], *args: Any) -> asyncio.Future[Outcome]:
        """Run it behind what was ordered before. Cancelling the future does not end a call that has begun."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Outcome] = loop.create_future()

        def order() -> None:
            if future.cancelled() or self._is_abandoned:
                return
            self._present = future
            began = perf_counter()
            outcome = _run(function, args)
            self.is_quick = perf_counter() - began < QUICK_SECONDS
            try:
                loop.call_soon_threadsafe(self._tell, future, outcome)
            except RuntimeError:  # the loop was closed: this thread was abandoned
                log.warning("%s came back after the crawl had ended", self.name)

        can_pass_on = self.is_quick and not self.is_busy  # one that may not come back is no link in a chain
        self._ordered += 1
        self._calls.append(order)
        if can_pass_on and self._relay is not None:
            self._relay.add(self._orders, self._do_next)
        else:
            self._orders.put(self._do_next)
        if self._thread is None:
            self._has_ended = loop.create_future()
            self._thread = threading.Thread(
                target=self._work, args=(loop, self._has_ended), name=self.name, daemon=True
            )
            self._thread.start()
        return future

    async def end(self, seconds: float) -> bool:
        """Let it end with what it was ordered, for which it may take `seconds`; whether it has. Idempotent."""
        self._tell_to_end()
        if self._thread is None or self._has_ended is None:
            return True
        await asyncio.wait({self._has_ended}, timeout=seconds)
        if self._has_ended.done():
            self._thread.join()  # it has nothing left to do
        return self._has_ended.done()

    def abandon(self) -> None:
        """Expect nothing of it any more: it ends when the call that it is in does."""
        self._is_abandoned = True
        self._tell_to_end()

    def _tell_to_end(self) -> None:
        if self._relay is not None:
            self._relay.flush()
        self._orders.put(None)

    def _work(self, loop: asyncio.AbstractEventLoop, has_ended: asyncio.Future[None]) -> None:
        is_told = False
        while not is_told or self.is_busy:  # told to end, it first takes its turn, which others may be behind
            order = self._orders.get()
            if order is None:
                is_told = True
                continue
            order()
            self._done += 1
            del order  # the last page must not live until the next comes
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits for it
            loop.call_soon_threadsafe(has_ended.set_result, None)

    def _do_next(self) -> None:
        self._calls.popleft()()

    def _tell(self, future: asyncio.Future[Outcome], outcome: Outcome) -> None:
        if not future.done():
            future.set_result(outcome)
        elif outcome.error is not None:
            log.error("a hook in %s failed after nobody waited for it any more", self.name, exc_info=outcome.error)
        elif self._is_abandoned:
            log.warning("%s came back after it had been abandoned", self.name)


def _run(function: Callable[..., Any], args: tuple[Any, ...]) -> Outcome:
    try:
        return Outcome(function(*args), None)
    except BaseException as error:
        return Outcome(None, error)
