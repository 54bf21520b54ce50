"""Connections: every connection of the fetcher from its making to its end, and the one timer that watches them.

    reserve ─► dial ─► add ─► in use ─► park ─► take ─► in use …
       a slot            │              │ idle too long, over a cap, the peer spoke or closed
       of `capacity`     └──────────────┴──────► aborted ─► lost: the slot is free

Idle connections are kept per origin and used last in, first out, so that the surplus of a burst ages and is closed. A
request that finds the whole capacity taken closes the connection that has been idle longest, or waits for a slot.
The timer runs while anything is open, a few times per shortest time-out; no read or request sets one.
"""

from __future__ import annotations

import asyncio
import resource

from gossamer.fetch.connection import Connection, Origin
from gossamer.util.clock import Cancellable, Clock

IDLE_PER_ORIGIN = 8
_DESCRIPTOR_RESERVE = 128
"""Descriptors left to the store, the archive and the rest of the process."""
_COARSEST_SECONDS = 1.0
_FINEST_SECONDS = 0.02


def descriptor_budget(wanted: int) -> int:
    """How many sockets may be open: `wanted`, or what the process's limit leaves of it."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    return max(1, min(wanted, soft - _DESCRIPTOR_RESERVE))


class Connections:
    """The pool."""

    def __init__(self, clock: Clock, capacity: int, max_parked: float, shortest_timeout: float) -> None:
        """`capacity` is in connections, the rest in seconds.

        `max_parked` = 0 keeps none; a quarter of `shortest_timeout` is how often the timer looks, within reason.
        """
        self._clock = clock
        self._max_parked = max_parked
        shortest = min(shortest_timeout, max_parked or shortest_timeout)
        self._period = min(_COARSEST_SECONDS, max(_FINEST_SECONDS, shortest / 4))
        self._slots = asyncio.Semaphore(capacity)
        self._waiting = 0
        """Requests that wait for a slot."""
        self._open: set[Connection] = set()
        self._idle: dict[Origin, list[Connection]] = {}
        self._parked: dict[Connection, float] = {}
        """The idle ones and since when, longest idle first."""
        self._timer: Cancellable | None = None
        self._losses: list[asyncio.Future[None]] = []
        """Those who wait for the next connection to be lost."""

    @property
    def open_count(self) -> int:
        return len(self._open)

    def take(self, origin: Origin) -> Connection | None:
        """An idle connection that can carry a request now, no longer in the pool; None if there is none."""
        stack = self._idle.get(origin)
        while stack:
            connection = stack.pop()
            if not stack:
                del self._idle[origin]
            del self._parked[connection]
            if connection.is_quiet():
                return connection
            connection.abort()
        return None

    def park(self, connection: Connection) -> None:
        """Keep a connection whose response has ended for the next request, if it is fit for one."""
        if not connection.is_open:
            return
        stack = self._idle.get(connection.origin)
        if self._waiting or not self._max_parked or (stack is not None and len(stack) >= IDLE_PER_ORIGIN):
            connection.abort()
            return
        self._parked[connection] = self._clock.monotonic()
        if stack is None:
            self._idle[connection.origin] = [connection]
        else:
            stack.append(connection)

    async def reserve(self) -> None:
        """Wait for a slot; it is bound by `add`, or given back by `unreserve`."""
        if self._slots.locked():
            self.evict(1)
        self._waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self._waiting -= 1

    def unreserve(self) -> None:
        """Give back a slot that led to no connection."""
        self._slots.release()

    def add(self, connection: Connection) -> None:
        """Count a new connection, on a reserved slot."""
        if not connection.is_open:
            self._slots.release()
            return
        self._open.add(connection)
        if self._timer is None:
            self._arm()

    def lost(self, connection: Connection) -> None:
        """A connection is closed; unknown ones (a failed handshake) are none of ours."""
        if connection not in self._open:
            return
        self._open.discard(connection)
        self._unpark(connection)
        self._slots.release()
        if not self._open:
            self._disarm()
        for waiter in self._losses:
            if not waiter.done():
                waiter.set_result(None)
        self._losses.clear()

    def evict(self, count: int) -> int:
        """Close up to `count` connections, those idle longest; how many."""
        victims = list(self._parked)[:count]
        for connection in victims:
            self._unpark(connection)
            connection.abort()
        return len(victims)

    async def give_up_one(self) -> bool:
        """Close the connection idle longest and wait until its descriptor is free; False = none is idle."""
        if not self.evict(1):
            return False
        await self._next_loss()
        return True

    async def close(self) -> None:
        """Close all and wait until their descriptors are given back."""
        for connection in tuple(self._open):
            connection.abort()
        while self._open:
            await self._next_loss()

    async def _next_loss(self) -> None:
        waiter = asyncio.get_running_loop().create_future()
        self._losses.append(waiter)
        await waiter

    def _unpark(self, connection: Connection) -> None:
        if connection not in self._parked:
            return
        del self._parked[connection]
        stack = self._idle[connection.origin]
        stack.remove(connection)
        if not stack:
            del self._idle[connection.origin]

    def _arm(self) -> None:
        self._timer = self._clock.call_at(self._clock.monotonic() + self._period, self._sweep)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _sweep(self) -> None:
        now = self._clock.monotonic()
        for connection in tuple(self._open):
            connection.inspect(now)
        self.evict(sum(now - since >= self._max_parked for since in self._parked.values()))
        self._arm()
