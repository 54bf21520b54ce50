"""One job, crawled in the foreground under a view of its progress.

The view is shown a glance at intervals of its own and at each change of state. A view that cannot be written any more
ends; the crawl goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Protocol

from gossamer.cli.glance import Glance, glance_at
from gossamer.cli.loop import run_in_loop
from gossamer.cli.preparing import Prepared
from gossamer.control import CrawlController, look
from gossamer.jobs import CrawlOutcome, run_job
from gossamer.model.events import CrawlStateChanged
from gossamer.web import ControlDoor

log = logging.getLogger(__name__)

MAX_LISTED = 500
"""Hosts up to which the resting ones are named; of more only their number is told, since all rows would be read."""


class View(Protocol):
    """Where progress is shown."""

    @property
    def refresh_seconds(self) -> float:
        """Time from one glance to the next."""

    def start(self) -> None: ...

    def show(self, glance: Glance) -> None: ...

    def announce(self, text: str, glance: Glance | None) -> None:
        """The crawl entered a state; `glance` is None while nothing is open."""

    def close(self) -> None: ...


def run_in_foreground(prepared: Prepared, view: View, checkpoint: str | None = None) -> CrawlOutcome:
    """Crawl the job until it ends; the view is closed when this returns. Raises what `run_job` raises."""
    view.start()
    try:
        return run_in_loop(_crawl(prepared, view, checkpoint))
    finally:
        with contextlib.suppress(OSError):  # the terminal is gone, and nothing is left to be given back
            view.close()


async def _crawl(prepared: Prepared, view: View, checkpoint: str | None) -> CrawlOutcome:
    watcher = Watcher(view, prepared.directory.path.name, prepared.config.limits.max_pages)
    try:
        return await run_job(
            prepared.directory,
            prepared.config,
            prepared.seeds,
            checkpoint=checkpoint,
            on_controller=watcher.attach,
            surface=ControlDoor(metrics=prepared.config.metrics),
        )
    finally:
        await watcher.close()


class Watcher:
    """Looks at a controller on behalf of a view."""

    def __init__(self, view: View, name: str, max_pages: int | None) -> None:
        self._view = view
        self._name = name
        self._max_pages = max_pages
        self._task: asyncio.Task[None] | None = None

    def attach(self, controller: CrawlController) -> None:
        """Begin to watch; called once, in the controller's loop."""
        controller.bus.subscribe(CrawlStateChanged, lambda event: self._announce(controller, event))
        self._task = asyncio.create_task(self._show_on(controller), name="progress")

    async def close(self) -> None:
        """Stop watching."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _show_on(self, controller: CrawlController) -> None:
        try:
            while True:
                await asyncio.sleep(self._view.refresh_seconds)
                glance = self._glance(controller)
                if glance is not None:
                    self._view.show(glance)
        except OSError as error:
            log.info("progress cannot be shown any more: %s", error)

    def _announce(self, controller: CrawlController, event: CrawlStateChanged) -> None:
        # At the end the report says why, and knows more.
        reason = f": {event.reason}" if event.reason and event.state != "FINISHED" else ""
        try:
            self._view.announce(f"{event.state}{reason}", self._glance(controller))
        except OSError as error:
            log.info("progress cannot be shown any more: %s", error)

    def _glance(self, controller: CrawlController) -> Glance | None:
        progress, crawl = look(controller), controller.crawl
        if progress is None or crawl is None:
            return None
        counts = progress.counts
        is_listed = counts.snoozed_queues > 0 and counts.queues <= MAX_LISTED
        resting = crawl.frontier.queues() if is_listed else ()
        return glance_at(progress, self._name, self._max_pages, resting, controller.clock.wall())
