"""One run of a job in the foreground: signals in, an outcome out.

SIGINT or SIGTERM once: finish what is in flight, save, end. Again: at once, and just as safe. The outcome is complete
when `run` returns: every file is closed, and what the archive and the frontier hold has been read back for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gossamer.config import CrawlConfig
from gossamer.control import CrawlController, ExitStatus, Progress, SeedOutcome, new_controller
from gossamer.errors import StateError
from gossamer.jobs.directory import JobDirectory
from gossamer.seeds import Seed
from gossamer.util.clock import Clock, SystemClock


@dataclass(frozen=True, slots=True)
class CrawlOutcome:
    """How a run ended."""

    folder: Path
    exit_status: ExitStatus
    reason: str
    """One sentence."""
    progress: Progress
    """The last look, taken just before everything was closed."""
    seeds: tuple[SeedOutcome, ...]
    archive_files: tuple[Path, ...]
    """WARC files of the job, oldest first."""
    seconds: float
    """Of this run, start to end."""
    was_finished: bool = False
    """The job had FINISHED before; nothing was done."""
    annotations: tuple[str, ...] = field(default=())

    @property
    def has_fetched_seed(self) -> bool:
        """Whether any seed was answered with a status below 400, in this run or before."""
        return any(seed.is_fetched for seed in self.seeds)


async def run_job(
    directory: JobDirectory,
    config: CrawlConfig,
    seeds: Sequence[Seed],
    *,
    on_controller: Callable[[CrawlController], None] = lambda controller: None,
    clock: Clock | None = None,
) -> CrawlOutcome:
    """Crawl the job in this process until it ends.

    `on_controller` is called once, before anything is opened, for whoever wants to watch (the bus, `look`).
    Raises ConfigError, JobInUse or StorageError if the crawl cannot even begin.
    """
    clock = clock or SystemClock()
    began = clock.monotonic()
    controller = new_controller(config, seeds, directory.paths(), clock)
    on_controller(controller)
    with _stopped_by_signals(controller):
        await controller.run()
    assert controller.final is not None and controller.exit_status is not None
    return CrawlOutcome(
        folder=directory.path,
        exit_status=controller.exit_status,
        reason=controller.reason,
        progress=controller.final.progress,
        seeds=controller.final.seeds,
        archive_files=tuple(directory.archive_files()),
        seconds=clock.monotonic() - began,
        was_finished=controller.final.was_finished,
    )


@contextlib.contextmanager
def _stopped_by_signals(controller: CrawlController) -> Iterator[None]:
    loop = asyncio.get_running_loop()

    def stop(name: str) -> None:
        with contextlib.suppress(StateError):  # FINISHED already: there is nothing left to stop
            controller.request_stop(ExitStatus.ABORTED, f"stopped by {name}")

    signals = (signal.SIGINT, signal.SIGTERM)
    for number in signals:
        loop.add_signal_handler(number, stop, number.name)
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)
