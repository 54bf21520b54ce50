"""Waiting: toes that wait for a URI, and those who wait for the frontier to get somewhere.

A URI is given to the toe that waits longest. If that toe is cancelled in the very tick of the hand-over its future
holds a URI that nobody will take: `wait` notices and hands it to `unwanted`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from gossamer.errors import FrontierClosed
from gossamer.frontier.base import FrontierTarget
from gossamer.model.crawluri import CrawlURI


class Waiters:
    """Those who wait in `next`, first come first served."""

    def __init__(self) -> None:
        self.futures: deque[asyncio.Future[CrawlURI]] = deque()
        """Theirs; some of those who were cancelled may still be among them."""
        self._is_told = False
        """A `serve` was promised and is still to come."""

    def __bool__(self) -> bool:
        while self.futures and self.futures[0].done():
            self.futures.popleft()
        return bool(self.futures)

    def tell(self, serve: Callable[[], None]) -> None:
        """Have `serve` called in the next turn of the event loop; only while somebody waits."""
        if not self._is_told:
            self._is_told = True
            self.futures[0].get_loop().call_soon(self._serve, serve)

    def _serve(self, serve: Callable[[], None]) -> None:
        self._is_told = False
        serve()

    async def wait(self, unwanted: Callable[[CrawlURI], None]) -> CrawlURI:
        """A URI, when there is one. Raises FrontierClosed."""
        future: asyncio.Future[CrawlURI] = asyncio.get_running_loop().create_future()
        self.futures.append(future)
        try:
            return await future
        except BaseException:  # cancelled, or its coroutine was thrown away
            if future.done() and not future.cancelled() and future.exception() is None:
                unwanted(future.result())
            else:
                self._forget(future)
            raise

    def _forget(self, future: asyncio.Future[CrawlURI]) -> None:
        future.cancel()
        if future in self.futures:
            self.futures.remove(future)

    def give(self, curi: CrawlURI) -> None:
        """Hand a URI to the first; only while there is one."""
        self.futures.popleft().set_result(curi)

    def fail(self, error: Exception) -> None:
        """Have the first raise `error`; only while there is one."""
        self.futures.popleft().set_exception(error)

    def close(self) -> None:
        """Tell all of them that no URI will come."""
        while self:
            self.futures.popleft().set_exception(FrontierClosed())


class Milestones:
    """Those who wait for a target to be reached."""

    def __init__(self) -> None:
        self.waiting: list[tuple[frozenset[FrontierTarget], asyncio.Future[FrontierTarget]]] = []

    async def wait(self, targets: frozenset[FrontierTarget]) -> FrontierTarget:
        future: asyncio.Future[FrontierTarget] = asyncio.get_running_loop().create_future()
        entry = (targets, future)
        self.waiting.append(entry)
        try:
            return await future
        finally:
            self.waiting = [other for other in self.waiting if other is not entry]

    def reach(self, target: FrontierTarget) -> None:
        """Tell those who wait for it."""
        for targets, future in self.waiting:
            if target in targets and not future.done():
                future.set_result(target)
