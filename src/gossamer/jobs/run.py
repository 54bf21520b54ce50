"""One run of a job in the foreground: signals in, an outcome out.

SIGINT or SIGTERM once: finish what is in flight, save, end. Again: at once, and just as safe. The outcome is complete
when `run_job` returns: every file is closed, and what the archive and the frontier hold has been read back for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from gossamer.config import CrawlConfig, with_named
from gossamer.control import CrawlController, ExitStatus, Noted
from gossamer.errors import StateError
from gossamer.fetch.dns import Resolver
from gossamer.hooks import Recruits
from gossamer.jobs.directory import JobDirectory
from gossamer.jobs.job import CrawlJob
from gossamer.jobs.outcome import CrawlOutcome
from gossamer.seeds import Seed
from gossamer.util.clock import Clock

FOREGROUND_SCHEDULE = (5.0, 15.0)
"""A host that never answered gets three tries within 30 s: somebody is sitting there waiting."""


class Surface(Protocol):
    """What shows a running job to its owner and takes orders: the control API."""

    def open(self, job: CrawlJob) -> None:
        """The job is launched, its folder locked and its crawl open. Must not raise, nor hold up the loop."""

    async def close(self) -> None:
        """The crawl has ended. Idempotent, also without `open`."""


async def run_job(
    directory: JobDirectory,
    config: CrawlConfig,
    seeds: Sequence[Seed],
    *,
    checkpoint: str | None = None,
    on_controller: Callable[[CrawlController], None] = lambda controller: None,
    surface: Surface | None = None,
    clock: Clock | None = None,
    resolver: Resolver | None = None,
    recruits: Recruits | None = None,
    noted: Sequence[Noted] = (),
    is_stopped_by_signals: bool = True,
) -> CrawlOutcome:
    """Crawl the job in this process until it ends, from the checkpoint of that name if one is given.

    `on_controller` is called once, before anything is opened, for whoever wants to watch (the bus, `look`); `surface`
    is open while the crawl is. `resolver`, `recruits` and `noted` are those of `new_controller`. Signals can be heard
    in the main thread only. Raises ConfigError, JobInUse or StorageError if the crawl cannot even begin.
    """
    job = CrawlJob(directory, clock=clock)
    with contextlib.ExitStack() as signals:

        def begin(controller: CrawlController) -> None:
            if is_stopped_by_signals:
                signals.enter_context(_stopped_by_signals(controller))
            on_controller(controller)

        await job.launch(
            config,
            seeds,
            checkpoint=checkpoint,
            on_controller=begin,
            resolver=resolver,
            recruits=recruits,
            noted=noted,
        )
        try:
            if surface is not None:
                surface.open(job)
            return await job.wait()
        except asyncio.CancelledError:
            await job.cancel()
            raise
        finally:
            if surface is not None:
                await surface.close()


def for_foreground(config: CrawlConfig) -> CrawlConfig:
    """The configuration for a run that somebody waits for."""
    if config.politeness.first_contact_schedule is not None:
        return config
    return with_named(config, {"politeness.first_contact_schedule": FOREGROUND_SCHEDULE})


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
