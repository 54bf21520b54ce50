"""What response headers say about a body's type, and where they lead.

Headers are bytes from a stranger, `(name in lower case, value)` pairs as in an Exchange. Nothing here raises. A
reference in a header is read as UTF-8 if it is valid UTF-8 and as Latin-1 otherwise (both are met), and resolved as any
other link, so that spaces, tabs and line breaks in it are encoded or gone before the URL can reach a request.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from gossamer.extract.links import Reference, hop_of_rel, refresh_url
from gossamer.model.outlink import HOP_LINK
from gossamer.url.parse import InvalidUrl, is_crawlable, resolve

Headers = Sequence[tuple[bytes, bytes]]

MAX_LINK_HEADER_URLS = 100
"""More than any page announces; the header block itself is bounded by the fetcher."""

TELLING = frozenset({b"link", b"refresh", b"x-robots-tag"})
"""The headers that say something of a page's links; most pages come with none of them."""

_OF_BODY = TELLING | {b"content-type", b"content-encoding"}

SHORT = 80
"""Characters of a Content-Type that is worth remembering."""

_MEDIA_TYPE = re.compile(r"[ \t]*([!#$%&'*+.^_`|~0-9a-zA-Z-]+/[!#$%&'*+.^_`|~0-9a-zA-Z-]+)[ \t]*(?=;|,|$)")
_CHARSET = re.compile(r""";[ \t]*charset[ \t]*=[ \t]*(?:"([^"]*)"?|'([^']*)'?|([^;,\s]*))""", re.IGNORECASE)
_LINK_VALUE = re.compile(r"<([^>]*+)>((?>(?:[^,\"<]++|\"[^\"]*+\"?)*))")
_LINK_REL = re.compile(r""";[ \t]*rel[ \t]*=[ \t]*(?:"([^"]*)"|([^;,\s]*))""", re.IGNORECASE)


class ContentType(NamedTuple):
    """A Content-Type, taken apart."""

    media_type: str
    """Lower case, without parameters; empty if missing or no media type."""
    charset: str | None


def headers_of_body(headers: Headers) -> list[tuple[bytes, bytes]]:
    """Those that say how a body is to be read: one or two of a dozen, so that each question costs a short look."""
    return [header for header in headers if header[0] in _OF_BODY]


def content_type_of(headers: Headers) -> ContentType:
    """The type of a response: the last Content-Type that is one, as browsers take it (MIME Sniffing 4.4)."""
    media_type = ""
    charset: str | None = None
    for name, value in headers:
        if name == b"content-type":
            parsed = parse_content_type(value.decode("latin-1"))
            if parsed.media_type:
                charset = parsed.charset or (charset if parsed.media_type == media_type else None)
                media_type = parsed.media_type
    return ContentType(media_type, charset)


def parse_content_type(value: str) -> ContentType:
    """A Content-Type from its text."""
    return _of_short_text(value) if len(value) <= SHORT else _of_text(value)


def _of_text(value: str) -> ContentType:
    match = _MEDIA_TYPE.match(value)
    if match is None:
        return ContentType("", None)
    charset = _CHARSET.search(value, match.end())
    label = (charset[1] or charset[2] or charset[3]) if charset else None
    return ContentType(match[1].lower(), label or None)


_of_short_text = lru_cache(maxsize=256)(_of_text)
"""A crawl meets a few again and again; what a server makes up takes 20 KB at most."""


def redirect_target(url: str, headers: Headers) -> str | None:
    """Where the first Location of a response from `url` leads, None if nowhere that can be fetched.

    Of several the first counts; which of them was meant cannot be known.
    """
    for name, value in headers:
        if name == b"location":
            try:
                target = resolve(url, reference_text(value))
            except InvalidUrl:
                return None
            return target if is_crawlable(target) else None
    return None


def references_of_headers(headers: Headers) -> Iterator[Reference]:
    """The references in Refresh and Link headers, as written. Location is not among them: see `redirect_target`."""
    for name, value in headers:
        if name == b"refresh":
            url = refresh_url(reference_text(value))
            if url:
                yield url, HOP_LINK, "header@refresh"
        elif name == b"link":
            for match in list(_LINK_VALUE.finditer(reference_text(value)))[:MAX_LINK_HEADER_URLS]:
                rel = _LINK_REL.search(match[2])
                hop = hop_of_rel((rel[1] or rel[2]) if rel else None)
                if hop:
                    yield match[1], hop, "header@link"


def reference_text(value: bytes) -> str:
    """A reference in a header as text."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
