"""CrawlController: the crawl that a program commands, from any thread, with or without an event loop of its own.

    controller = CrawlController(config)      nothing happens yet
    controller.add_seed(url)                  checked at once
    controller.start(MyCrawler, toes=10)      crawls, and returns when everything is closed

`start` runs the crawl in an event loop of its own, in a thread of its own. Inside `async with`, or with `await
controller.run(MyCrawler)`, it runs in the caller's loop. A controller crawls once. It does nothing by itself: a crawl
from Python is a CrawlJob like one from the command line.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, Unpack, overload

from gossamer.api.docids import DocIds
from gossamer.api.gathering import Gathering, SeedsSource, noted_of, seed_of, seeds_of
from gossamer.api.loopthread import LoopThread
from gossamer.api.session import Session
from gossamer.config import CrawlConfig, Settings
from gossamer.control import CrawlController as Commanded
from gossamer.control import CrawlState, Progress, look
from gossamer.errors import StateError
from gossamer.fetch.dns import Resolver
from gossamer.frontier import FrontierCounts
from gossamer.hooks import CrawlerSource, Recruits
from gossamer.jobs import CrawlOutcome
from gossamer.seeds import Seed
from gossamer.url import parse
from gossamer.util.tasks import cancel_and_wait
from gossamer.web import ControlDoor

E = TypeVar("E")

BATCH = 500
"""Seeds that are queued in one go while the crawl runs."""

Subscription = tuple[type[Any], Callable[[Any], None]]


class CrawlController:
    """One crawl: `CrawlController(folder="crawl", max_depth=3)`, `add_seed(url)`, `start(MyCrawler, toes=10)`.

    `start` blocks until everything is closed and returns how it ended; with `blocking=False` it returns at once, and
    `wait`, `pause`, `resume`, `shutdown` command the crawl, from any thread. In an event loop of one's own: `await
    controller.run(MyCrawler)`. `counts`, `progress`, `state`, `outcome`, `local_data` tell of it. Without a folder the
    crawl keeps nothing; with one it writes WARC files, and the same program started again goes on.
    """

    def __init__(
        self,
        config: CrawlConfig | None = None,
        /,
        *,
        fresh: bool = False,
        resolver: Resolver | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        """Settings may be given flat instead of a CrawlConfig, or beside one: `CrawlController(max_pages=100)`.

        A folder that was crawled in before is gone on with; `fresh` moves what there is aside. `resolver` is asked for
        addresses instead of the DNS; it is not closed. Raises ConfigError.
        """
        if config is not None and not isinstance(config, CrawlConfig):
            raise TypeError(f"a controller takes a CrawlConfig, not {config!r}")
        config = config or CrawlConfig()
        self.config = config.replace(**settings) if settings else config
        self._is_fresh = fresh
        self._resolver = resolver
        self._gathering = Gathering()
        self._subscriptions: list[Subscription] = []
        # Absolute, since the program may change its working directory before it asks.
        self._docids = None if self.config.folder is None else DocIds(self.config.folder.absolute())
        self._session: Session | None = None
        self._thread: LoopThread | None = None
        self.task: asyncio.Task[None] | None = None
        """In which the crawl runs, if it runs in the caller's loop."""
        self._is_in_callers_loop = False
        self._is_shut_down = False

    # ---- what to crawl

    def add_seed(self, url: str, docid: int | None = None, *, priority: int | None = None) -> None:
        """Add a URL to begin at, before the crawl or while it runs; one that is known is left out.

        `priority`: when its turn comes among the URLs of its host, 0 first, 255 last; None = 96, in front of what is
        found. Raises ConfigError for what is no URL, ValueError for a doc id that does not rise above those given so
        far and for what is no priority.
        """
        self._add([seed_of(url, docid, priority)])

    def add_seeds(self, seeds: SeedsSource) -> None:
        """Add the seeds of a file (one URL a line, `#` begins a comment) or of a list. Raises ConfigError for bad ones,
        all told at once and none added.
        """
        self._add(seeds_of(seeds))

    def note_seen(self, url: str, docid: int | None = None) -> int | None:
        """Have a URL count as known, so that it is never fetched; its doc id, None before the crawl begins.

        Raises as `add_seed`.
        """
        noted = noted_of(url, docid)
        if (session := self._unended("note a URL")) is not None:
            return session.call(lambda: _controller(session).note_seen(noted))
        self._gathering.note_seen(noted)
        return None

    def _add(self, seeds: list[Seed]) -> None:
        session = self._unended("add seeds")
        for start in range(0, len(seeds), BATCH):
            batch = seeds[start : start + BATCH]
            if session is not None:
                session.call(lambda batch=batch: _controller(session).add_seeds(batch))  # type: ignore[misc]
            else:
                for seed in batch:
                    self._gathering.add_seed(seed)

    # ---- the crawl

    @overload
    def start(
        self, crawler: CrawlerSource, toes: int | None = None, blocking: Literal[True] = True
    ) -> CrawlOutcome: ...

    @overload
    def start(self, crawler: CrawlerSource, toes: int | None = None, *, blocking: Literal[False]) -> None: ...

    @overload
    def start(self, crawler: CrawlerSource, toes: int | None, blocking: Literal[False]) -> None: ...

    @overload
    def start(self, crawler: CrawlerSource, toes: int | None = None, blocking: bool = True) -> CrawlOutcome | None: ...

    def start(self, crawler: CrawlerSource, toes: int | None = None, blocking: bool = True) -> CrawlOutcome | None:
        """Crawl with a crawler at each of `toes` toes (None: as configured): a WebCrawler class, a factory, or one
        instance for all of them.

        Returns when everything is closed, how it ended; not `blocking`: None, as soon as the crawl is open. Ctrl-C ends
        the crawl after what is in flight, a second one at once; KeyboardInterrupt is raised then, as it is if a hook
        raised it. Raises what keeps the crawl from beginning: ConfigError, JobInUse, StorageError, ValueError (a doc
        id), TypeError (a hook that cannot be called), what a crawler's constructor raises; StateError if it was started
        or shut down before.
        """
        if self._is_in_callers_loop and blocking:
            raise StateError(
                "inside `async with` nothing may block: await controller.run(…), or start(…, blocking=False)"
            )
        session = self._begin(crawler, toes)
        if self._is_in_callers_loop:
            self.task = session.begin_task()
            return None
        self._thread = LoopThread(session.run, session.stop)
        self._thread.start()
        if blocking:
            self.wait()
            return session.result()
        self._wait_opened(session, self._thread)
        return None

    async def run(self, crawler: CrawlerSource, toes: int | None = None) -> CrawlOutcome:
        """Like `start`, but in the caller's event loop: awaited, it gives how the crawl ended.

        Cancelled, it ends the crawl where it stands and closes everything. Raises as `start`.
        """
        session = self._begin(crawler, toes)
        self.task = session.begin_task()
        return await self.finished()

    async def finished(self) -> CrawlOutcome:
        """Wait, in the caller's loop, for a crawl that runs there; how it ended. Raises what the crawl died of."""
        session = self._begun("wait")
        if self.task is None:
            raise StateError("the crawl runs in a thread of its own: use wait()")
        try:
            await asyncio.shield(self.task)
        except asyncio.CancelledError:
            await cancel_and_wait(self.task)
            raise
        session.raise_interrupt()
        return session.result()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the crawl has ended and everything is closed, at most `timeout` seconds; whether that is so.

        Ctrl-C is taken as by `start`. Raises what the crawl died of, and StateError if it was not started or if it
        would wait for itself.
        """
        session = self._begun("wait")
        if session.is_inside and not session.has_ended.is_set():
            raise StateError("a crawl cannot be waited for from inside; its hooks must return for it to end")
        has_ended = session.has_ended.wait(timeout) if self._thread is None else self._thread.wait(timeout)
        if has_ended:
            session.raise_interrupt()
            session.result()
        return has_ended

    def pause(self) -> None:
        """Take no new URLs; PAUSED when nothing is in flight. Raises StateError if the crawl does not run."""
        session = self._open("pause")
        session.call(lambda: session.job.pause() if session.job else None)

    def resume(self) -> None:
        """Go on after a pause. Raises StateError if it is not paused."""
        session = self._open("resume")
        session.call(lambda: session.job.resume() if session.job else None)

    def set_toes(self, count: int) -> None:
        """Have so many toes from now on; those too many end after the URL they hold. Raises StateError, ConfigError."""
        self.change_settings({"toes": count})

    def change_settings(self, changes: Mapping[str, Any]) -> None:
        """Change what may be changed while the crawl runs, by name: `{"delay": 2.0, "limits.max_pages": 5000}`.

        Raises ConfigError for bad values and for settings that cannot be changed now, StateError.
        """
        session = self._open("change settings")
        self.config = session.call(lambda: _controller(session).change_settings(changes))

    def shutdown(self) -> None:
        """End the crawl after what is in flight; called again: at once. Returns at once; `wait` waits for the end."""
        self._is_shut_down = True
        if self._session is not None:
            self._session.stop()

    def close(self) -> None:
        """Shut down, and wait until everything is closed; from inside, in a hook, without waiting. Idempotent; raises
        nothing that the crawl died of.
        """
        self.shutdown()
        if self._docids is not None:
            self._docids.close()
        if self._thread is not None and self._session is not None and not self._session.is_inside:
            self._thread.wait()

    # ---- questions

    @property
    def state(self) -> str:
        """Name of the state the crawl is in: NASCENT before it is started, RUNNING, PAUSED, … FINISHED."""
        session = self._session
        if session is None:
            return CrawlState.FINISHED.name if self._is_shut_down else CrawlState.NASCENT.name
        if session.has_ended.is_set():
            return CrawlState.FINISHED.name
        return session.controller.state.name if session.controller is not None else CrawlState.NASCENT.name

    @property
    def is_finished(self) -> bool:
        """Whether it was started, has ended, and everything is closed."""
        return self._session is not None and self._session.has_ended.is_set()

    @property
    def outcome(self) -> CrawlOutcome | None:
        """How it ended; None before. Raises what it died of."""
        return self._session.result() if self._session is not None and self.is_finished else None

    @property
    def progress(self) -> Progress | None:
        """One look at the running crawl: rates, statuses, toes; the last one after the end; None before the start."""
        session = self._session
        if session is None:
            return None
        try:
            return session.call(lambda: _progress(session.controller))
        except StateError:  # the loop is closed, or not there yet
            return _progress(session.controller)

    @property
    def counts(self) -> FrontierCounts:
        """Exact numbers of the URLs found, queued, done, over all runs in the folder; zeros before the start."""
        progress = self.progress
        return FrontierCounts() if progress is None else progress.counts

    @property
    def local_data(self) -> list[Any]:
        """What every crawler has as `local_data`, in the order of their ids; during the crawl and after it."""
        controller = self._session.controller if self._session is not None else None
        return [] if controller is None or controller.crew is None else controller.crew.local_data

    def docid_of(self, url: str) -> int | None:
        """The doc id of a URL; None if the crawl does not know it.

        Before the crawl and after it the folder is read, at the first time for some 0.1 s. Raises StateError then if
        there is none, InvalidUrl.
        """
        href = parse(url).href
        try:
            session = self._open("ask for a doc id")
            return session.call(lambda: _controller(session).docid_of(href))
        except StateError as error:
            if self._docids is None:
                remedy = "what was found is kept in a folder only: CrawlController(folder=…)"
                raise StateError(f"{error}; {remedy}") from None
        return None if self._is_fresh and self._session is None else self._docids.docid_of(href)

    def subscribe(self, event: type[E], subscriber: Callable[[E], None]) -> Callable[[], None]:
        """Have `subscriber` called for each event (UriFinished, CrawlStateChanged, HookFailed), in a thread of its own;
        returns what ends that.

        It may block: then UriFinished events that come while 10,000 wait for it are dropped, and the crawl goes on.
        """
        if not isinstance(event, type) or not callable(subscriber):
            raise TypeError(f"subscribe takes a kind of event and a function, not {event!r} and {subscriber!r}")
        if (session := self._unended("subscribe")) is not None:
            return _once_ended(session, session.call(lambda: _controller(session).deliver(event, subscriber)))
        subscription: Subscription = (event, subscriber)
        self._subscriptions.append(subscription)

        def unsubscribe() -> None:
            if subscription in self._subscriptions:
                self._subscriptions.remove(subscription)

        return unsubscribe

    # ---- as a context manager: what is left running is shut down

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        self._is_in_callers_loop = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        if self.task is None:
            return
        if isinstance(error, asyncio.CancelledError):
            await cancel_and_wait(self.task)
            return
        try:
            await asyncio.wait({self.task})
        except asyncio.CancelledError:
            await cancel_and_wait(self.task)
            raise

    # ---- helpers

    def _begin(self, crawler: CrawlerSource, toes: int | None) -> Session:
        if self._session is not None:
            raise StateError("this controller was started before; make another one for another crawl")
        if self._is_shut_down:
            raise StateError("this controller was shut down; make another one")
        config = self.config if toes is None else self.config.replace(toes=toes)
        recruits = Recruits(crawler, self)
        recruits.make(range(1, config.toes + 1))
        self._session = Session(
            config,
            self._gathering,
            recruits,
            lambda config: ControlDoor(metrics=config.metrics),
            resolver=self._resolver,
            is_fresh=self._is_fresh,
            on_controller=self._attach,
        )
        return self._session

    def _attach(self, controller: Commanded) -> None:
        for event, subscriber in self._subscriptions:
            controller.deliver(event, subscriber)

    def _wait_opened(self, session: Session, thread: LoopThread) -> None:
        try:
            session.has_opened.wait()
        except KeyboardInterrupt:
            session.stop()
            thread.wait()
            raise
        if session.has_ended.is_set():
            thread.wait()
            session.result()

    def _begun(self, doing: str) -> Session:
        if self._session is None:
            raise StateError(f"one cannot {doing}: the crawl was not started", allowed=["start"])
        return self._session

    def _open(self, doing: str) -> Session:
        session = self._begun(doing)
        if session.has_ended.is_set() or not session.has_opened.is_set():
            raise StateError(f"one cannot {doing}: the crawl {'has ended' if self.is_finished else 'is not open yet'}")
        return session

    def _unended(self, doing: str) -> Session | None:
        """The session of a crawl that is open; None before it is started. Raises StateError if it is over."""
        if self._session is None and not self._is_shut_down:
            return None
        if self._session is None:
            raise StateError(f"one cannot {doing}: this controller was shut down")
        return self._open(doing)


def _controller(session: Session) -> Commanded:
    assert session.controller is not None
    return session.controller


def _once_ended(session: Session, unsubscribe: Callable[[], None]) -> Callable[[], None]:
    """What ends a subscription, and does nothing when the crawl is over."""

    def end() -> None:
        with contextlib.suppress(StateError):
            session.call(unsubscribe)

    return end


def _progress(controller: Commanded | None) -> Progress | None:
    if controller is None:
        return None
    return controller.final.progress if controller.final is not None else look(controller)
