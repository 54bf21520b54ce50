"""Exchange: one request and what came back for it, byte for byte.

Made by the fetcher, read by everybody else, closed by the toe. `raw` holds exactly what arrived on the wire for this
request: interim responses, status line, headers, body as transferred. It lives in memory up to a size and in a spool
file beyond it; `close()` drops the file.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from enum import Enum
from typing import Protocol

import msgspec

from gossamer.model.fetchstatus import FetchStatus


class Truncation(Enum):
    """Why a body is not whole; the values are those of WARC-Truncated (WARC/1.1 5.13)."""

    LENGTH = "length"
    TIME = "time"
    DISCONNECT = "disconnect"


class Recording(Protocol):
    """Bytes as they came, in memory or in a spool file."""

    def __len__(self) -> int: ...

    @property
    def is_closed(self) -> bool:
        """Nothing can be read any more."""

    def read(self, start: int = 0, end: int | None = None) -> bytes:
        """The bytes of a range; the whole only when the caller knows it is small."""

    def chunks(self, start: int = 0, size: int = 65536) -> Iterator[bytes]:
        """From `start` to the end, piece by piece."""

    def close(self) -> None:
        """Give back memory and file; idempotent."""


class ClosedRecording:
    """What goes along of a recording whose bytes stay behind: its length."""

    __slots__ = ("_length",)

    def __init__(self, length: int) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length

    @property
    def is_closed(self) -> bool:
        return True

    def read(self, start: int = 0, end: int | None = None) -> bytes:
        """Nothing any more."""
        return b""

    def chunks(self, start: int = 0, size: int = 65536) -> Iterator[bytes]:
        """Nothing any more."""
        return iter(())

    def close(self) -> None:
        """It is closed."""


class TlsFacts(msgspec.Struct, frozen=True):
    """What the handshake gave."""

    version: str
    cipher: str
    is_verified: bool
    failure: str = ""
    """Why verification failed, one line; empty when verified."""


class Exchange(msgspec.Struct):
    """One request-response pair. `http_status` is None exactly when `failure` is set before a status line came."""

    url: str
    request: bytes = b""
    """As sent; secrets are taken out by the WARC writer, not here."""
    raw: Recording | None = None
    """None when not one byte came."""
    body_start: int = 0
    """Where the body begins in `raw`."""
    http_status: int | None = None
    reason: str = ""
    version: str = "HTTP/1.1"
    headers: list[tuple[bytes, bytes]] = msgspec.field(default_factory=list)
    """Names lower-cased, values stripped, in order, repeats kept."""
    ip: str = ""
    port: int = 0
    tls: TlsFacts | None = None
    started_wall: float = 0.0
    """When the request was sent (the first time, if it was repeated)."""
    started: float = 0.0
    """The same on the monotonic clock; the last repeat's, since politeness counts from it."""
    duration_seconds: float = 0.0
    failure: FetchStatus | None = None
    """Set when there is no usable response. A cut body is `truncated`, not a failure."""
    detail: str = ""
    """One printable line about the failure."""
    truncated: Truncation | None = None
    annotations: list[str] = msgspec.field(default_factory=list)
    """Short words for crawl.log, e.g. `tolerant`, `tlsUnverified`, `repeated`."""
    is_asked_again: bool = False
    """The server wanted a password, and there is one: the same request may do better."""
    unchunked: bytes | None = None
    """The body with chunked framing removed, up to the fetcher's extraction limit; None = not chunked."""
    header_names: Container[bytes] | None = None
    """The names in `headers`, by which most questions for one are answered at once; None = look for yourself."""

    def header(self, name: bytes) -> bytes | None:
        """The first value of a header, or None; `name` in lower case."""
        for key, value in self.headers:
            if key == name:
                return value
        return None

    def header_values(self, name: bytes) -> list[bytes]:
        """All values of a header, in order."""
        if self.header_names is not None and name not in self.header_names:
            return []
        return [value for key, value in self.headers if key == name]

    def body(self, limit: int | None = None) -> bytes:
        """The body without transfer coding, still content-coded, at most `limit` bytes."""
        if self.raw is None:
            return b""
        if self.unchunked is not None:
            return self.unchunked if limit is None else self.unchunked[:limit]
        return self.raw.read(self.body_start, None if limit is None else self.body_start + limit)

    @property
    def wire_bytes(self) -> int:
        """How many bytes arrived."""
        raw = self.raw
        return 0 if raw is None else len(raw)

    @property
    def is_cut(self) -> bool:
        """Whether the body ended against the server's word; one cut at our own length limit is as whole as it gets."""
        return self.truncated in (Truncation.TIME, Truncation.DISCONNECT)

    def without_bytes(self) -> Exchange:
        """The same as it may leave the process: neither the recording nor the request, which may hold secrets."""
        raw = None if self.raw is None else ClosedRecording(len(self.raw))
        return msgspec.structs.replace(self, raw=raw, request=b"", unchunked=None, header_names=None)

    def close(self) -> None:
        """Drop the recording and what was made of it; idempotent."""
        self.unchunked = None
        if self.raw is not None:
            self.raw.close()
