"""Exchanges to archive, as the fetcher makes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gossamer.fetch.recording import SpooledRecording
from gossamer.model.attempt import Attempt
from gossamer.model.crawluri import ClassKey, CrawlURI, Identity
from gossamer.model.exchange import Exchange

REQUEST = b"GET /page HTTP/1.1\r\nHost: example.org\r\nUser-Agent: gossamer\r\n\r\n"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


@pytest.fixture
def attempt() -> Callable[..., Attempt]:
    """Makes an attempt with an answered exchange: (body, head=…, url=…, and fields of Exchange)."""
    opened: list[Exchange] = []

    def make(
        body: bytes = b"<p>hello", head: bytes = HEAD, url: str = "https://example.org/page", **more: Any
    ) -> Attempt:
        raw = SpooledRecording(1024 * 1024)
        raw.append(head + body)
        fields: dict[str, Any] = {
            "request": REQUEST,
            "raw": raw,
            "body_start": len(head),
            "http_status": 200,
            "ip": "192.0.2.7",
            "started_wall": 1_700_000_000.123456,
            "duration_seconds": 0.25,
        }
        exchange = Exchange(url, **{**fields, **more})
        opened.append(exchange)
        curi = CrawlURI(
            url=url,
            class_key=ClassKey("example.org"),
            identity=Identity(b"\0" * 20),
            via="https://example.org/",
            hops="L",
            seed="https://example.org/",
            depth=1,
        )
        return Attempt(curi, 7, exchange=exchange)

    yield make
    for exchange in opened:
        exchange.close()
