"""The strict reader of response heads: llhttp, through httptools.

It is given heads only. Bodies are counted, not parsed, and what a length or a transfer coding means is decided in
`framing`, so that both readers agree on it.
"""

from __future__ import annotations

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from gossamer.fetch.head import ResponseHead


class _StrictHead(ResponseHead):
    """The head itself is what llhttp calls back: no second object, no copying."""

    __slots__ = ()

    def on_status(self, reason: bytes) -> None:
        self.reason = reason

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name.lower(), value.rstrip(b" \t")))


def read_strictly(data: bytes) -> ResponseHead | None:
    """Read a whole head, empty line included; None if llhttp objects to any of it."""
    head = _StrictHead()
    parser = HttpResponseParser(head)
    try:
        parser.feed_data(data)
    except HttpParserUpgrade:
        # A 101 that says what to: llhttp has read all of it.
        pass
    except HttpParserError:
        return None
    head.status = parser.get_status_code()
    if head.status < 100:
        return None
    head.version = parser.get_http_version()
    head.is_strict = True
    return head
