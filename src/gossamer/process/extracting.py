"""Extracting: from the bytes of a response to its content, its links and, if it is one, its Page.

Content coding is undone for this only; the archive gets the wire bytes. Bodies above THREAD_ABOVE are decoded and
parsed in a thread: lexbor and zlib release the GIL, and the loop stays free for the other toes. What a kilobyte on the
wire unpacks to may be ten million bytes, so that is known only when so much has been decoded.
"""

from __future__ import annotations

from functools import lru_cache

from gossamer.config import Extraction, Robots
from gossamer.extract import Extraction as Extracted
from gossamer.extract import Extractor, content_type_of, redirect_target
from gossamer.fetch.decode import LIMITED, Decoded, decode
from gossamer.model.attempt import Attempt
from gossamer.model.exchange import Exchange
from gossamer.model.outlink import HOP_REDIRECT, Outlink
from gossamer.model.page import Page
from gossamer.process.chain import Flow
from gossamer.util.tasks import blocking

THREAD_ABOVE = 256 * 1024
"""Bytes, on the wire or decoded, above which decoding and parsing leave the event loop."""


class Extracting:
    """Fills `content`, `outlinks` and `page` of an attempt that was answered."""

    name = "extract"

    def __init__(
        self, extractor: Extractor, settings: Extraction, robots: Robots, *, follows_redirects: bool = True
    ) -> None:
        self._extractor = extractor
        self._settings = settings
        self._robots = robots
        self._follows_redirects = follows_redirects
        # Media types repeat; the answer for each is worked out once.
        self._is_visited = lru_cache(maxsize=1024)(settings.is_visited)

    async def process(self, attempt: Attempt) -> Flow:
        exchange = attempt.exchange
        if exchange is None or exchange.http_status is None:
            return Flow.PROCEED
        if 300 <= exchange.http_status < 400:
            target = attempt.redirected_to = redirect_target(attempt.curi.target, exchange.headers)
            if target is not None and self._follows_redirects:
                attempt.outlinks = [Outlink(target, HOP_REDIRECT, "header@location")]
            return Flow.PROCEED
        if 200 <= exchange.http_status < 300:
            decoded = self._decoded_at_once(exchange)
            if decoded is None:
                await blocking(self._read, attempt, exchange)
            else:
                self._read(attempt, exchange, decoded)
        return Flow.PROCEED

    def _decoded_at_once(self, exchange: Exchange) -> Decoded | None:
        """The content if that is little."""
        if exchange.wire_bytes > THREAD_ABOVE:
            return None
        limit = min(THREAD_ABOVE, self._settings.max_decoded)
        decoded = self._decoded(exchange, limit)
        return None if LIMITED in decoded.flags and limit < self._settings.max_decoded else decoded

    def _decoded(self, exchange: Exchange, limit: int) -> Decoded:
        codings = exchange.header_values(b"content-encoding")
        body = exchange.body(self._settings.max_decoded)
        return decode(body, codings, max_decoded=limit, max_layers=self._settings.max_layers)

    def _read(self, attempt: Attempt, exchange: Exchange, decoded: Decoded | None = None) -> None:
        attempt.content_type = content_type_of(exchange.headers).media_type
        if decoded is None:
            decoded = self._decoded(exchange, self._settings.max_decoded)
        attempt.content = decoded.data
        attempt.annotations.extend(decoded.flags)
        found = self._extractor.extract(decoded.data, attempt.curi.target, attempt.content_type, exchange.headers)
        attempt.annotations.extend(found.annotations)
        attempt.charset = found.charset  # never as a server says it: Python's own codec `punycode` would take hours
        attempt.dropped_outlinks = found.dropped_outlinks
        attempt.is_nofollow = found.is_nofollow and self._robots.obey_nofollow
        attempt.outlinks = [] if attempt.is_nofollow else self._followed(found)
        if self._is_visited(attempt.content_type):
            attempt.page = Page(
                attempt.curi,
                exchange,
                decoded.data,
                attempt.content_type,
                attempt.charset,
                found.document,
                found.outlinks,
                is_noindex=found.is_noindex,
                is_nofollow=found.is_nofollow,
                is_content_cut=LIMITED in decoded.flags or self._is_longer(exchange),
            )

    def _is_longer(self, exchange: Exchange) -> bool:
        limit = self._settings.max_decoded
        return exchange.wire_bytes - exchange.body_start > limit and len(exchange.body(limit)) == limit

    def _followed(self, found: Extracted) -> list[Outlink]:
        if not self._robots.obey_rel_nofollow:
            return found.outlinks
        return [link for link in found.outlinks if "nofollow" not in (link.rel or "")]
