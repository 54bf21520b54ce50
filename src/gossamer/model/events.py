"""What happens in a crawl, as typed events on the bus. Subscribers cannot block or break the crawl."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model.crawluri import CrawlURI
from gossamer.model.disposition import Fate


@dataclass(frozen=True, slots=True)
class UriFinished:
    """One attempt was settled. `fate` RETRY means the URI comes again."""

    curi: CrawlURI
    fate: Fate
    status: int
    reason: str
    content_type: str
    wire_bytes: int
    fetch_seconds: float
    is_page: bool
    toe: int


@dataclass(frozen=True, slots=True)
class CrawlStateChanged:
    """The controller entered a state; announced once per change. Names are those of `control.state`."""

    state: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SeedRejected:
    """A seed could not be used; `line` is its line in the seed file, if it came from one."""

    text: str
    reason: str
    line: int | None = None
