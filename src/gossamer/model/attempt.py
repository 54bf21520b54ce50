"""Attempt: one try at one URI, in flight. One owner, its toe; processors only add to it; never stored."""

from __future__ import annotations

import msgspec

from gossamer.model.crawluri import CrawlURI
from gossamer.model.exchange import Exchange
from gossamer.model.fetchstatus import FetchStatus
from gossamer.model.outlink import Outlink
from gossamer.model.page import Page

AGAIN = "again"
"""Key in `CrawlURI.data`: why it was asked for once more, nobody being charged."""


class Attempt(msgspec.Struct):
    """What is known so far about this try."""

    curi: CrawlURI
    toe: int
    """Serial number of the toe, for the log."""
    exchange: Exchange | None = None
    refusal: FetchStatus | None = None
    """Why no request was made, decided before the fetch."""
    crawl_delay_seconds: float | None = None
    content: bytes = b""
    """Content-decoded body, up to the extraction limit."""
    content_type: str = ""
    charset: str = ""
    page: Page | None = None
    """Set when the response is one that `visit` takes."""
    outlinks: list[Outlink] = msgspec.field(default_factory=list)
    dropped_outlinks: int = 0
    candidates: list[CrawlURI] = msgspec.field(default_factory=list)
    annotations: list[str] = msgspec.field(default_factory=list)
    digest: str = ""
    """`sha1:BASE32` of the payload, for crawl.log; set when the records are written."""
    redirected_to: str | None = None
    """Where a 3xx leads, followed or not."""
    self_redirect: str | None = None
    """Where a redirect leads whose target has this URI's own identity."""
    again: str = ""
    """Why the same request is to be made once more, nobody being charged: `auth`, `login`; empty = it is not."""
    session: int = 0
    """How many times a form had been sent for its site when this was asked for."""
    is_nofollow: bool = False
    is_settled: bool = False
    """Written and finished: it must not be given back any more."""

    @property
    def status(self) -> int:
        """HTTP status, or a FetchStatus code below zero, or 0 before anything happened."""
        if self.refusal is not None:
            return self.refusal.code
        if self.exchange is None:
            return 0
        if self.exchange.failure is not None:
            return self.exchange.failure.code
        return self.exchange.http_status or 0

    @property
    def failure(self) -> FetchStatus | None:
        if self.refusal is not None:
            return self.refusal
        return self.exchange.failure if self.exchange else None
