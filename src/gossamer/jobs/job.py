"""CrawlJob: one job folder and its commands: validate, launch, pause, resume, checkpoint, terminate, teardown.

A launch is one run of the crawl, known by its launch id; the job keeps what it runs until it is torn down, and may
then be launched again. What happens is told in logs/job.log, how each launch ended in reports/launches.jsonl.

Teardown asks a running crawl to stop and waits a little. If the crawl takes longer, its end completes the teardown.
Whichever comes first, it is done exactly once.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence

from gossamer.config import CrawlConfig
from gossamer.control import Checkpoint, CrawlController, ExitStatus, Noted, new_controller, restore
from gossamer.control.suffixes import suffixes_of
from gossamer.errors import ConfigError, GossamerError, JobInUse, StateError, StorageError
from gossamer.fetch.dns import Resolver
from gossamer.hooks import Recruits
from gossamer.jobs.directory import JobDirectory
from gossamer.jobs.history import History, LaunchRecord, Line
from gossamer.jobs.joblog import JobLog
from gossamer.jobs.outcome import CrawlOutcome, outcome_of
from gossamer.model.events import CrawlStateChanged
from gossamer.scope import build_scope
from gossamer.seeds import Seed
from gossamer.url import parse
from gossamer.util.clock import Clock, SystemClock
from gossamer.util.tasks import blocking, cancel_and_wait
from gossamer.util.terminal import text_of

log = logging.getLogger(__name__)

TEARDOWN_SECONDS = 3.0
"""How long a teardown waits for the crawl to stop; Heritrix's time."""

OnController = Callable[[CrawlController], None]


class Launch:
    """One run: its controller, and the task in which it runs."""

    def __init__(self, launch_id: str, controller: CrawlController, checkpoint: str, began: float) -> None:
        self.id = launch_id
        self.controller = controller
        self.checkpoint = checkpoint
        self.began = began
        """Monotonic."""
        self.is_open = asyncio.Event()
        """The folder is ours and the crawl is open, or it has come to its end."""
        self.is_begun = False
        """It stands in the history."""
        self.is_torn_down = False
        self.task: asyncio.Task[CrawlOutcome]


class CrawlJob:
    """One job. Used from one event loop."""

    def __init__(
        self, directory: JobDirectory, *, clock: Clock | None = None, teardown_seconds: float = TEARDOWN_SECONDS
    ) -> None:
        self.directory = directory
        self._clock = clock or SystemClock()
        self._teardown_seconds = teardown_seconds
        self._log = JobLog(directory.job_log)
        self._history = History(directory.reports)
        self._launch: Launch | None = None
        self._last_id = ""

    # ---- what it is

    @property
    def controller(self) -> CrawlController | None:
        """Of the present launch, also when that has ended; None before a launch and after teardown."""
        return None if self._launch is None else self._launch.controller

    @property
    def launch_id(self) -> str | None:
        return None if self._launch is None else self._launch.id

    @property
    def is_running(self) -> bool:
        return self._launch is not None and not self._launch.task.done()

    def launches(self) -> list[LaunchRecord]:
        """Every launch of this folder, by whatever process, oldest first. Raises StorageError."""
        return self._history.launches()

    def validate(self) -> tuple[CrawlConfig, tuple[Seed, ...]]:
        """Read settings and seeds as a launch would. Raises ConfigError for what would keep it from beginning."""
        self.directory.open()
        config = self.directory.settings().replace(folder=self.directory.path)
        seeds = tuple(one for one in self.directory.seeds() if isinstance(one, Seed))
        if not seeds:
            raise ConfigError(f"there is no seed in {self.directory.seeds_file}; write one URL a line")
        suffixes = suffixes_of(config.scope.public_suffixes, self.directory.path)
        build_scope(config.scope, [parse(seed.url) for seed in seeds], suffixes)
        return config, seeds

    # ---- commands

    async def launch(
        self,
        config: CrawlConfig | None = None,
        seeds: Sequence[Seed] | None = None,
        *,
        checkpoint: str | None = None,
        on_controller: OnController = lambda controller: None,
        resolver: Resolver | None = None,
        recruits: Recruits | None = None,
        noted: Sequence[Noted] = (),
    ) -> str:
        """Begin a run, and return its id when the crawl is open; without settings and seeds with those in the folder.

        With `checkpoint` (a name, or `latest`) the store goes back to it first. `on_controller` is called before
        anything is opened. `resolver`, `recruits` and `noted` are those of `new_controller`. Raises StateError if the
        job runs, and what keeps the crawl from opening: ConfigError, JobInUse, StorageError.
        """
        if self.is_running:
            raise StateError(f"{self.directory.path} is running already", allowed=["teardown"])
        if config is None or seeds is None:
            config, seeds = self.validate()
        self._tear_down(self._launch)
        launch_id = self._new_id()
        if checkpoint is not None:
            checkpoint = await self._go_back(launch_id, checkpoint)
        controller = new_controller(
            config,
            seeds,
            self.directory.paths(),
            self._clock,
            record=self.directory,
            resolver=resolver,
            recruits=recruits,
            noted=noted,
        )
        launch = Launch(launch_id, controller, checkpoint or "", self._clock.monotonic())
        controller.bus.subscribe(CrawlStateChanged, lambda event: self._on_state(launch, event))
        on_controller(controller)
        self._launch = launch
        launch.task = asyncio.create_task(self._run(launch), name=f"launch {launch_id}")
        try:
            await launch.is_open.wait()
        except asyncio.CancelledError:
            await cancel_and_wait(launch.task)
            raise
        if launch.task.done() and launch.controller.final is None:
            self._launch = None
            await launch.task  # raises what kept it from opening
        return launch_id

    def pause(self) -> None:
        """Raises StateError, as all commands do when the job does not run or the state forbids it."""
        self._command("pause", lambda controller: controller.request_pause())

    def resume(self) -> None:
        self._command("resume", lambda controller: controller.request_resume())

    def terminate(self, reason: str = "") -> None:
        """Stop it, finishing what is in flight; a second time cancel that, too."""
        self._command("terminate", lambda controller: controller.request_stop(ExitStatus.ABORTED, reason), reason)

    async def checkpoint(self, name: str | None = None) -> Checkpoint:
        """Take a checkpoint. Raises StateError, ConfigError, StorageError."""
        launch = self._running("checkpoint")
        self._write(launch.id, "command", f"checkpoint {name or ''}")
        try:
            taken = await launch.controller.request_checkpoint(name)
        except GossamerError as error:
            self._write(launch.id, "refused", f"checkpoint: {error}")
            raise
        self._write(launch.id, "checkpoint", f"{taken.name}, the crawl stood still for {taken.stall_seconds:.3f} s")
        return taken

    async def wait(self) -> CrawlOutcome:
        """Wait for the present launch to end. Raises StateError if there is none, and what the crawl died of."""
        if self._launch is None:
            raise StateError(f"{self.directory.path} is not running", allowed=["launch"])
        return await asyncio.shield(self._launch.task)

    async def cancel(self) -> None:
        """Cut the present launch off where it stands, as safe as a kill, and wait until everything is closed."""
        if self._launch is not None:
            await cancel_and_wait(self._launch.task)

    async def teardown(self) -> bool:
        """End the present launch, if there is one, and be ready for the next; whether that is so already.

        False: the crawl is still finishing what it holds; its end completes the teardown.
        """
        launch = self._launch
        if launch is None:
            return True
        self._write(launch.id, "command", "teardown")
        launch.is_torn_down = True
        if not launch.task.done():
            try:
                launch.controller.request_stop(ExitStatus.ABORTED, "torn down")
            except StateError as error:
                log.info("not now: %s", error)
            await asyncio.wait([launch.task], timeout=self._teardown_seconds)
        if launch.task.done():
            self._tear_down(launch)
        return self._launch is not launch

    # ---- the run

    async def _go_back(self, launch_id: str, checkpoint: str) -> str:
        """Have the store as it was at a checkpoint; its name. Raises ConfigError, StorageError."""
        restored = await blocking(restore, self.directory.paths(), checkpoint, self._clock.wall())
        name = restored.manifest.name
        for problem in restored.refused:
            log.warning("%s", problem)
        self._write(launch_id, "restored", f"{name} (before: {restored.moved or 'nothing'})")
        return name

    async def _run(self, launch: Launch) -> CrawlOutcome:
        controller = launch.controller
        try:
            await controller.run()
            outcome = outcome_of(self.directory, controller, launch.id, self._clock.monotonic() - launch.began)
            self._write(launch.id, "ended", f"{outcome.exit_status.name} {outcome.reason}")
        except JobInUse:
            raise
        except BaseException as error:
            self._write(launch.id, "failed", f"{type(error).__name__}: {text_of(error)}")
            raise
        finally:
            self._note_end(launch)
            launch.is_open.set()
            if launch.is_torn_down:
                self._tear_down(launch)
        return outcome

    def _tear_down(self, launch: Launch | None) -> None:
        """Let go of a launch; does nothing if that was done."""
        if launch is not None and self._launch is launch:
            self._launch = None
            self._write(launch.id, "torn-down", "")

    def _on_state(self, launch: Launch, event: CrawlStateChanged) -> None:
        if event.state == "PREPARING":
            return  # Whether the folder is ours is not known yet.
        has_opened = launch.controller.crawl is not None or launch.controller.final is not None
        if has_opened and not launch.is_begun:
            launch.is_begun = True
            self._append(Line(launch=launch.id, event="begun", at=self._clock.wall(), checkpoint=launch.checkpoint))
            self._write(launch.id, "launched", "")
            launch.is_open.set()
        if launch.is_begun:
            self._write(launch.id, "state", f"{event.state} {event.reason}")

    def _note_end(self, launch: Launch) -> None:
        if not launch.is_begun:
            return
        controller = launch.controller
        counts = controller.final.progress.counts if controller.final is not None else None
        self._append(
            Line(
                launch=launch.id,
                event="ended",
                at=self._clock.wall(),
                exit_status=controller.exit_status.name if controller.exit_status else "FAILED",
                reason=controller.reason,
                pages=counts.pages if counts else 0,
                queued=counts.queued if counts else 0,
            )
        )

    # ---- helpers

    def _running(self, doing: str) -> Launch:
        if self._launch is None or self._launch.task.done():
            raise StateError(f"one cannot {doing}: {self.directory.path} is not running", allowed=["launch"])
        return self._launch

    def _command(self, name: str, request: Callable[[CrawlController], None], reason: str = "") -> None:
        launch = self._running(name)
        self._write(launch.id, "command", f"{name} {reason}")
        try:
            request(launch.controller)
        except StateError as error:
            self._write(launch.id, "refused", f"{name}: {error}")
            raise

    def _new_id(self) -> str:
        """The time, or the next second that no launch has: ids rise."""
        known = [record.launch for record in self._history.launches()]
        last = max([*known, self._last_id])
        moment = self._clock.wall()
        while (launch_id := time.strftime("%Y%m%d%H%M%S", time.gmtime(moment))) in known or launch_id == last:
            moment += 1.0
        self._last_id = launch_id
        return launch_id

    def _write(self, launch_id: str, kind: str, text: str) -> None:
        self._log.write(self._clock.wall(), launch_id, kind, text)

    def _append(self, line: Line) -> None:
        try:
            self._history.append(line)
        except StorageError as error:
            log.warning("%s", error)
