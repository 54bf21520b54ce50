"""Misbehaving servers on loopback: raw asyncio streams that send exactly the bytes a test declares.

A server runs one script per connection, `async def script(peer)`. A `Peer` reads requests and writes bytes, closes,
resets or falls silent. Everything it was asked is kept, so a test can say what arrived where.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


class Peer:
    """One connection, seen from the server."""

    def __init__(self, server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
        self._server = server
        self._reader = reader
        self._writer = writer
        self.number = number
        """Counts connections from 0."""

    async def request(self) -> bytes:
        """The next request's head; raises ConnectionError when the client is gone."""
        try:
            head = await self._reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as exc:
            raise ConnectionResetError from exc
        self._server.requests.append(head)
        return head

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def flushed(self) -> None:
        """Let what was sent reach the client as a piece of its own."""
        await asyncio.sleep(0.005)

    def reset(self) -> None:
        """Close with an RST."""
        sock = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    async def hang(self) -> None:
        """Keep the connection and say nothing, until the client closes."""
        while await self._reader.read(65536):
            pass


Script = Callable[[Peer], Awaitable[None]]


class Server:
    """A listening script."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._peers: set[asyncio.StreamWriter] = set()
        self.requests: list[bytes] = []
        self.connections = 0
        self.host = "127.0.0.1"
        self.port = 0
        self.scheme = "http"

    def url(self, path: str = "/", host: str | None = None) -> str:
        return f"{self.scheme}://{host or self.host}:{self.port}{path}"

    async def run(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = Peer(self, reader, writer, self.connections)
        self.connections += 1
        self._peers.add(writer)
        try:
            with contextlib.suppress(ConnectionError, TimeoutError, ssl.SSLError):
                await self._script(peer)
        finally:
            self._peers.discard(writer)
            writer.close()

    def drop_all(self) -> None:
        for writer in tuple(self._peers):
            writer.transport.abort()


@contextlib.asynccontextmanager
async def serving(
    script: Script, *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
) -> AsyncIterator[Server]:
    """Run `script` for each connection to a free port of `host`."""
    server = Server(script)
    listener = await asyncio.start_server(server.run, host, 0, ssl=tls)
    server.host = f"[{host}]" if ":" in host else host
    server.port = listener.sockets[0].getsockname()[1]
    server.scheme = "https" if tls else "http"
    try:
        yield server
    finally:
        listener.close()
        server.drop_all()
        await listener.wait_closed()


def saying(*answers: bytes, then: str = "close") -> Script:
    """Answer the n-th request of each connection with the n-th of `answers`; then close, hang or reset."""

    async def script(peer: Peer) -> None:
        for answer in answers:
            await peer.request()
            await peer.send(answer)
        if then == "hang":
            await peer.hang()
        elif then == "reset":
            await peer.flushed()
            peer.reset()

    return script


def repeating(answer: bytes) -> Script:
    """Answer every request alike and keep the connection."""

    async def script(peer: Peer) -> None:
        while True:
            await peer.request()
            await peer.send(answer)

    return script
