"""What happens in a crawl, as typed events on the bus. Subscribers cannot block or break the crawl."""

from __future__ import annotations

import msgspec

from gossamer.model.crawluri import CrawlURI
from gossamer.model.disposition import Fate


class UriFinished(msgspec.Struct, frozen=True):
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
    redirected_to: str | None = None
    """Where the answer, a 3xx, sends whoever asked: absolute, whether the crawl follows it or not. None if nowhere that
    can be fetched."""


class CrawlStateChanged(msgspec.Struct, frozen=True):
    """The controller entered a state; announced once per change. Names are those of `control.state`."""

    state: str
    reason: str = ""


class SeedRejected(msgspec.Struct, frozen=True):
    """A seed could not be used; `line` is its line in the seed file, if it came from one."""

    text: str
    reason: str
    line: int | None = None


class HookFailed(msgspec.Struct, frozen=True):
    """A hook of a user's crawler raised an exception, or did not come back in time."""

    hook: str
    url: str
    """Of the page it was called for; empty where there is none."""
    crawler: int
    """Its id."""
    error: BaseException
