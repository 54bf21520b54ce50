"""HTTP on a listening socket, inside a running event loop. The only module that knows uvicorn.

Of uvicorn its HTTP/1.1 protocol (h11) serves, and not its Server: that one would take over the signals, wake ten times
a second, and end the process where it fails. Connections and their headers are bounded here; bodies are by the
application. Closing lets answers under way end, for a moment.
"""

from __future__ import annotations

import asyncio
import socket
from email.utils import formatdate
from typing import TYPE_CHECKING

from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

if TYPE_CHECKING:
    from starlette.types import ASGIApp

MAX_CONNECTIONS = 64
MAX_HEADER_BYTES = 32 * 1024
IDLE_SECONDS = 15
CLOSING_SECONDS = 0.5


class HttpServer:
    """Serves one application on one socket."""

    def __init__(self, app: ASGIApp) -> None:
        self._config = Config(
            app,
            http=_BoundedProtocol,
            ws="none",
            lifespan="off",
            loop="none",
            interface="asgi3",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=IDLE_SECONDS,
            h11_max_incomplete_event_size=MAX_HEADER_BYTES,
        )
        self._config.load()
        self._state = ServerState()
        self._server: asyncio.AbstractServer | None = None

    async def start(self, listener: socket.socket) -> None:
        """Begin to answer what comes to `listener`. Raises OSError."""
        loop = asyncio.get_running_loop()
        create = loop.create_unix_server if listener.family == socket.AF_UNIX else loop.create_server
        self._server = await create(lambda: _BoundedProtocol(self._config, self._state, {}), sock=listener)

    async def close(self) -> None:
        """Take no more connections, wait a moment for answers under way, and cut the rest off."""
        if self._server is not None:
            self._server.close()
        for connection in list(self._state.connections):
            connection.shutdown()
        if self._state.tasks:
            _, late = await asyncio.wait(self._state.tasks, timeout=CLOSING_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        for connection in list(self._state.connections):
            connection.transport.abort()


class _BoundedProtocol(H11Protocol):
    """One connection."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        if len(self.connections) >= MAX_CONNECTIONS:
            transport.abort()
            return
        self.server_state.default_headers = [(b"date", formatdate(usegmt=True).encode())]
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        if self in self.connections:
            super().connection_lost(exc)
