"""Connection: the asyncio protocol of one connection to a server.

It is idle, or carries one request and feeds what arrives to that request's ResponseReader. It belongs to a pool, which
inspects it on a coarse timer; there is no timer, task or future per read, one future per request. Whoever sends a byte
while nothing was asked is closed: such bytes could be taken for the next response.
"""

from __future__ import annotations

import asyncio
import select
import socket
from typing import Protocol, cast

import msgspec

from gossamer.errors import StorageError
from gossamer.fetch.response import ResponseReader
from gossamer.model.exchange import TlsFacts

Origin = tuple[str, str, int]
"""Scheme, host and port: what a kept-alive connection may be used for again."""


class Patience(msgspec.Struct, frozen=True):
    """How long a response may take. Seconds, and bytes a second."""

    idle: float
    min_rate: int
    min_rate_window: float


class ConnectionOwner(Protocol):
    """Whoever counts the open connections."""

    def lost(self, connection: Connection) -> None:
        """The connection is closed, its descriptor given back."""


class Connection(asyncio.Protocol):
    """One socket, or one TLS stream."""

    __slots__ = (
        "_deadline",
        "_owner",
        "_patience",
        "_poll",
        "_quiet_since",
        "_reader",
        "_seen",
        "_transport",
        "_waiter",
        "_window_bytes",
        "_window_start",
        "ip",
        "is_open",
        "origin",
        "tls",
    )

    def __init__(
        self, owner: ConnectionOwner, patience: Patience, origin: Origin, sock: socket.socket, ip: str
    ) -> None:
        self._owner = owner
        self._patience = patience
        self._poll = select.poll()
        self._poll.register(sock, select.POLLIN)
        self._transport: asyncio.Transport | None = None
        self._reader: ResponseReader | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._deadline = 0.0
        self._quiet_since = 0.0
        self._seen = 0
        self._window_start = 0.0
        self._window_bytes = 0
        self.origin = origin
        self.ip = ip
        self.tls: TlsFacts | None = None
        self.is_open = False

    # -- for the fetcher ------------------------------------------------------------------------------------------

    def send(self, payload: bytes, reader: ResponseReader, now: float, deadline: float) -> asyncio.Future[None]:
        """Write a request; the future is done when `reader` is. Its exception can only be a StorageError.

        `now` and `deadline` are monotonic. If the future is cancelled the caller must `abort`.
        """
        waiter = asyncio.get_running_loop().create_future()
        self._reader = reader
        self._waiter = waiter
        self._deadline = deadline
        self._quiet_since = self._window_start = now
        self._seen = self._window_bytes = 0
        if self._transport is None or not self.is_open:
            self._peer_is_gone("the connection was closed before the request could be sent")
        else:
            self._transport.write(payload)
        return waiter

    def is_quiet(self) -> bool:
        """Is it open, with nothing waiting in the kernel: neither an end of stream nor bytes nobody asked for?

        The event loop may not have looked since the last response; only the kernel knows.
        """
        return self.is_open and not self._poll.poll(0)

    def abort(self) -> None:
        """Close at once; idempotent."""
        self.is_open = False
        if self._transport is not None:
            self._transport.abort()

    # -- for the pool ---------------------------------------------------------------------------------------------

    def inspect(self, now: float) -> None:
        """End a response that takes too long. Called every so often; silence is known to that resolution."""
        if self._reader is None:
            return
        why = self._impatience(now, self._reader.received)
        if why:
            self._end_reading(lambda reader: reader.out_of_time(why))

    def _impatience(self, now: float, received: int) -> str:
        """Why the response under way is to be ended; empty = it is not."""
        patience = self._patience
        if now >= self._deadline:
            return "the fetch took longer than is allowed in all"
        if received != self._seen:
            self._seen = received
            self._quiet_since = now
        elif now - self._quiet_since >= patience.idle:
            return f"nothing came for {patience.idle:g} s"
        if not received:
            # A rate is that of a response; until it begins, silence alone is measured.
            self._window_start = now
            return ""
        elapsed = now - self._window_start
        if elapsed >= patience.min_rate_window:
            if received - self._window_bytes < patience.min_rate * elapsed:
                return f"less than {patience.min_rate} bytes a second over {elapsed:.0f} s"
            self._window_start = now
            self._window_bytes = received
        return ""

    # -- for the event loop ---------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports are no subclasses of asyncio's.
        self._transport = cast(asyncio.Transport, transport)
        self.is_open = True

    def data_received(self, data: bytes) -> None:
        reader = self._reader
        if reader is None:
            self.abort()
            return
        try:
            if reader.feed(data):
                self._end(reader, None)
        except StorageError as exc:
            self._end(reader, exc)

    def eof_received(self) -> bool:
        self._peer_is_gone("")
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        if exc is None or isinstance(exc, OSError):
            self._peer_is_gone(_describe(exc))
        else:
            self._end_reading(lambda reader: reader.crash(repr(exc)))
        self.is_open = False
        self._owner.lost(self)

    def _peer_is_gone(self, error: str) -> None:
        self.is_open = False
        self._end_reading(lambda reader: reader.end_of_stream(error))

    def _end_reading(self, how: _Ending) -> None:
        """End the response under way, if there is one, by telling its reader."""
        reader = self._reader
        if reader is None:
            return
        try:
            how(reader)
        except StorageError as exc:
            self._end(reader, exc)
        else:
            self._end(reader, None)

    def _end(self, reader: ResponseReader, error: StorageError | None) -> None:
        waiter = self._waiter
        self._reader = self._waiter = None
        if error is not None or not reader.is_reusable:
            self.abort()
        if waiter is None or waiter.done():
            return
        if error is None:
            waiter.set_result(None)
        else:
            waiter.set_exception(error)


class _Ending(Protocol):
    def __call__(self, reader: ResponseReader, /) -> None: ...


def _describe(exc: OSError | None) -> str:
    if exc is None:
        return ""
    return f"the connection broke: {(exc.strerror or str(exc) or type(exc).__name__).lower()}"
