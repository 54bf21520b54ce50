"""CrawlController: commands one crawl, from NASCENT to FINISHED.

It turns requests (stop, pause, resume), limits, errors, and what the frontier reports to have reached into events of
the state table, and announces each state once on the bus. It owns the open parts (`Crawl`) and every background task;
when `run` returns, nothing of the crawl is left running and every file is closed.

A full disk is the one storage error that a crawl outlives: it pauses, everything is closed as after a crash, and opened
anew (which recovers) when there is room. Until then there are no open parts, and requests on them are refused.

Used from its event loop only. The state table has the last word: a request that it does not allow raises StateError
and changes nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

from gossamer.config import CrawlConfig
from gossamer.control.adding import Added
from gossamer.control.changing import apply, changed_config
from gossamer.control.checkpoint import Checkpoint
from gossamer.control.commanded import PAUSED_BY_DISK, PAUSED_BY_ERROR, PAUSED_BY_MEMORY, PAUSED_BY_OPERATOR
from gossamer.control.crawl import Crawl
from gossamer.control.deleting import doomed
from gossamer.control.keeping import JobRecord
from gossamer.control.progress import Progress, encoded_look, look_at, snapshot_at
from gossamer.control.seeding import Noted, SeedOutcome
from gossamer.control.state import CrawlEvent, CrawlState, ExitStatus, advance, allowed, settle
from gossamer.control.waiting import after, first_of
from gossamer.errors import DiskFull, StateError, StorageError
from gossamer.frontier import FrontierTarget
from gossamer.hooks import NEW_CRAWLER, Crew
from gossamer.model.crawluri import ClassKey, DocId
from gossamer.model.events import CrawlStateChanged, HookFailed, UriFinished
from gossamer.seeds import Seed
from gossamer.stats.progresslog import INTERVAL_SECONDS
from gossamer.util.bus import EventBus
from gossamer.util.clock import Clock
from gossamer.util.terminal import text_of

log = logging.getLogger(__name__)

E = TypeVar("E")

MAX_WAITING_URIS = 10_000
"""Events of URIs that wait for a subscriber who is slow: some 20 MB, and what a burst of some seconds needs."""
SUBSCRIBER_PATIENCE_SECONDS = 3.0
"""So long a subscriber may be busy with one event when the crawl has ended."""
SUBSCRIBERS_END_SECONDS = 30.0
"""So long all of them may take over what waits for them then."""

OpenCrawl = Callable[["CrawlController", "Crawl | None"], Awaitable[Crawl]]
"""Opens the parts; given those that were open before, which a full disk made useless, if there were any."""


class FinalLook(NamedTuple):
    """What is left to tell of a crawl that is closed."""

    progress: Progress
    seeds: tuple[SeedOutcome, ...]
    was_finished: bool


class CrawlController:
    """One crawl. `open_crawl` opens its parts (control.assembly); `limits` watches for reasons to end."""

    def __init__(
        self,
        open_crawl: OpenCrawl,
        config: CrawlConfig,
        bus: EventBus,
        clock: Clock,
        *,
        wait_for_space: Callable[[], Awaitable[None]],
        record: JobRecord | None = None,
        crew: Crew | None = None,
    ) -> None:
        """`wait_for_space` returns when it is worth trying to write again."""
        self.config = config
        """As it is now: some of it may be changed while the crawl runs."""
        self.bus = bus
        self.clock = clock
        self.state = CrawlState.NASCENT
        self.exit_status: ExitStatus | None = None
        self.reason = ""
        """One sentence about the exit status, for people."""
        self.crawl: Crawl | None = None
        """The open parts; None before PREPARING is through, while a full disk is waited out, and after FINISHED."""
        self.final: FinalLook | None = None
        """Taken just before everything was closed; None if the crawl never opened."""
        self.pause_reasons: set[str] = {PAUSED_BY_OPERATOR} if config.pause_at_start else set()
        self.crew = crew
        """The crawlers of a program that has its own."""
        bus.subscribe(HookFailed, self._on_hook_failed)
        self._open_crawl = open_crawl
        self._wait_for_space = wait_for_space
        self._record = record
        self._changed = asyncio.Event()
        self._is_cut_off = asyncio.Event()
        """Toes are waited for no longer: the grace is over, or it was asked to stop a second time."""
        self._is_hurried = asyncio.Event()
        """It was asked to stop a second time."""
        self._storage_error: StorageError | None = None

    def deliver(self, event_type: type[E], subscriber: Callable[[E], None]) -> Callable[[], None]:
        """Have code that is not our own hear of events, on a thread of its own; returns what ends that.

        It may block and raise. A change of state always reaches it; of the URIs those do not that come while
        MAX_WAITING_URIS wait for it. What waits when the crawl ends is delivered before `run` returns, unless the
        subscriber is stuck.
        """
        return self.bus.deliver(event_type, subscriber, at_most=MAX_WAITING_URIS if event_type is UriFinished else None)

    # ---- requests: states

    def request_stop(self, status: ExitStatus = ExitStatus.ABORTED, reason: str = "") -> None:
        """Finish what is in flight and end; a second request cancels what is in flight.

        Raises StateError if FINISHED.
        """
        event = CrawlEvent.LIMIT if status in (ExitStatus.DOCUMENT_LIMIT, ExitStatus.BYTE_LIMIT) else CrawlEvent.STOP
        if status is ExitStatus.TIME_LIMIT:
            event = CrawlEvent.TIME_LIMIT
        is_second = self.state is CrawlState.STOPPING
        self._end(event, status, reason)
        if is_second:
            self._is_cut_off.set()
            self._is_hurried.set()

    def request_pause(self, reason: str = PAUSED_BY_OPERATOR) -> None:
        """Hold the frontier; PAUSED once nothing is in process. Ignored if pausing or paused already.

        What is in flight may take `limits.pause_grace`, then it is abandoned, and fetched again. Raises StateError.
        """
        if self.state not in (CrawlState.PAUSING, CrawlState.PAUSED, CrawlState.PREPARING):
            advance(self.state, CrawlEvent.PAUSE)
        self._pause(reason)

    def request_resume(self, reason: str = PAUSED_BY_OPERATOR) -> None:
        """Take back one reason to pause; go on if there is none left. Raises StateError unless pausing or paused.

        The operator takes back every reason that does not pass by itself.
        """
        if CrawlEvent.RESUME not in allowed(self.state):
            advance(self.state, CrawlEvent.RESUME)
        taken_back = _OPERATORS if reason == PAUSED_BY_OPERATOR else {reason}
        if self.pause_reasons and not self.pause_reasons & taken_back:
            raise StateError(f"the crawl is paused by {', '.join(sorted(self.pause_reasons))}, and goes on by itself")
        self.pause_reasons -= taken_back
        if not self.pause_reasons:
            self._fire(CrawlEvent.RESUME)

    # ---- requests: a crawl that is open

    async def request_checkpoint(self, name: str | None = None) -> Checkpoint:
        """Take a named copy of the crawl's state. Raises StateError, ConfigError (the name), StorageError."""
        crawl = self._opened("take a checkpoint")
        return await crawl.checkpointer.take(name, lambda: encoded_look(self, crawl))

    async def request_add(self, urls: Iterable[str], *, as_seeds: bool = False, force: bool = False) -> Added:
        """Queue URLs, as seeds or as links without a page; `force` those that are known or out of scope, too.

        A crawl that is EMPTY goes on. Raises StateError, StorageError.
        """
        return await self._opened("add URLs").adding.add(urls, as_seeds=as_seeds, force=force)

    def add_seeds(self, seeds: Sequence[Seed]) -> int:
        """Queue a few seeds at once; how many were not known.

        Raises StateError, StorageError, ValueError (a doc id).
        """
        return self._opened("add seeds").adding.add_seeds(seeds)

    def note_seen(self, noted: Noted) -> DocId:
        """Have a URL count as known without queueing it; its doc id. Raises StateError, StorageError, ValueError."""
        return self._opened("note URLs").seeding.note_seen(noted)

    def docid_of(self, href: str) -> DocId | None:
        """The doc id of a parsed URL; None if it is not known. Raises StateError while nothing is open."""
        if self.crawl is None:
            raise StateError(f"doc ids cannot be asked for in state {self.state.name}: nothing is open")
        return self.crawl.frontier.docid_of(self.crawl.maker.identify(href))

    def set_toes(self, count: int) -> None:
        """Have so many toes; those too many end after the URI they hold. Raises StateError, ConfigError."""
        self.change_settings({"toes": count})

    def change_settings(self, changes: Mapping[str, Any]) -> CrawlConfig:
        """Change what may be changed while it runs (`changing.CHANGEABLE`), at once and for the runs to come.

        Raises ConfigError for other settings and bad values, StateError, StorageError; nothing is changed then.
        """
        crawl = self._opened("change settings")
        after = changed_config(self.config, changes)
        if self._record is not None:
            self._record.change_settings(changes)
        apply(crawl, self.config, after)
        self.config = after
        return after

    async def delete_matching(self, queue_regex: str | None = None, uri_regex: str | None = None) -> int:
        """Delete waiting URIs whose class key and URL contain matches of these; how many. None = all, but not both.

        Raises ConfigError for a bad pattern, StateError, StorageError.
        """
        is_doomed = doomed(queue_regex, uri_regex)
        return await self._opened("delete URIs").frontier.delete_matching(is_doomed)

    def retire(self, class_key: str) -> bool:
        """Take a queue out of the crawl, keeping its URIs; False if it is out, or there is none."""
        return self._opened("retire a queue").frontier.retire(ClassKey(class_key))

    def revive(self, class_key: str) -> int:
        """Bring a queue back, and every URI of it that FAILED; how many those were."""
        return self._opened("revive a queue").frontier.revive(ClassKey(class_key))

    def _opened(self, doing: str) -> Crawl:
        """The open parts. Raises StateError unless the crawl runs or is paused."""
        if self.crawl is None or self.state not in _OPERABLE:
            waiting = " while there is no space on the disk" if self.state in _OPERABLE else ""
            raise StateError(
                f"one cannot {doing} in state {self.state.name}{waiting}",
                allowed=[event.value for event in allowed(self.state)],
            )
        return self.crawl

    # ---- trouble

    def on_trouble(self, error: Exception) -> None:
        """Something failed that is no single URI's business. When this returns no toe gets another URI."""
        if isinstance(error, StorageError):
            self.on_storage_error(error)
            return
        reason = PAUSED_BY_MEMORY if isinstance(error, MemoryError) else PAUSED_BY_ERROR
        log.error("the crawl is paused (%s): %s", reason, error or type(error).__name__, exc_info=error)
        self._pause(reason)

    def on_storage_error(self, error: StorageError) -> None:
        """The store or the archive failed: the first error counts. A full disk pauses the crawl, all else ends it."""
        if self._storage_error is None:
            log.error("storage: %s", error)
            # Its traceback holds what was being written, and with that the store.
            self._storage_error = error.with_traceback(None)
        if self.state is CrawlState.PREPARING:
            return  # `run` sees the error itself
        if isinstance(error, DiskFull) and self.state in _OPERABLE:
            self._pause(PAUSED_BY_DISK)
            self._changed.set()
        elif CrawlEvent.FAILED in allowed(self.state):
            status = ExitStatus.DISK_FULL if isinstance(error, DiskFull) else ExitStatus.FAILED
            self._end(CrawlEvent.FAILED, status, text_of(error))

    def _on_hook_failed(self, event: HookFailed) -> None:
        """End the crawl if that was asked for, or if there is no crawler to go on with."""
        if self.state in (CrawlState.STOPPING, CrawlState.FINISHED):
            return
        if isinstance(event.error, KeyboardInterrupt):
            self.request_stop(ExitStatus.ABORTED, f"crawler {event.crawler}: {event.hook} raised KeyboardInterrupt")
        elif event.hook in (NEW_CRAWLER, "on_start") or self.config.hooks.halt_on_error:
            place = f" on {event.url}" if event.url else ""
            error = f"{type(event.error).__name__}: {text_of(event.error)}"
            self.request_stop(ExitStatus.FAILED, f"crawler {event.crawler}: {event.hook} failed{place}: {error}")

    def _pause(self, reason: str) -> None:
        """Have one more reason to be paused, where that means anything."""
        if self.state in (CrawlState.STOPPING, CrawlState.FINISHED):
            return
        self.pause_reasons.add(reason)
        if CrawlEvent.PAUSE in allowed(self.state):
            self._fire(CrawlEvent.PAUSE)

    # ---- the run

    async def run(self) -> ExitStatus:
        """Crawl to the end and close everything.

        Raises what kept it from opening (ConfigError, JobInUse, StorageError).
        """
        try:
            return await self._run()
        finally:
            self.bus.end()
            await self.bus.wait_ended(SUBSCRIBER_PATIENCE_SECONDS, SUBSCRIBERS_END_SECONDS)

    async def _run(self) -> ExitStatus:
        self._fire(CrawlEvent.START)
        try:
            self.crawl = await self._open_crawl(self, None)
        except BaseException as error:
            self._end(CrawlEvent.FAILED, ExitStatus.FAILED, text_of(error))
            raise
        try:
            if self.state is CrawlState.PREPARING:
                self._fire(CrawlEvent.READY_PAUSED if self.pause_reasons else CrawlEvent.READY)
            else:
                self.crawl.frontier.seek(FrontierTarget.FINISH)  # it was stopped while it was opened
            while self.crawl is not None:
                await self._work(self.crawl)
                if self.state is CrawlState.STOPPING:
                    break
                await self._outlive_full_disk(self.crawl)
        finally:
            await self._close()
        return self.exit_status or ExitStatus.FAILED

    async def _close(self) -> None:
        """Whatever is open is closed, and the crawl FINISHED."""
        crawl = self.crawl
        try:
            try:
                if crawl is not None:
                    await crawl.toes.cancel()
                if self.crew is not None:
                    await self.crew.close(self.config.limits.stop_grace, self._is_hurried)
            finally:
                self.crawl = None
                if crawl is not None:
                    self._look_finally(crawl)
                    await crawl.close(is_clean=self._storage_error is None)
        except StorageError as error:
            self.on_storage_error(error)
        finally:
            if self.state is CrawlState.STOPPING:
                self._fire(CrawlEvent.IDLE)

    def _look_finally(self, crawl: Crawl) -> None:
        self.final = FinalLook(look_at(self, crawl), crawl.seeding.outcomes(), crawl.was_finished)

    async def _work(self, crawl: Crawl) -> None:
        """Until it is stopping, or a full disk has made the open parts useless."""
        crawl.limits.check(self)
        crawl.limits.check(self)
        crawl.toes.set_size(self.config.toes)
        async with asyncio.TaskGroup() as tasks:
            helpers = [
                tasks.create_task(crawl.committer.run(), name="committer"),
                tasks.create_task(self._keep_up(partial(crawl.limits.run, self)), name="limits"),
                tasks.create_task(self._keep_up(crawl.monitor.run), name="monitor"),
                tasks.create_task(self._tell(crawl), name="progress"),
                tasks.create_task(
                    crawl.checkpointer.run(self.config.durability.checkpoint_interval, self.request_checkpoint),
                    name="checkpoints",
                ),
            ]
            if crawl.network is not None:
                helpers.append(tasks.create_task(self._keep_up(crawl.network.run), name="network"))
            try:
                await self._watch(crawl)
                if self.state is CrawlState.STOPPING:
                    await self._let_toes_end(crawl)
            finally:
                for helper in helpers:
                    helper.cancel()

    async def _keep_up(self, run: Callable[[], Awaitable[None]]) -> None:
        """Have a watch run for good: one that fails is trouble, and begins again."""
        while True:
            try:
                return await run()
            except Exception as error:
                self.on_trouble(error)
            await self.clock.sleep(1.0)

    async def _tell(self, crawl: Crawl) -> None:
        """A line of progress.log every few seconds."""
        while True:
            try:
                crawl.progress_log.add(snapshot_at(self, crawl))
            except StorageError as error:
                log.warning("%s", error)
            await self.clock.sleep(INTERVAL_SECONDS)

    async def _watch(self, crawl: Crawl) -> None:
        """Turn what the frontier reaches into events."""
        frontier = crawl.frontier
        while self.state is not CrawlState.STOPPING and self._storage_error is None:
            self._changed.clear()
            awaited, event = _AWAITED.get(self.state, (None, None))
            if awaited is None or event is None:
                await self._changed.wait()
                continue
            is_pausing = self.state is CrawlState.PAUSING
            async with after(self.clock, self.config.limits.pause_grace if is_pausing else None, crawl.toes.abandon):
                is_reached = await first_of(frontier.wait_reached(awaited), self._changed.wait())
            if is_reached and not self._changed.is_set():
                self._fire(event)
                if self.state is CrawlState.EMPTY and not self.config.run_while_empty:
                    self._end(CrawlEvent.DONE, ExitStatus.FINISHED, ExitStatus.FINISHED.value)

    async def _let_toes_end(self, crawl: Crawl) -> None:
        """Wait for the toes to finish what they hold; the grace over or a second stop, the caller cancels them."""
        async with after(self.clock, self.config.limits.stop_grace, self._is_cut_off.set):
            await first_of(crawl.toes.wait_ended(), self._is_cut_off.wait())

    async def _outlive_full_disk(self, crawl: Crawl) -> None:
        """Close everything as it stands, wait for space, and open it again, which puts right what was torn."""
        await crawl.toes.cancel()
        self._look_finally(crawl)
        self.crawl = None
        try:
            try:
                await crawl.close(is_clean=False, is_reopened=True)
            except DiskFull as error:
                log.warning("closing: %s", error)
            if self.state is CrawlState.PAUSING:
                self._fire(CrawlEvent.IDLE)
            self.crawl = await self._reopened(crawl)
        except StorageError as error:
            self._end(CrawlEvent.FAILED, ExitStatus.FAILED, text_of(error))
        finally:
            if self.crawl is None:
                crawl.release()
        if self.crawl is not None:
            self._storage_error = None
            self._go_on(self.crawl)

    def _go_on(self, crawl: Crawl) -> None:
        """Put an opened crawl where the state is, and take back the disk's reason to be paused."""
        log.warning("there is space on the disk again, and everything is open")
        self.pause_reasons.discard(PAUSED_BY_DISK)
        if self.state is CrawlState.PAUSED:
            crawl.frontier.seek(FrontierTarget.PAUSE)
            if not self.pause_reasons:
                self._fire(CrawlEvent.RESUME)
        else:
            crawl.frontier.seek(FrontierTarget.FINISH)

    async def _reopened(self, before: Crawl) -> Crawl | None:
        """The parts opened anew; None if the crawl was stopped before there was space."""
        while True:
            self._changed.clear()
            if self.state is CrawlState.STOPPING:
                return None
            if not await first_of(self._wait_for_space(), self._changed.wait()):
                continue
            try:
                return await self._open_crawl(self, before)
            except DiskFull as error:
                log.warning("still no space: %s", error)
                await self.clock.sleep(1.0)

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
        is_ending = after in (CrawlState.STOPPING, CrawlState.FINISHED)
        reasons = "" if is_ending else ", ".join(sorted(self.pause_reasons))
        self.bus.publish(CrawlStateChanged(after.name, reasons or self.reason))
        if after is CrawlState.FINISHED:
            self.bus.end()


_OPERABLE = frozenset({CrawlState.RUNNING, CrawlState.EMPTY, CrawlState.PAUSING, CrawlState.PAUSED})
"""Where there are open parts to do something with."""

_OPERATORS = frozenset({PAUSED_BY_OPERATOR, PAUSED_BY_MEMORY, PAUSED_BY_ERROR})
"""Reasons that do not pass by themselves."""

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
