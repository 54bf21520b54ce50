"""`crawl`: a whole crawl in one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

from gossamer.api.controller import CrawlController
from gossamer.config import CrawlConfig, Settings
from gossamer.hooks import WebCrawler
from gossamer.jobs import CrawlOutcome
from gossamer.model.failure import Failure
from gossamer.model.link import Link
from gossamer.model.page import Page

Hook = Callable[..., Any]


def crawl(
    *seeds: str,
    visit: Callable[[Page], Any] | None = None,
    should_visit: Callable[[Page, Link], bool] | None = None,
    on_fetch_failed: Callable[[Link, Failure], Any] | None = None,
    config: CrawlConfig | None = None,
    **settings: Unpack[Settings],
) -> CrawlOutcome:
    """Crawl from these seeds until there is nothing left; how it ended.

    `visit(page)`, `should_visit(page, url)` and `on_fetch_failed(url, failure)` are as the methods of a WebCrawler, and
    shared by all toes: a `def` is called in the thread of each toe, so several calls may be under way at once. Raises
    as `CrawlController.start`.
    """
    controller = CrawlController(config, **settings)
    for seed in seeds:
        controller.add_seed(seed)
    crawler = crawler_of(visit=visit, should_visit=should_visit, on_fetch_failed=on_fetch_failed)
    return controller.start(crawler)


def crawler_of(**hooks: Hook | None) -> WebCrawler:
    """A crawler whose hooks are these functions; None = not overridden."""
    crawler = WebCrawler()
    for name, hook in hooks.items():
        if hook is not None:
            setattr(crawler, name, hook)
    return crawler
