"""NetworkWatch: what happens when the crawl's own way out, a proxy, fails.

No host is to blame, so none is charged: the URI goes back, the crawl pauses for the reason `network`, and goes on by
itself when the proxy can be reached again. It is tried after 1, 2, 4, … 60 s. A proxy that never worked in this run is
more likely misspelt than down: after 15 s of that the crawl ends as FAILED and says why; its URIs all wait for the next
run.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging

from gossamer.control.commanded import PAUSED_BY_NETWORK, Commanded
from gossamer.control.state import ExitStatus
from gossamer.errors import StateError
from gossamer.fetch.http import HttpFetcher
from gossamer.util.clock import Clock

log = logging.getLogger(__name__)

SCHEDULE = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)
"""Seconds before the proxy is tried again, the last for good."""
FIRST_TRIES = 4
"""Of those, tries of a proxy that has never worked."""


class NetworkWatch:
    """Watches the proxy of one open crawl."""

    def __init__(self, fetcher: HttpFetcher, clock: Clock, controller: Commanded) -> None:
        self._fetcher = fetcher
        self._clock = clock
        self._controller = controller
        self._troubled = asyncio.Event()
        self._detail = ""
        self._tries = 0
        self._resumed = 0.0

    def trouble(self, detail: str) -> None:
        """A fetch failed for want of the proxy; `detail` is a sentence. When this returns no toe gets another URI."""
        self._detail = detail
        if not self._troubled.is_set():
            log.warning("%s; the crawl waits", detail)
            self._troubled.set()
            if self._clock.monotonic() - self._resumed > SCHEDULE[-1]:
                self._tries = 0
        with contextlib.suppress(StateError):  # it is ending
            self._controller.request_pause(PAUSED_BY_NETWORK)

    async def run(self) -> None:
        """Bring the crawl back when the proxy is; until cancelled."""
        while True:
            await self._troubled.wait()
            await self._clock.sleep(SCHEDULE[min(self._tries, len(SCHEDULE) - 1)])
            self._tries += 1
            is_back = await self._fetcher.is_proxy_reachable()
            proxy = self._fetcher.proxy
            with contextlib.suppress(StateError):  # it was stopped meanwhile
                if self._tries >= FIRST_TRIES and proxy is not None and not proxy.has_worked:
                    self._controller.request_stop(ExitStatus.FAILED, self._detail)
                    return
                if is_back:
                    self._troubled.clear()
                    self._resumed = self._clock.monotonic()
                    self._controller.request_resume(PAUSED_BY_NETWORK)
