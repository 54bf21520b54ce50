"""ResponseReader: bytes in, one response out. It knows no socket and no clock.

The connection feeds it what arrives, tells it when the peer has closed or time is up, and stops when `is_done`. By
then it has filled the Exchange: a head with a body, whole or `truncated`, or a `failure`; and its recording holds
exactly the bytes that belong to this response, interim responses included. Bytes behind its end are not its own: they
are left out, and the connection is not used again.

    head incomplete ──► interim head (1xx): again, up to a cap ──► final head ──► body counted or unchunked ──► done
         │ not HTTP, too large, closed, out of time                     │ closed, out of time, over the limit
         ▼                                                              ▼
       failure                                                      truncated
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from gossamer.fetch.chunked import ChunkReader
from gossamer.fetch.framing import UNBOUNDED, Framing, framing
from gossamer.fetch.head import ResponseHead, find_end, may_become_head, read_tolerantly
from gossamer.fetch.recording import SpooledRecording
from gossamer.fetch.strict import read_strictly
from gossamer.model.exchange import Exchange, Truncation
from gossamer.model.fetchstatus import FetchStatus
from gossamer.util.terminal import printable

_DETAIL = 200
"""Characters of a reason or a detail that are kept."""
MAX_INTERIM = 1000
"""Interim responses before the final one; curl bounds only their bytes, which header_bytes does too."""


class Bounds(msgspec.Struct, frozen=True):
    """How much of a response is taken."""

    header_bytes: int
    """Interim responses included."""
    header_lines: int
    unchunked: int
    """Bytes of a chunked body kept without its framing."""


class ResponseReader:
    """One response under way."""

    is_done = False
    is_reusable = False
    """The connection may carry another request: this response ended where it said, and nothing follows it."""
    received = 0
    """Bytes that were fed, those behind the end included."""

    _has_head = False
    """The final head is complete."""
    _pending: bytearray | None = None
    """Heads that are not complete yet."""
    _head_start = 0
    """Where in `_pending` the head under way begins."""
    _scanned = 0
    """How much of `_pending` holds no end of that head."""
    _lines = 0
    """Line ends of that head within what was scanned."""
    _interim = 0
    _left = 0
    """Bytes of a counted body still to come."""
    _framing = Framing()
    """How the end of the body is known; meaningless before the head."""
    _chunks: ChunkReader | None = None

    def __init__(
        self,
        exchange: Exchange,
        bounds: Bounds,
        body_limit: int,
        recording: SpooledRecording,
        *,
        fails_if_larger: bool = False,
    ) -> None:
        """`body_limit` is in wire bytes, chunked framing included; `recording` is the exchange's from the first byte.

        A body beyond the limit is cut, or, if it `fails_if_larger`, BODY_TOO_LARGE, as soon as that is known.
        """
        self.exchange = exchange
        self._bounds = bounds
        self._recording = recording
        self._room = body_limit
        """Bytes that the body may still have on the wire."""
        self._fails_if_larger = fails_if_larger

    def feed(self, data: bytes) -> bool:
        """Take what arrived; True when the response has ended. Raises StorageError."""
        self.received += len(data)
        if self._has_head:
            self._record(data, self._body_stop(data, 0))
        elif self._pending is None:
            # Nearly always the whole head is here, and as it should be.
            end = data.find(b"\r\n\r\n") + 4
            if 4 < end <= self._bounds.header_lines:
                head = read_strictly(data[:end])
                if head is not None and head.status >= 200:
                    self._begin_body(head, data, end)
                    return self.is_done
            self._read_heads(data)
        else:
            self._pending += data
            self._read_heads(self._pending)
        return self.is_done

    def end_of_stream(self, error: str = "") -> None:
        """The peer closed, or reset (`error` says how). Raises StorageError."""
        if self.is_done:
            return
        if not self._has_head:
            self._end_without_head(error)
            return
        is_whole = self._chunks.is_last if self._chunks is not None else not self._framing.is_exact and not error
        if is_whole:
            self._finish()
        else:
            self._cut(Truncation.DISCONNECT, error or "the server closed the connection before the body was complete")

    def out_of_time(self, why: str) -> None:
        """Time is up, or the response too slow; `why` is a sentence for the log. Raises StorageError."""
        if self.is_done:
            return
        if self._has_head:
            self._cut(Truncation.TIME, why)
        else:
            self._fail(FetchStatus.TIMED_OUT, why)

    def crash(self, detail: str) -> None:
        """Something unexpected broke the reading off."""
        if not self.is_done:
            self._fail(FetchStatus.CRASHED, detail)

    # -- heads ----------------------------------------------------------------------------------------------------

    def _read_heads(self, window: bytes | bytearray) -> None:
        """Read interim heads and the final one, as far as they are there."""
        start = self._head_start
        while True:
            start = _skip_blank_lines(window, start)
            self._scanned = max(start, self._scanned)
            end = find_end(window, self._scanned)
            if end < 0:
                self._wait_for_head(window, start)
                return
            if self._is_head_too_large(window, end):
                return
            head = self._read_head(bytes(window[start:end]))
            if head is None:
                self._fail_at(window, FetchStatus.MALFORMED_RESPONSE, f"begins with {_excerpt(window, start)!r}")
                return
            if head.status >= 200:
                self._begin_body(head, window if isinstance(window, bytes) else bytes(window), end)
                return
            if head.status == 101:
                self._fail_at(window, FetchStatus.UNEXPECTED_UPGRADE, "101 was answered, though nobody asked for it")
                return
            self._interim += 1
            if self._interim > MAX_INTERIM:
                self._fail_at(window, FetchStatus.HEADERS_TOO_LARGE, f"more than {MAX_INTERIM} interim responses")
                return
            start = self._scanned = end
            self._lines = 0

    def _read_head(self, data: bytes) -> ResponseHead | None:
        head = read_strictly(data)
        if head is None:
            head = read_tolerantly(data)
            if head is not None and "tolerant" not in self.exchange.annotations:
                self.exchange.annotations.append("tolerant")
        return head

    def _wait_for_head(self, window: bytes | bytearray, start: int) -> None:
        """Keep what there is of a head, unless it can never be one or is too large already."""
        if not may_become_head(window[start : start + 64]):
            self._fail_at(window, FetchStatus.MALFORMED_RESPONSE, f"begins with {_excerpt(window, start)!r}")
            return
        # An empty line may have begun in the last three bytes; all before them has been looked at for good.
        scanned = max(self._scanned, len(window) - 3)
        if self._is_head_too_large(window, scanned):
            return
        if self._pending is None:
            self._pending = bytearray(window)
        self._head_start = start
        self._scanned = scanned

    def _is_head_too_large(self, window: bytes | bytearray, end: int) -> bool:
        """Count the head under way on to `end`; too large = it has failed."""
        self._lines += window.count(b"\n", self._scanned, end)
        if end > self._bounds.header_bytes:
            self._fail_at(window, FetchStatus.HEADERS_TOO_LARGE, f"more than {self._bounds.header_bytes} bytes")
        elif self._lines > self._bounds.header_lines:
            self._fail_at(window, FetchStatus.HEADERS_TOO_LARGE, f"more than {self._bounds.header_lines} lines")
        return self.is_done

    def _fail_at(self, window: bytes | bytearray, status: FetchStatus, detail: str) -> None:
        """Fail with what arrived of the heads recorded, to the cap."""
        self._pending = bytearray(window[: self._bounds.header_bytes])
        self._fail(status, detail)

    def _fail(self, status: FetchStatus, detail: str) -> None:
        self.exchange.failure = status
        self.exchange.detail = printable(detail, _DETAIL)
        self._finish()
        if self._pending:
            self._record(bytes(self._pending), len(self._pending))
            self._pending = None

    def _end_without_head(self, error: str) -> None:
        if self.received:
            self._fail(FetchStatus.CONNECTION_LOST, error or "the server closed the connection inside the headers")
        elif error:
            self._fail(FetchStatus.CONNECTION_LOST, error)
        else:
            self._fail(FetchStatus.EMPTY_RESPONSE, "the server closed the connection without an answer")

    # -- body -----------------------------------------------------------------------------------------------------

    def _begin_body(self, head: ResponseHead, data: bytes, start: int) -> None:
        """Take over the final head; the body's first bytes are `data[start:]`."""
        exchange = self.exchange
        exchange.http_status = head.status
        exchange.reason = _reason_text(head.reason[:_DETAIL])
        exchange.version = f"HTTP/{head.version}"
        exchange.headers = head.headers
        exchange.header_names = fields = dict(head.headers)
        exchange.body_start = start
        self._has_head = True
        self._pending = None
        self._framing = framed = framing(head, fields)
        self._left = framed.length
        if framed.annotation:
            exchange.annotations.append(framed.annotation)
        if framed.is_chunked:
            self._chunks = ChunkReader(self._bounds.unchunked, self._bounds.header_bytes)
        if self._fails_if_larger and self._room < self._left < UNBOUNDED:
            self._cut_at_limit(f"the body has {self._left} bytes")
            self._record(data, start)
            return
        self._record(data, self._body_stop(data, start))

    def _record(self, data: bytes, stop: int) -> None:
        self.exchange.raw = self._recording
        self._recording.append(data if stop == len(data) else data[:stop])

    def _body_stop(self, data: bytes, start: int) -> int:
        """Read the body's part of `data`, from `start`; the index where this response's bytes end."""
        if self._chunks is not None:
            return self._chunked_stop(self._chunks, data, start)
        available = len(data) - start
        if available >= self._left and self._left <= self._room:
            return self._complete(data, start + self._left)
        # A counted body larger than the limit is cut as soon as the limit is reached; another may yet end there.
        if available > self._room or (available == self._room and self._left < UNBOUNDED):
            self._cut_at_limit("the body is larger than the limit")
            return start + self._room
        self._room -= available
        if self._left < UNBOUNDED:
            self._left -= available
        return len(data)

    def _chunked_stop(self, chunks: ChunkReader, data: bytes, start: int) -> int:
        stop = chunks.feed(data, start, min(len(data), start + self._room))
        self._room -= stop - start
        if chunks.is_done:
            return self._complete(data, stop)
        if chunks.is_broken:
            self.exchange.annotations.append("badChunk")
            if chunks.is_last:
                self._cut(Truncation.LENGTH, "the trailers are too large")
            else:
                self._cut(Truncation.DISCONNECT, "the chunked framing is broken")
        elif stop < len(data):
            self._cut_at_limit("the body is larger than the limit")
        return stop

    def _complete(self, data: bytes, stop: int) -> int:
        """The body ended where it said; what follows it is an oddity."""
        self._finish()
        if stop == len(data):
            self.is_reusable = self._framing.is_reusable
        else:
            self.exchange.annotations.append("extraBytes")
        return stop

    def _cut(self, why: Truncation, detail: str) -> None:
        self.exchange.truncated = why
        self.exchange.detail = printable(detail, _DETAIL)
        self._finish()

    def _cut_at_limit(self, detail: str) -> None:
        self._cut(Truncation.LENGTH, detail)
        if self._fails_if_larger:
            self.exchange.failure = FetchStatus.BODY_TOO_LARGE

    def _finish(self) -> None:
        self.is_done = True
        if self._chunks is not None:
            self.exchange.unchunked = bytes(self._chunks.payload)


@lru_cache(maxsize=64)
def _reason_text(reason: bytes) -> str:
    return printable(reason.decode("latin-1"))


def _skip_blank_lines(window: bytes | bytearray, start: int) -> int:
    """Some servers send blank lines before a status line."""
    while start < len(window) and window[start] in b"\r\n":
        start += 1
    return start


def _excerpt(window: bytes | bytearray, start: int) -> str:
    return printable(bytes(window[start : start + 40]).decode("latin-1"))
