"""Session: one crawl from Python, in one event loop, from its folder to its outcome.

    run: prepare the folder -> run_job: open -> crawl -> close -> remove a temporary folder

`run` is one task that owns all of it: whoever ends it, however it is ended, finds everything closed. Questions and
orders may come from any thread; they are carried out in the loop, and answered when they were.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import logging
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from gossamer.api.gathering import Gathering
from gossamer.api.place import Place, new_temporary, prepare_lasting, prepare_temporary, remove_temporary
from gossamer.config import CrawlConfig
from gossamer.control import CrawlController, CrawlState, ExitStatus
from gossamer.errors import StateError
from gossamer.fetch.dns import Resolver
from gossamer.hooks import Recruits
from gossamer.jobs import CrawlJob, CrawlOutcome, Surface, run_job
from gossamer.model.events import HookFailed
from gossamer.util.tasks import blocking

log = logging.getLogger(__name__)

T = TypeVar("T")

LOOK_SECONDS = 0.5
"""A call whose loop was closed under it is never answered; so often that is looked for."""


class Session:
    """One crawl."""

    def __init__(
        self,
        config: CrawlConfig,
        gathering: Gathering,
        recruits: Recruits,
        new_surface: Callable[[CrawlConfig], Surface],
        *,
        resolver: Resolver | None = None,
        is_fresh: bool = False,
        on_controller: Callable[[CrawlController], None] = lambda controller: None,
    ) -> None:
        """`new_surface` makes what shows a crawl with a folder to its owner; `on_controller` is called in the loop."""
        # What the program is in may change while it crawls: os.chdir.
        self._config = config if config.folder is None else config.replace(folder=config.folder.absolute())
        self._gathering = gathering
        self._recruits = recruits
        self._new_surface = new_surface
        self._resolver = resolver
        self._is_fresh = is_fresh
        self._on_controller = on_controller
        self._is_stop_due = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread_id = 0
        self._surface: Surface | None = None
        self._outcome: CrawlOutcome | None = None
        self._error: Exception | None = None
        self._interrupt: KeyboardInterrupt | None = None
        self.controller: CrawlController | None = None
        self.job: CrawlJob | None = None
        self.has_opened = threading.Event()
        """It is open, or has come to its end."""
        self.has_ended = threading.Event()
        """It is over and everything closed."""

    def begin_task(self) -> asyncio.Task[None]:
        """Crawl in a task of the caller's loop."""
        task = asyncio.get_running_loop().create_task(self.run(), name="crawl")
        task.add_done_callback(self._note_end)  # one that is cancelled before its first step never runs
        return task

    async def run(self) -> None:
        """Crawl. Raises nothing but CancelledError: what came of it is in `result`."""
        self._loop = asyncio.get_running_loop()
        self._thread_id = threading.get_ident()
        try:
            await self._run()
        except Exception as error:
            self._error = error
        finally:
            self._note_end()

    def _note_end(self, task: asyncio.Task[None] | None = None) -> None:
        self.has_ended.set()
        self.has_opened.set()

    async def _run(self) -> None:
        config, seeds = self._config, self._gathering.seeds.values()
        if config.folder is not None:
            place = await blocking(prepare_lasting, config.folder, config, seeds, is_fresh=self._is_fresh)
            self._surface = self._new_surface(place.config)
            self._outcome = await self._crawl(place)
            _tell_if_nothing_was_done(self._outcome)
            return
        folder = new_temporary()
        try:
            self._outcome = await self._crawl(await blocking(prepare_temporary, folder, config, seeds))
        finally:
            await blocking(remove_temporary, folder)

    async def _crawl(self, place: Place) -> CrawlOutcome:
        return await run_job(
            place.directory,
            place.config,
            place.seeds,
            on_controller=self._attach,
            surface=self,
            resolver=self._resolver,
            recruits=self._recruits,
            noted=tuple(self._gathering.noted.values()),
            is_stopped_by_signals=False,
        )

    def _attach(self, controller: CrawlController) -> None:
        self.controller = controller
        controller.bus.subscribe(HookFailed, self._note_interrupt)
        self._on_controller(controller)

    def _note_interrupt(self, event: HookFailed) -> None:
        if isinstance(event.error, KeyboardInterrupt):
            self._interrupt = event.error

    def raise_interrupt(self) -> None:
        """Raise, once, the KeyboardInterrupt of a hook that ended the crawl."""
        interrupt, self._interrupt = self._interrupt, None
        if interrupt is not None:
            raise interrupt

    def result(self) -> CrawlOutcome:
        """How it ended. Raises what kept it from beginning, or what it died of."""
        if self._error is not None:
            raise self._error
        if self._outcome is None:
            raise StateError(_cancelled(self._config) if self.has_ended.is_set() else "the crawl has not ended yet")
        return self._outcome

    # ---- jobs.Surface: the job is open

    def open(self, job: CrawlJob) -> None:
        self.job = job
        if self._is_stop_due and self.controller is not None:
            self._stop(self.controller)
        if self._surface is not None:
            self._surface.open(job)
        self.has_opened.set()

    async def close(self) -> None:
        if self._surface is not None:
            await self._surface.close()

    # ---- from any thread

    @property
    def is_inside(self) -> bool:
        """Whether the caller is in the crawl's own loop, or in a hook's thread: nobody there may wait for the crawl."""
        crew = self.controller.crew if self.controller is not None else None
        return threading.get_ident() == self._thread_id or (crew is not None and crew.owns_current_thread())

    def stop(self) -> None:
        """Ask it to end after what is in flight; a second time: at once."""
        if self.controller is None:
            self._is_stop_due = True
        controller = self.controller  # again: it may have come in between
        if controller is not None:
            with contextlib.suppress(StateError):  # it has ended meanwhile
                self.call(lambda: self._stop(controller))

    def _stop(self, controller: CrawlController) -> None:
        if controller.state is CrawlState.NASCENT:
            self._is_stop_due = True  # as soon as it is open: the caller is owed an outcome
            return
        with contextlib.suppress(StateError):  # FINISHED: there is nothing left to stop
            controller.request_stop(ExitStatus.ABORTED, "shut down")

    def call(self, function: Callable[[], T]) -> T:
        """Call `function` in the loop, and return what it returns or raise what it raises. StateError if it ended."""
        if threading.get_ident() == self._thread_id:
            return function()
        answer: concurrent.futures.Future[T] = concurrent.futures.Future()
        loop = self._loop
        if loop is None:
            raise StateError("the crawl has not begun yet")
        try:
            loop.call_soon_threadsafe(_answer, answer, function)
        except RuntimeError:
            raise _over() from None
        while not answer.done():
            concurrent.futures.wait([answer], LOOK_SECONDS)
            if not answer.done() and loop.is_closed():
                raise _over()
        return answer.result()


def _answer(answer: concurrent.futures.Future[Any], function: Callable[[], Any]) -> None:
    try:
        answer.set_result(function())
    except BaseException as error:
        answer.set_exception(error)


LIMITS = {
    ExitStatus.DOCUMENT_LIMIT: "limits.max_pages",
    ExitStatus.TIME_LIMIT: "limits.max_time",
    ExitStatus.BYTE_LIMIT: "limits.max_bytes",
}


def _tell_if_nothing_was_done(outcome: CrawlOutcome) -> None:
    """A program that is run again expects pages; limits are totals of the job, over all its runs."""
    if outcome.was_finished:
        log.warning("%s has finished before; nothing was done; fresh=True starts over", outcome.folder)
    elif outcome.exit_status in LIMITS and not outcome.progress.statistics.pages:
        limit = LIMITS[outcome.exit_status]
        log.warning(
            "%s had reached %s before; no page was fetched; a higher one goes on, fresh=True starts over",
            outcome.folder,
            limit,
        )


def _cancelled(config: CrawlConfig) -> str:
    return "the crawl was cancelled" + ("; the next one in its folder goes on where it was" if config.folder else "")


def _over() -> StateError:
    return StateError("the crawl has ended")
