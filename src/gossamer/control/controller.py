"""CrawlController: commands one crawl, from NASCENT to FINISHED.

It turns requests (stop, pause, resume), limits, errors, and what the frontier reports to have reached into events of
the state table, and announces each state once on the bus. It owns the open parts (`Crawl`) and every background task;
when `run` returns, nothing of the crawl is left running and every file is closed.

Used from its event loop only. The state table has the last word: a request that it does not allow raises StateError
and changes nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from gossamer.control.crawl import Crawl
from gossamer.control.progress import Progress, look_at
from gossamer.control.seeding import SeedOutcome
from gossamer.control.state import CrawlEvent, CrawlState, ExitStatus, advance, allowed, settle
from gossamer.errors import DiskFull, StorageError
from gossamer.frontier import FrontierTarget
from gossamer.model.events import CrawlStateChanged
from gossamer.util.bus import EventBus
from gossamer.util.clock import Clock

log = logging.getLogger(__name__)

PAUSED_BY_OPERATOR = "operator"
PAUSED_BY_DISK = "disk"


class FinalLook(NamedTuple):
    """What is left to tell of a crawl that is closed."""

    progress: Progress
    seeds: tuple[SeedOutcome, ...]
    was_finished: bool


class CrawlController:
    """One crawl. `open_crawl` opens its parts (control.assembly); `limits` watches for reasons to end."""

    def __init__(
        self,
        open_crawl: Callable[[CrawlController], Awaitable[Crawl]],
        bus: EventBus,
        clock: Clock,
        *,
        toes: int,
        stop_grace_seconds: float,
        pause_at_start: bool = False,
        run_while_empty: bool = False,
    ) -> None:
        self.bus = bus
        self.clock = clock
        self.state = CrawlState.NASCENT
        self.exit_status: ExitStatus | None = None
        self.reason = ""
        """One sentence about the exit status, for people."""
        self.crawl: Crawl | None = None
        """The open parts; None before PREPARING is through and after FINISHED."""
        self.final: FinalLook | None = None
        """Taken just before everything was closed; None if the crawl never opened."""
        self.pause_reasons: set[str] = {PAUSED_BY_OPERATOR} if pause_at_start else set()
        self._open_crawl = open_crawl
        self._toes = toes
        self._stop_grace_seconds = stop_grace_seconds
        self._run_while_empty = run_while_empty
        self._changed = asyncio.Event()
        self._is_hasty = asyncio.Event()
        self._storage_error: StorageError | None = None

    # ---- requests

    def request_stop(self, status: ExitStatus = ExitStatus.ABORTED, reason: str = "") -> None:
        """Finish what is in flight and end; a second request cancels what is in flight. Raises StateError if FINISHED."""
        if self.state is CrawlState.STOPPING:
            self._is_hasty.set()
        event = CrawlEvent.LIMIT if status in (ExitStatus.DOCUMENT_LIMIT, ExitStatus.BYTE_LIMIT) else CrawlEvent.STOP
        if status is ExitStatus.TIME_LIMIT:
            event = CrawlEvent.TIME_LIMIT
        self._end(event, status, reason)

    def request_pause(self, reason: str = PAUSED_BY_OPERATOR) -> None:
        """Hold the frontier; PAUSED once nothing is in process. Ignored if pausing or paused already."""
        self.pause_reasons.add(reason)
        if self.state not in (CrawlState.PAUSING, CrawlState.PAUSED, CrawlState.PREPARING):
            self._fire(CrawlEvent.PAUSE)

    def request_resume(self, reason: str = PAUSED_BY_OPERATOR) -> None:
        """Take back one reason to pause; go on if there is none left. Raises StateError unless pausing or paused."""
        if CrawlEvent.RESUME not in allowed(self.state):
            advance(self.state, CrawlEvent.RESUME)
        self.pause_reasons.discard(reason)
        if not self.pause_reasons:
            self._fire(CrawlEvent.RESUME)

    def on_storage_error(self, error: StorageError) -> None:
        """The store or the archive failed: the first error counts. No toe gets another URI."""
        if self._storage_error is None:
            self._storage_error = error
            log.error("storage: %s", error)
        status = ExitStatus.DISK_FULL if isinstance(error, DiskFull) else ExitStatus.FAILED
        if self.state is CrawlState.PREPARING:
            return  # `run` sees the error itself
        if CrawlEvent.FAILED in allowed(self.state):
            self._end(CrawlEvent.FAILED, status, str(error))

    # ---- the run

    async def run(self) -> ExitStatus:
        """Crawl to the end and close everything. Raises what kept it from opening (ConfigError, JobInUse, StorageError)."""
        self._fire(CrawlEvent.START)
        try:
            self.crawl = await self._open_crawl(self)
        except BaseException as error:
            self._end(CrawlEvent.FAILED, ExitStatus.FAILED, str(error))
            raise
        try:
            await self._work(self.crawl)
        finally:
            is_clean = self._storage_error is None
            try:
                await self.crawl.toes.cancel()
                self.final = FinalLook(
                    look_at(self, self.crawl), self.crawl.seeding.outcomes(), self.crawl.was_finished
                )
                await self.crawl.close(is_clean=is_clean)
            except StorageError as error:
                self.on_storage_error(error)
            finally:
                self.crawl = None
                if self.state is CrawlState.STOPPING:
                    self._fire(CrawlEvent.IDLE)
        return self.exit_status or ExitStatus.FAILED

    async def _work(self, crawl: Crawl) -> None:
        if self.state is CrawlState.PREPARING:
            self._fire(CrawlEvent.READY_PAUSED if self.pause_reasons else CrawlEvent.READY)
        crawl.toes.set_size(self._toes)
        async with asyncio.TaskGroup() as tasks:
            helpers = [
                tasks.create_task(crawl.committer.run(), name="committer"),
                tasks.create_task(crawl.limits.run(self), name="limits"),
            ]
            try:
                await self._watch(crawl)
                await self._let_toes_end(crawl)
            finally:
                for helper in helpers:
                    helper.cancel()

    async def _watch(self, crawl: Crawl) -> None:
        """Turn what the frontier reaches into events, until the crawl is stopping."""
        frontier = crawl.frontier
        while self.state is not CrawlState.STOPPING:
            self._changed.clear()
            awaited, event = _AWAITED.get(self.state, (None, None))
            if awaited is None or event is None:
                await self._changed.wait()
            elif await _first_of(frontier.wait_reached(awaited), self._changed.wait()):
                self._fire(event)
                if self.state is CrawlState.EMPTY and not self._run_while_empty:
                    self._end(CrawlEvent.DONE, ExitStatus.FINISHED, ExitStatus.FINISHED.value)

    async def _let_toes_end(self, crawl: Crawl) -> None:
        """Wait for the toes to finish what they hold; the grace over or a second stop, the caller cancels them."""
        timer = self.clock.call_at(self.clock.monotonic() + self._stop_grace_seconds, self._is_hasty.set)
        try:
            await _first_of(crawl.toes.wait_ended(), self._is_hasty.wait())
        finally:
            timer.cancel()

    def _end(self, event: CrawlEvent, status: ExitStatus, reason: str) -> None:
        """Fire an event that ends the crawl, and note why."""
        self._fire(event)
        after = settle(self.exit_status, status)
        if after is not self.exit_status:
            self.exit_status = after
            self.reason = reason or after.value

    def _fire(self, event: CrawlEvent) -> None:
        after = advance(self.state, event)
        if after is self.state:
            return
        self.state = after
        if self.crawl is not None:
            target = _TARGETS.get(after)
            if target is not None:
                self.crawl.frontier.seek(target)
        self._changed.set()
        self.bus.publish(CrawlStateChanged(after.name, ", ".join(sorted(self.pause_reasons)) or self.reason))


_TARGETS = {
    CrawlState.RUNNING: FrontierTarget.RUN,
    CrawlState.PAUSING: FrontierTarget.PAUSE,
    CrawlState.PAUSED: FrontierTarget.PAUSE,
    CrawlState.STOPPING: FrontierTarget.FINISH,
}
"""What the frontier is told when a state is entered: the one coupling of the two machines."""

_AWAITED = {
    CrawlState.RUNNING: (FrontierTarget.EMPTY, CrawlEvent.DRAINED),
    CrawlState.EMPTY: (FrontierTarget.RUN, CrawlEvent.SCHEDULED),
    CrawlState.PAUSING: (FrontierTarget.PAUSE, CrawlEvent.IDLE),
}
"""What the frontier must reach in each state for an event to happen."""


async def _first_of(wanted: Awaitable[object], other: Awaitable[object]) -> bool:
    """Wait for either; whether `wanted` came. The one that did not is cancelled."""
    first, second = asyncio.ensure_future(wanted), asyncio.ensure_future(other)
    try:
        await asyncio.wait({first, second}, return_when=asyncio.FIRST_COMPLETED)
        return first.done() and not first.cancelled() and first.exception() is None
    finally:
        for waiter in (first, second):
            waiter.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
