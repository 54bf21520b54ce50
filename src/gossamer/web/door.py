"""The door of a crawl: opened when the crawl has its folder, closed when it has ended.

    the crawl is open and holds its lock -> control.sock is made, and the metrics port if there is one
        -> the first visitor comes, or the crawl has been open for a while -> the HTTP server is loaded, in a thread,
           and lets them in

A short crawl that nobody asks anything never loads a web server, which takes a quarter of a second of CPU and 4 MB. A
longer one does so before anybody has to wait for it: a thread that loads beside a busy event loop gets little of the
processor, and takes seconds on a machine that is overloaded.

A door that cannot be opened is a warning, and the crawl goes on: it is not worth a crawl.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from gossamer.util.tasks import blocking
from gossamer.web.controlsocket import ControlSocket

if TYPE_CHECKING:
    from gossamer.jobs import CrawlJob
    from gossamer.web.server import HttpServer

log = logging.getLogger(__name__)

LOAD_AFTER_SECONDS = 10.0
"""When a crawl that nobody asked anything loads the web server: 2 % of its CPU until then."""


class ControlDoor:
    """The control API of one run of a job."""

    def __init__(self, *, metrics: str = "", load_after: float = LOAD_AFTER_SECONDS) -> None:
        """`metrics` is host:port on loopback; empty = no port. `load_after` is in seconds from `open` on."""
        self._metrics = metrics
        self._load_after = load_after
        self._timer: asyncio.TimerHandle | None = None
        self._socket: ControlSocket | None = None
        self._halls: list[_Hall] = []

    def open(self, job: CrawlJob) -> None:
        """Open both; called once, in the job's loop, when its crawl is open."""
        if not job.is_running:
            return
        self._open_control(job)
        if self._metrics:
            self._open_metrics(job)
        self._timer = asyncio.get_running_loop().call_later(self._load_after, self._load_all)

    @property
    def is_loaded(self) -> bool:
        """Whether whoever comes is let in at once."""
        return all(hall.is_loaded for hall in self._halls)

    def _load_all(self) -> None:
        for hall in self._halls:
            hall.begin()

    async def close(self) -> None:
        """Close, whatever was opened; idempotent."""
        if self._timer is not None:
            self._timer.cancel()
        halls, self._halls = self._halls, []
        for hall in halls:
            await hall.close()
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _open_control(self, job: CrawlJob) -> None:
        path = job.directory.control_socket
        try:
            self._socket = ControlSocket(path)
        except OSError as error:
            log.warning("no control API: %s cannot be made: %s", path, error.strerror or error)
            return
        self._halls.append(_Hall(self._socket.listener, lambda: _load(job, is_metrics=False)))

    def _open_metrics(self, job: CrawlJob) -> None:
        try:
            listener = _listen(self._metrics)
        except OSError as error:
            log.warning("no metrics at %s: %s", self._metrics, error.strerror or error)
            return
        self._halls.append(_Hall(listener, lambda: _load(job, is_metrics=True)))


class _Hall:
    """One listening socket, and the server behind it once it is loaded."""

    def __init__(self, listener: socket.socket, load: Callable[[], HttpServer]) -> None:
        self._listener = listener
        self._load = load
        self._loading: asyncio.Task[None] | None = None
        self._server: HttpServer | None = None
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(listener, self.begin)

    @property
    def is_loaded(self) -> bool:
        return self._loading is not None and self._loading.done()

    def begin(self) -> None:
        """Load the server and let in who waits; does nothing if that was begun."""
        if self._loading is None:
            self._loop.remove_reader(self._listener)
            self._loading = self._loop.create_task(self._open(), name="control API")

    async def _open(self) -> None:
        try:
            server = await blocking(self._load)
            self._server = server
            await server.start(self._listener)
        except Exception:
            log.exception("the control API could not be started")
            self._listener.close()  # who comes is refused, and does not wait for ever

    async def close(self) -> None:
        if self._loading is None:
            self._loop.remove_reader(self._listener)
        else:
            self._loading.cancel()
            await asyncio.gather(self._loading, return_exceptions=True)
        if self._server is not None:
            await self._server.close()
        self._listener.close()


def _load(job: CrawlJob, *, is_metrics: bool) -> HttpServer:
    """Import the web server and build the application; for a thread, since it takes about 0.2 s."""
    from gossamer.web.application import application
    from gossamer.web.control import ControlApi
    from gossamer.web.server import HttpServer

    api = ControlApi(job)
    routes = [api.metrics_route()] if is_metrics else api.routes()
    return HttpServer(application(routes, api.allowed))


def _listen(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    family = socket.AF_INET6 if host.startswith("[") else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setblocking(False)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host.strip("[]"), int(port)))
        listener.listen(16)
    except BaseException:
        listener.close()
        raise
    return listener
