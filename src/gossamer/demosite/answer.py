"""Answer: one HTTP response as the demo site sends it, byte for byte.

`wire()` is the whole truth about what goes over the connection, so a test can hold an archive against it. Framing and
content coding are already in `body`; only how fast it is sent (`seconds`) is left to the server.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from http import HTTPStatus

HTML = "text/html; charset=utf-8"
_LAST_MODIFIED = b"Mon, 02 Feb 2026 10:00:00 GMT"


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers and body of one response."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes = b""
    """As transferred."""
    seconds: float = 0.0
    """Spread the body over this long."""
    is_delimited_by_close: bool = False
    """The connection's end is the body's end."""

    def head(self, *, close: bool = False) -> bytes:
        """Status line and headers; `close` announces that the connection ends here."""
        lines = [b"HTTP/1.1 %d %s" % (self.status, HTTPStatus(self.status).phrase.encode())]
        lines += [name + b": " + value for name, value in self.headers]
        if close or self.is_delimited_by_close:
            lines.append(b"Connection: close")
        return b"\r\n".join(lines) + b"\r\n\r\n"

    def wire(self, *, close: bool = False) -> bytes:
        """Everything that is sent in answer to a GET."""
        return self.head(close=close) + self.body


def answer(status: int, content_type: str, body: bytes, *more: tuple[bytes, bytes], seconds: float = 0.0) -> Answer:
    """An answer with Content-Length."""
    headers = (
        (b"Server", b"gossamer-demosite"),
        (b"Last-Modified", _LAST_MODIFIED),
        (b"Content-Type", content_type.encode()),
        (b"Content-Length", b"%d" % len(body)),
        *more,
    )
    return Answer(status, headers, body, seconds)


def redirect(status: int, location: str) -> Answer:
    """A redirect with the usual few lines of HTML."""
    body = f'<html><title>{status}</title><body>Moved <a href="{location}">here</a>.</body></html>\n'.encode()
    return answer(status, HTML, body, (b"Location", location.encode()))


def gzipped(plain: Answer) -> Answer:
    """The same answer with Content-Encoding: gzip."""
    return _with_body(plain, gzip.compress(plain.body, 6, mtime=0), (b"Content-Encoding", b"gzip"))


def chunked(plain: Answer, size: int = 4096) -> Answer:
    """The same answer in chunks of `size` bytes, without Content-Length."""
    pieces = (plain.body[i : i + size] for i in range(0, len(plain.body), size))
    framed = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    headers = tuple(h for h in plain.headers if h[0] != b"Content-Length")
    return Answer(plain.status, (*headers, (b"Transfer-Encoding", b"chunked")), framed, plain.seconds)


def until_close(plain: Answer) -> Answer:
    """The same answer without any length: it ends with the connection."""
    headers = tuple(h for h in plain.headers if h[0] != b"Content-Length")
    return Answer(plain.status, headers, plain.body, plain.seconds, is_delimited_by_close=True)


def _with_body(plain: Answer, body: bytes, *more: tuple[bytes, bytes]) -> Answer:
    headers = tuple((k, b"%d" % len(body)) if k == b"Content-Length" else (k, v) for k, v in plain.headers)
    return Answer(plain.status, (*headers, *more), body, plain.seconds)
