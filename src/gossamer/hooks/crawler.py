"""WebCrawler: the class that a user derives from. Five methods to override, three attributes to use.

    on_start -> for each page: should_visit (each new link), visit  -> on_finish
                for each URL that is given up: on_fetch_failed

Each toe has a crawler of its own, so its attributes need no locks. `def` hooks all run in one thread, which the toe
owns: a connection opened in `on_start` can be used in `visit`, and code that blocks holds up this toe only. `async def`
hooks run in the crawl's event loop, each call in a task of its own, and must not block it. `should_visit` is always a
quick `def`, called in the loop.

`visit` is called at least once for each page: what was in flight when the process died is fetched, and visited, again.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gossamer.hooks.commands import CrawlCommands
    from gossamer.model.failure import Failure
    from gossamer.model.link import Link
    from gossamer.model.page import Page

HookResult = Awaitable[None] | None
"""A hook is `def … -> None` or `async def … -> None`."""


class GivenBack(Exception):
    """Raised in `visit`: the page is not done with; its URI goes back to its queue, uncharged, and comes again."""


class WebCrawler:
    """One toe's crawler. Override what you need; everything has a default that does nothing and forbids nothing.

    Set before `on_start` is called: `self.id`, which of the crawl's crawlers this is, from 1; `self.controller`, the
    crawl that it works for: add a seed, pause, shut down. `self.local_data` is yours, and listed by the controller.
    """

    id: int = 0
    """From 1: which of the crawl's crawlers this is. One that replaces another has the same."""
    controller: CrawlCommands
    """The crawl it works for: add a seed, pause, shut down."""
    local_data: Any = None
    """Whatever you put here; `controller.local_data` lists that of every crawler, during the crawl and after it."""

    def on_start(self) -> HookResult:
        """Called once, before the crawler's first page. An exception here ends the crawl: its pages would be lost."""
        return None

    def should_visit(self, page: Page, url: Link) -> bool:
        """Whether a link on `page` is followed; called for each that is in scope and not known yet.

        `url.priority = 10` has it fetched before others of its host (0 first, 255 last; 128 is ordinary). A link
        refused here is asked about again on the next page that has it. Never called for seeds, redirects of
        seeds and robots.txt. Runs in the event loop, often: it must be quick and cannot be `async`.
        """
        return True

    def visit(self, page: Page) -> HookResult:
        """Called for each page fetched: answered with 2xx and of a type that is a page, and not `noindex`.

        Its links join the crawl after this: `page.follow = False` keeps them out, `page.add_link(url)` adds more.
        """
        return None

    def on_fetch_failed(self, url: Link, failure: Failure) -> HookResult:
        """Called once for each URL that is given up: after the last try, or answered with 4xx. `failure` says why."""
        return None

    def on_finish(self) -> HookResult:
        """Called once when the crawl has no more pages for this crawler, before anything is closed."""
        return None
