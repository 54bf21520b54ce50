"""The demo server: HTTP/1.1 for a demo site on loopback, in the event loop it is started in.

One listening socket per host of the plan: the same address with different ports, or the same port on 127.0.0.1,
127.0.0.2, … Connections are kept alive, pipelined requests answered in order. Only GET and HEAD are served; a request
that cannot be read gets a 400 and the connection ends. It is a server for tests and demonstrations: it trusts that its
clients are few.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections import Counter
from types import TracebackType
from typing import Literal, cast

from gossamer.demosite.answer import HTML, Answer, answer
from gossamer.demosite.arrival import arrival_of_unread, ask_for_arrivals
from gossamer.demosite.plan import DemoPlan
from gossamer.demosite.requestlog import Request, RequestLog
from gossamer.demosite.site import DemoSite

Spread = Literal["ports", "addresses"]

_MAX_HEAD = 64 * 1024
_READ = 64 * 1024
_BIND_TRIES = 20
_DRIPS = 10


class DemoServer:
    """A demo site that answers; an asynchronous context manager."""

    def __init__(
        self, plan: DemoPlan | None = None, *, port: int = 0, spread: Spread = "ports", log: RequestLog | None = None
    ) -> None:
        """With port 0 the system chooses. `spread` says how several hosts differ."""
        self.plan = plan or DemoPlan()
        self.log = log or RequestLog()
        self._port = port
        self._spread: Spread = spread
        self._servers: list[asyncio.Server] = []
        self._visits: Counter[tuple[int, str]] = Counter()
        self._connections: set[_Connection] = set()
        self.accepted = 0
        """Connections so far."""

    async def start(self) -> None:
        """Bind and serve. Raises OSError if the ports cannot be had."""
        sockets = _bind(self.plan.hosts, self._port, self._spread)
        self.site = DemoSite(self.plan, ["{}:{}".format(*s.getsockname()[:2]) for s in sockets])
        loop = asyncio.get_running_loop()
        for host, bound in enumerate(sockets):
            ask_for_arrivals(bound)
            make = lambda host=host: _Connection(self, host)  # noqa: E731  one factory per socket
            self._servers.append(await loop.create_server(make, sock=bound, backlog=1024))

    async def close(self) -> None:
        """Stop listening and cut every connection; idempotent."""
        for server in self._servers:
            server.close()
        for connection in tuple(self._connections):
            connection.abort()
        self._servers.clear()
        # One turn of the loop delivers connection_lost, so that nothing is left behind.
        await asyncio.sleep(0)

    @property
    def seeds(self) -> list[str]:
        """Where a crawl of the whole site begins."""
        return self.site.seeds

    async def __aenter__(self) -> DemoServer:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # ---- what connections call

    def opened(self, connection: _Connection) -> int:
        self._connections.add(connection)
        self.accepted += 1
        return self.accepted

    def lost(self, connection: _Connection) -> None:
        self._connections.discard(connection)

    def respond(self, request: Request, host: int) -> Answer:
        """The answer, which may depend on how often this was asked before."""
        if request.method not in ("GET", "HEAD"):
            return answer(405, HTML, b"<h1>405</h1>\n", (b"Allow", b"GET, HEAD"))
        visits = self._visits[host, request.target]
        self._visits[host, request.target] += 1
        return self.site.find(host, request.target).answer(visits)


def _bind(hosts: int, port: int, spread: Spread) -> list[socket.socket]:
    """One listening socket per host, close-on-exec."""
    for tries_left in reversed(range(_BIND_TRIES)):
        sockets: list[socket.socket] = []
        try:
            for host in range(hosts):
                # The first may get any port; in `addresses` the others need the same one.
                if spread == "addresses":
                    wanted = sockets[0].getsockname()[1] if sockets else port
                    sockets.append(socket.create_server((f"127.0.0.{host + 1}", wanted), backlog=1024))
                else:
                    sockets.append(socket.create_server(("127.0.0.1", port + host if port else 0), backlog=1024))
            return sockets
        except OSError:
            for bound in sockets:
                bound.close()
            if port or not tries_left:
                raise
    raise AssertionError("the last try returns or raises")


class _Connection(asyncio.BufferedProtocol):
    """One client's connection: reads requests, answers one after the other.

    The loop asks for a buffer just before it reads: the moment to ask when that arrived.
    """

    def __init__(self, server: DemoServer, host: int) -> None:
        self._server = server
        self._host = host
        self._read = memoryview(bytearray(_READ))
        self._buffer = bytearray()
        self._arrived: float | None = None
        self._current: Request | None = None
        self._is_half_closed = False
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports are no asyncio.Transport by class, only by what they do.
        self._transport = cast(asyncio.Transport, transport)
        self._socket: socket.socket = transport.get_extra_info("socket").dup()
        self._serial = self._server.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._socket.close()
        if self._timer is not None:
            self._timer.cancel()
        if self._current is not None:
            self._server.log.end(self._current)
            self._current = None
        self._server.lost(self)

    def get_buffer(self, sizehint: int) -> memoryview:
        self._arrived = arrival_of_unread(self._socket)
        return self._read

    def buffer_updated(self, nbytes: int) -> None:
        self._buffer += self._read[:nbytes]
        self._advance()

    def eof_received(self) -> bool:
        """The client asks for no more; it still gets its answers."""
        self._is_half_closed = True
        self._advance()
        return True

    def abort(self) -> None:
        """Cut the connection."""
        self._transport.abort()

    def _advance(self) -> None:
        while self._current is None and not self._transport.is_closing():
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                if len(self._buffer) > _MAX_HEAD:
                    self._refuse()
                elif self._is_half_closed:
                    self._transport.close()
                return
            head = bytes(self._buffer[:end])
            del self._buffer[: end + 4]
            self._handle(head)

    def _handle(self, head: bytes) -> None:
        read = _read_head(head)
        if read is None:
            self._refuse()
            return
        method, target, version, headers = read
        authority = self._server.site.authorities[self._host]
        request = Request(authority, method, target, headers, self._serial, time.monotonic(), arrived=self._arrived)
        self._server.log.begin(request)
        made = self._server.respond(request, self._host)
        request.status = made.status
        self._current = request
        wish = (request.header("connection") or "").lower()
        # A request with a body is refused, and its body must not be read as the next request.
        has_body = request.header("content-length") is not None or request.header("transfer-encoding") is not None
        leaves = "close" in wish or (version == "HTTP/1.0" and "keep-alive" not in wish)
        close = made.is_delimited_by_close or has_body or leaves
        if latency := self._server.plan.latency_seconds:
            self._timer = asyncio.get_running_loop().call_later(latency, self._send_late, method, made, close)
        else:
            self._send(method, made, close)

    def _send_late(self, method: str, made: Answer, close: bool) -> None:
        self._send(method, made, close)
        self._advance()

    def _send(self, method: str, made: Answer, close: bool) -> None:
        if method == "HEAD":
            self._transport.write(made.head(close=close))
            self._finish(close)
        elif made.seconds:
            self._transport.write(made.head(close=close))
            self._drip(made.body, max(1, -(-len(made.body) // _DRIPS)), made.seconds / _DRIPS, close)
        else:
            self._transport.write(made.wire(close=close))
            self._finish(close)

    def _drip(self, body: bytes, size: int, pause: float, close: bool) -> None:
        """Send the next `size` bytes after a pause, and so on to the end."""
        loop = asyncio.get_running_loop()

        def send() -> None:
            self._transport.write(body[:size])
            if body[size:]:
                self._drip(body[size:], size, pause, close)
            else:
                self._finish(close)
                self._advance()

        self._timer = loop.call_later(pause, send)

    def _finish(self, close: bool) -> None:
        assert self._current is not None
        self._current.finished = time.monotonic()
        self._server.log.end(self._current)
        self._current = None
        if close:
            self._transport.close()

    def _refuse(self) -> None:
        self._transport.write(answer(400, HTML, b"<h1>400</h1>\n").wire(close=True))
        self._transport.close()


def _read_head(head: bytes) -> tuple[str, str, str, tuple[tuple[str, str], ...]] | None:
    """Method, target, version and headers of a request; None if it is not one that is understood."""
    lines = head.decode("latin-1").split("\r\n")
    words = lines[0].split(" ")
    if len(words) != 3 or not words[1].startswith("/") or words[2] not in ("HTTP/1.0", "HTTP/1.1"):
        return None
    pairs = [line.partition(":") for line in lines[1:]]
    if any(not colon for _, colon, _ in pairs):
        return None
    return words[0], words[1], words[2], tuple((name.lower(), value.strip()) for name, _, value in pairs)
