"""Extracting: from the bytes of a response to its content, its links and, if it is one, its Page.

Content coding is undone for this only; the archive gets the wire bytes. Bodies above THREAD_ABOVE are decoded and
parsed in a thread: lexbor and zlib release the GIL, and the loop stays free for the other toes. What a kilobyte on the
wire unpacks to may be ten million bytes, so that is known only when so much has been decoded.
"""

from __future__ import annotations

from functools import lru_cache

from gossamer.config import Extraction, Robots
from gossamer.extract import Extraction as Extracted
from gossamer.extract import Extractor, content_type_of, headers_of_body, redirect_target
from gossamer.extract.headers import Headers
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
        self._max_decoded = settings.max_decoded
        self._max_at_once = min(THREAD_ABOVE, settings.max_decoded)
        self._max_layers = settings.max_layers
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
            headers = headers_of_body(exchange.headers)
            decoded = self._decoded_at_once(exchange, headers)
            if decoded is None:
                await blocking(self._read, attempt, exchange, headers)
            else:
                self._read(attempt, exchange, headers, decoded)
        return Flow.PROCEED

    def _decoded_at_once(self, exchange: Exchange, headers: Headers) -> Decoded | None:
        """The content if that is little."""
        if exchange.wire_bytes > THREAD_ABOVE:
            return None
        decoded = self._decoded(exchange, headers, self._max_at_once)
        return None if LIMITED in decoded.flags and self._max_at_once < self._max_decoded else decoded

    def _decoded(self, exchange: Exchange, headers: Headers, limit: int) -> Decoded:
        codings = [value for name, value in headers if name == b"content-encoding"]
        return decode(exchange.body(self._max_decoded), codings, max_decoded=limit, max_layers=self._max_layers)

    def _read(self, attempt: Attempt, exchange: Exchange, headers: Headers, decoded: Decoded | None = None) -> None:
        if decoded is None:
            decoded = self._decoded(exchange, headers, self._max_decoded)
        data, flags = decoded
        attempt.content = data
        declared = content_type_of(headers)
        attempt.content_type = content_type = declared.media_type
        found = self._extractor.extract(data, attempt.curi.target, declared, headers)
        attempt.charset = found.charset  # never as a server says it: Python's own codec `punycode` would take hours
        attempt.annotations += [*flags, *found.annotations]
        attempt.dropped_outlinks = found.dropped_outlinks
        if found.is_nofollow and self._robots.obey_nofollow:
            attempt.is_nofollow = True
        else:
            attempt.outlinks = self._followed(found)
        if self._is_visited(content_type):
            attempt.page = Page(
                attempt.curi,
                exchange,
                data,
                content_type,
                found.charset,
                found.document,
                found.outlinks,
                is_noindex=found.is_noindex,
                is_nofollow=found.is_nofollow,
                is_content_cut=LIMITED in flags or self._is_longer(exchange),
            )

    def _is_longer(self, exchange: Exchange) -> bool:
        limit = self._max_decoded
        return exchange.wire_bytes - exchange.body_start > limit and len(exchange.body(limit)) == limit

    def _followed(self, found: Extracted) -> list[Outlink]:
        if not self._robots.obey_rel_nofollow:
            return found.outlinks
        return [link for link in found.outlinks if "nofollow" not in (link.rel or "")]
