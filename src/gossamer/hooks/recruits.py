"""Recruits: where the crawlers of a crew come from: a class, a factory, or one instance that all toes share."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gossamer.hooks.commands import CrawlCommands
from gossamer.hooks.crawler import WebCrawler
from gossamer.hooks.shape import check_shape

CrawlerSource = type[WebCrawler] | Callable[[], WebCrawler] | WebCrawler
"""A class or factory: one crawler per toe. An instance: shared by all toes, so whatever it changes needs a lock."""


class Recruits:
    """Makes crawlers, and tells each who it is."""

    def __init__(self, source: CrawlerSource, commands: CrawlCommands) -> None:
        """Raises TypeError for what is no source."""
        self.is_shared = isinstance(source, WebCrawler)
        self._source = source
        self._commands = commands
        self._made: dict[int, WebCrawler] = {}
        self._looked_at: set[type[WebCrawler]] = set()
        if isinstance(source, type) and not issubclass(source, WebCrawler):
            raise TypeError(
                f"{source.__name__} is not a WebCrawler; write class {source.__name__}(gossamer.WebCrawler)"
            )
        if not callable(source) and not self.is_shared:
            raise TypeError(f"a crawler is a WebCrawler class, an instance, or a factory of them, not {source!r}")

    def make(self, ids: Iterable[int]) -> None:
        """Make crawlers before they are needed: what is raised in making them reaches whoever starts the crawl."""
        for number in ids:
            self._made[number] = self._new(number)

    def new(self, number: int) -> WebCrawler:
        """The crawler with this id. Raises TypeError, and whatever the source does."""
        return self._made.pop(number, None) or self._new(number)

    def _new(self, number: int) -> WebCrawler:
        if isinstance(self._source, WebCrawler):
            crawler, number = self._source, 1
        else:
            crawler = self._source()
        _check(crawler, self._source)
        if type(crawler) not in self._looked_at:
            check_shape(crawler)
            self._looked_at.add(type(crawler))
        crawler.id = number
        crawler.controller = self._commands
        return crawler


def _check(crawler: WebCrawler, source: CrawlerSource) -> None:
    if not isinstance(crawler, WebCrawler):
        raise TypeError(f"the factory {source!r} made {crawler!r}, which is no WebCrawler")
