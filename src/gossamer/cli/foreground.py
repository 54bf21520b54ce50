"""One job, crawled in the foreground under a view of its progress.

The view is shown a glance at intervals of its own and at each change of state, on a thread of its own: a terminal may
be stopped (Ctrl-S) for as long as somebody reads it. Glances are left out then, changes of state come late. A view that
cannot be written any more ends; the crawl goes on in either case.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Protocol

from gossamer.cli.glance import Glance, glance_at
from gossamer.cli.preparing import Prepared
from gossamer.control import CrawlController, ExitStatus, look
from gossamer.jobs import CrawlOutcome, run_job
from gossamer.model.events import CrawlStateChanged
from gossamer.util.delivery import Delivery
from gossamer.util.loop import run_in_loop
from gossamer.util.tasks import blocking
from gossamer.web import ControlDoor

log = logging.getLogger(__name__)

MAX_LISTED = 500
"""Hosts up to which the resting ones are named; of more only their number is told, since all rows would be read."""

PATIENCE_SECONDS = 3.0
"""So long a stopped terminal may hold up the end, when everything is closed."""


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
        self._showing = Delivery(self._show, "progress")
        self._is_lost = False

    def attach(self, controller: CrawlController) -> None:
        """Begin to watch; called once, in the controller's loop."""
        controller.bus.subscribe(CrawlStateChanged, lambda event: self._announce(controller, event))
        self._task = asyncio.create_task(self._show_on(controller), name="progress")

    async def close(self) -> None:
        """Stop watching."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._showing.end()
        await blocking(self._showing.wait_done, PATIENCE_SECONDS, time.monotonic() + PATIENCE_SECONDS)

    async def _show_on(self, controller: CrawlController) -> None:
        while not self._is_lost:
            await asyncio.sleep(self._view.refresh_seconds)
            glance = self._glance(controller) if self._showing.is_idle else None
            if glance is not None:
                self._showing.put(partial(self._view.show, glance))

    def _announce(self, controller: CrawlController, event: CrawlStateChanged) -> None:
        # At the end the report says why, and knows more.
        reason = f": {event.reason}" if event.reason and event.state != "FINISHED" else ""
        has_failed = event.state == "FINISHED" and controller.exit_status in (None, ExitStatus.FAILED)
        state = ExitStatus.FAILED.name if has_failed else event.state
        self._showing.put(partial(self._view.announce, f"{state}{reason}", self._glance(controller)))

    def _show(self, what: Callable[[], None]) -> None:
        if self._is_lost:
            return
        try:
            what()
        except OSError as error:
            self._is_lost = True
            log.info("progress cannot be shown any more: %s", error)

    def _glance(self, controller: CrawlController) -> Glance | None:
        progress, crawl = look(controller), controller.crawl
        if progress is None or crawl is None:
            return None
        counts = progress.counts
        is_listed = counts.snoozed_queues > 0 and counts.queues <= MAX_LISTED
        resting = crawl.frontier.queues() if is_listed else ()
        return glance_at(progress, self._name, self._max_pages, resting, controller.clock.wall())
