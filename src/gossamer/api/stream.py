"""`pages`: a crawl as a loop over its pages, in the caller's event loop.

    a toe has fetched a page -> visit hands it over and waits -> the loop's body runs -> the page is finished

Each toe holds its page until the body is through with it, so a slow body slows the crawl: at most `toes` pages are in
memory. A page that nobody took when the loop was left goes back to its queue; the one whose body was left counts as
done.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from typing import Unpack

from gossamer.api.controller import CrawlController
from gossamer.api.functions import crawler_of
from gossamer.config import CrawlConfig, Settings, with_named
from gossamer.control import ExitStatus
from gossamer.errors import CrawlFailed
from gossamer.hooks import GivenBack
from gossamer.model.link import Link
from gossamer.model.page import Page

FOR_EVER = 10 * 365.0 * 86400
"""Seconds that a page may be held."""


async def pages(
    *seeds: str,
    should_visit: Callable[[Page, Link], bool] | None = None,
    config: CrawlConfig | None = None,
    **settings: Unpack[Settings],
) -> AsyncGenerator[Page, None]:
    """Crawl from these seeds, and give each page as it comes: `async for page in gossamer.pages(url, max_depth=2)`.

    Left early, by `break`, an exception or cancellation, the crawl ends. Python closes a generator that was left by
    `break` a moment later; `async with contextlib.aclosing(gossamer.pages(…)) as found` closes it there and then.
    Raises what keeps the crawl from beginning, and CrawlFailed if it ends with an error.
    """
    handing = _Handing()
    async with CrawlController(_unbounded(config, settings)) as controller:
        for seed in seeds:
            controller.add_seed(seed)
        controller.start(crawler_of(visit=handing.visit, should_visit=should_visit), blocking=False)
        assert controller.task is not None
        controller.task.add_done_callback(handing.note_end)
        try:
            while (handed := await handing.next()) is not None:
                try:
                    yield handed.page
                finally:
                    handed.let_go()
        finally:
            handing.close()
            if controller.config.folder is None:
                # Nothing that is in flight will be gone on with: there is no sense in waiting for it.
                controller.shutdown()
        _check(controller)


class _Handed:
    """A page that a toe holds until it is let go."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.is_done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def let_go(self) -> None:
        """The body is through with it, or was left in it."""
        if not self.is_done.done():  # cancelled: its toe was, and the page comes again
            self.is_done.set_result(None)


class _Handing:
    """Between the toes and the loop over their pages."""

    def __init__(self) -> None:
        self._waiting: deque[_Handed] = deque()
        self._has_news = asyncio.Event()
        self._has_ended = False
        self._is_closed = False

    async def visit(self, page: Page) -> None:
        """The crawler's hook: done when the body is through with the page."""
        if self._is_closed:
            raise GivenBack
        handed = _Handed(page)
        self._waiting.append(handed)
        self._has_news.set()
        await handed.is_done

    async def next(self) -> _Handed | None:
        """The next page; None if the crawl has ended."""
        while True:
            while self._waiting:
                handed = self._waiting.popleft()
                if not handed.is_done.done():
                    return handed
            if self._has_ended:
                return None
            self._has_news.clear()
            await self._has_news.wait()

    def note_end(self, task: asyncio.Task[None]) -> None:
        """There will be no more pages."""
        self._has_ended = True
        self._has_news.set()

    def close(self) -> None:
        """Nobody takes any more: what waits goes back to its queue."""
        self._is_closed = True
        for handed in self._waiting:
            if not handed.is_done.done():
                handed.is_done.set_exception(GivenBack())
        self._waiting.clear()


def _unbounded(config: CrawlConfig | None, settings: Settings) -> CrawlConfig:
    """The configuration, but that a page may be held for as long as the body takes."""
    return with_named((config or CrawlConfig()).replace(**settings), {"hooks.max_time": FOR_EVER})


def _check(controller: CrawlController) -> None:
    outcome = controller.outcome
    if outcome is not None and outcome.exit_status in (ExitStatus.FAILED, ExitStatus.DISK_FULL):
        raise CrawlFailed(f"the crawl ended with {outcome.exit_status.name}: {outcome.reason}")
