"""Crawls from Python over a stub site; the crawler notes what its hooks were told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import gossamer
from gossamer.config import Politeness
from tests.support.stubsite import StubSite

QUICK = Politeness(delay=0, delay_factor=0, throttle_start=0.01, host_schedule=(0.01,), max_tries=2)


class Noting(gossamer.WebCrawler):
    """Notes what it is told."""

    def __init__(self) -> None:
        self.visited: dict[str, gossamer.Page] = {}
        """Path -> page."""
        self.urls: set[str] = set()
        self.failed: dict[str, gossamer.Failure] = {}
        self.local_data = self

    def visit(self, page: gossamer.Page) -> None:
        self.visited[path_of(page.url)] = page
        self.urls.add(page.url)

    def on_fetch_failed(self, url: gossamer.Link, failure: gossamer.Failure) -> None:
        self.failed[url.path] = failure


def path_of(url: str) -> str:
    return "/" + url.split("/", 3)[3]


def crawl(*seeds: str, crawler: type[Noting] = Noting, **settings: Any) -> Noting:
    """Crawl with one toe, as crawler4j's tests do; its crawler."""
    controller = gossamer.CrawlController(politeness=QUICK, **settings)
    controller.add_seeds(seeds)
    controller.start(crawler, toes=1)
    (found,) = controller.local_data
    assert isinstance(found, Noting)
    return found


@pytest.fixture
def site() -> Iterator[StubSite]:
    with StubSite() as stubs:
        stubs.add("/robots.txt", "User-agent: *\nAllow: /\n", content_type="text/plain")
        yield stubs
