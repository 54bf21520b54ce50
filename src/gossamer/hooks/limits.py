"""Limits: how long each call of a hook may take, with one timer for all calls of a crew.

    begin -> end                       the usual case: a dict has one key more for a while
    begin -> (time is up) -> expire    whoever waits for the call learns it from `is_over`

`asyncio.timeout` makes and drops a timer for every call, which takes longer than a hook that does little. Here the
timer is set for the call that is to end first, and left where it is when that one has ended: it wakes up once in so
many seconds and looks. Used from one event loop only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec


class Limit(msgspec.Struct, eq=False):
    """One call that is under way."""

    deadline: float
    """By the clock of the loop."""
    expire: Callable[[], object]
    is_over: bool = False
    """Whether the time was up before the call had ended."""


class Limits:
    """The calls that are under way."""

    def __init__(self) -> None:
        self._running: dict[Limit, None] = {}
        """In the order in which they began, which is that in which they are told."""
        self._timer: asyncio.TimerHandle | None = None
        self._wakes_at = float("inf")

    def begin(self, seconds: float, expire: Callable[[], object]) -> Limit:
        """Count from now; `expire` is called in the loop when the time is up."""
        deadline = asyncio.get_running_loop().time() + seconds
        limit = Limit(deadline, expire)
        self._running[limit] = None
        if deadline < self._wakes_at:
            self._wake_at(deadline)
        return limit

    def end(self, limit: Limit) -> None:
        """The call is over, in time or not."""
        self._running.pop(limit, None)

    def close(self) -> None:
        """Forget the timer; idempotent. No call may be under way."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._wakes_at = None, float("inf")

    def _wake_at(self, moment: float) -> None:
        self.close()
        self._timer = asyncio.get_running_loop().call_at(moment, self._look)
        self._wakes_at = moment

    def _look(self) -> None:
        self.close()
        now = asyncio.get_running_loop().time()
        for limit in [limit for limit in self._running if limit.deadline <= now]:
            self._running.pop(limit, None)
            limit.is_over = True
            limit.expire()
        if self._running:
            self._wake_at(min(limit.deadline for limit in self._running))
