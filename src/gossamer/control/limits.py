"""LimitWatch: the reasons to end or to pause that nobody asks for: pages, bytes, time, disk space.

Limits are totals of the job over all its runs. Pages are never exceeded (the frontier reserves them); bytes are looked
at after each fetch, time and disk space every CHECK_SECONDS, since neither can be waited for as an event.
A disk that is nearly full pauses the crawl before the store's own limit is met, and resumes it when there is room.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from gossamer.config import Durability, Limits
from gossamer.control.commanded import PAUSED_BY_DISK, Commanded
from gossamer.control.state import CrawlState, ExitStatus
from gossamer.errors import StateError
from gossamer.frontier import LocalFrontier
from gossamer.model.events import UriFinished
from gossamer.storage import free_bytes
from gossamer.util.bus import EventBus
from gossamer.util.clock import Clock
from gossamer.util.sizes import format_size

log = logging.getLogger(__name__)

CHECK_SECONDS = 1.0
RUNNING_SECONDS = "running_seconds"
"""The note in the store that carries the time of earlier runs."""
GIB = 1024**3


class LimitWatch:
    """Watches one crawl."""

    def __init__(
        self,
        limits: Limits,
        durability: Durability,
        frontier: LocalFrontier,
        bus: EventBus,
        clock: Clock,
        folder: Path | None,
    ) -> None:
        self._limits = limits
        self._durability = durability
        self._frontier = frontier
        self._bus = bus
        self._clock = clock
        self._folder = folder
        self._earlier_seconds = float(frontier.note(RUNNING_SECONDS) or 0.0)
        self._began = clock.monotonic()
        self._is_short_of_disk = False

    def change(self, limits: Limits) -> None:
        """Watch for other limits from now on."""
        self._limits = limits

    @property
    def min_free(self) -> int:
        """Bytes of disk below which the crawl pauses."""
        given = self._limits.min_free_space
        return max(GIB, 4 * self._durability.log_cap) if given is None else given

    @property
    def running_seconds(self) -> float:
        """How long the job has run, over all its runs."""
        return self._earlier_seconds + self._clock.monotonic() - self._began

    async def run(self, controller: Commanded) -> None:
        """Watch until cancelled."""
        unsubscribe = self._bus.subscribe(UriFinished, lambda event: self._check_counts(controller))
        try:
            while True:
                self.check(controller)
                self.keep_time()
                await self._clock.sleep(CHECK_SECONDS)
        finally:
            unsubscribe()

    def check(self, controller: Commanded) -> None:
        """Look at every limit once; before the toes begin, so that a limit that is met already costs no request."""
        self._check_counts(controller)
        self._check_time(controller)
        self._check_disk(controller)

    def keep_time(self) -> None:
        """Store how long the job has run, for its next run. Raises StorageError."""
        self._frontier.put_note(RUNNING_SECONDS, f"{self.running_seconds:.3f}")

    def _check_counts(self, controller: Commanded) -> None:
        if self._limits.max_pages is None and self._limits.max_bytes is None:
            return
        if self._frontier.is_page_limit_reached and not self._frontier.is_empty():
            self._stop(controller, ExitStatus.DOCUMENT_LIMIT, f"{self._limits.max_pages} pages were fetched")
        elif self._limits.max_bytes is not None and self._frontier.wire_bytes >= self._limits.max_bytes:
            self._stop(controller, ExitStatus.BYTE_LIMIT, f"{format_size(self._limits.max_bytes)} were received")

    def _check_time(self, controller: Commanded) -> None:
        if self._limits.max_time is not None and self.running_seconds >= self._limits.max_time:
            self._stop(controller, ExitStatus.TIME_LIMIT, f"the job has run for {self._limits.max_time:g} s")

    def _check_disk(self, controller: Commanded) -> None:
        if self._folder is None:
            return
        free = free_bytes(self._folder)
        if free < self.min_free and not self._is_short_of_disk:
            self._is_short_of_disk = True
            log.warning("paused: only %s free at %s", format_size(free), self._folder)
            self._request(controller.request_pause, PAUSED_BY_DISK)
        elif free >= self.min_free and self._is_short_of_disk:
            self._is_short_of_disk = False
            log.warning("resumed: %s free at %s", format_size(free), self._folder)
            self._request(controller.request_resume, PAUSED_BY_DISK)

    def _stop(self, controller: Commanded, status: ExitStatus, reason: str) -> None:
        if controller.state not in (CrawlState.STOPPING, CrawlState.FINISHED):
            self._request(lambda why: controller.request_stop(status, why), reason)

    @staticmethod
    def _request(request: Callable[[str], None], reason: str) -> None:
        try:
            request(reason)
        except StateError as error:
            log.info("not now: %s", error)
