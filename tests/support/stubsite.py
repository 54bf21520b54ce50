"""A web site made of single answers, on loopback, in threads: what a test declares is what it serves.

    with StubSite() as site:
        site.add("/", '<a href="/next">')
        site.add("/next", status=302, headers={"Location": "/"})

What is declared for no path is answered by a function, `StubSite(answering)`; without one it is 404, robots.txt too.
It keeps what it was asked. A stub that `stalls` says no more after its body, until the site is closed.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Asked:
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: str = ""

    @property
    def cookies(self) -> dict[str, str]:
        return {name: morsel.value for name, morsel in SimpleCookie(self.headers.get("cookie", "")).items()}


@dataclass
class Stub:
    """One answer."""

    body: str | bytes = ""
    status: int = 200
    headers: Mapping[str, str] | Sequence[tuple[str, str]] = field(default_factory=dict)
    content_type: str = "text/html"
    is_silent: bool = False
    """Not even the head is sent."""
    stalls: bool = False
    """More is announced than comes."""


Answering = Callable[[Asked], Stub]
NOT_FOUND = Stub(status=404)


class StubSite:
    """The site."""

    def __init__(self, otherwise: Answering = lambda asked: NOT_FOUND) -> None:
        self.otherwise = otherwise
        """Answers for the paths that nothing was declared for."""
        self.asked: list[Asked] = []
        self._stubs: dict[tuple[str, str], Answering] = {}
        self._is_closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def port(self) -> int:
        return self._server.server_port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def counts(self) -> Counter[str]:
        """How often each path was asked for, whatever the method."""
        return Counter(asked.path for asked in self.asked)

    @property
    def paths(self) -> list[str]:
        """What was asked for, in order, but for robots.txt."""
        return [asked.path for asked in self.asked if asked.path != "/robots.txt"]

    def add(self, path: str, body: str | bytes = "", *, method: str = "GET", **stub: object) -> None:
        """Answer this path so."""
        made = Stub(body, **stub)  # type: ignore[arg-type]
        self.answer(path, lambda asked: made, method=method)

    def answer(self, path: str, answering: Answering, *, method: str = "GET") -> None:
        """Answer this path with what a function says."""
        self._stubs[method, path] = answering

    def __enter__(self) -> StubSite:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._is_closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 5.0

            def serve(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(self.command, self.path, headers, self.rfile.read(length).decode())
                site.asked.append(asked)
                stub = site._stubs.get((asked.method, asked.path), site.otherwise)(asked)
                if not stub.is_silent:
                    self.send(stub)
                if stub.stalls or stub.is_silent:
                    self.close_connection = True
                    site._is_closing.wait()

            do_GET = do_POST = serve  # noqa: N815  the names that BaseHTTPRequestHandler looks for

            def send(self, stub: Stub) -> None:
                body = stub.body.encode() if isinstance(stub.body, str) else stub.body
                self.send_response(stub.status)
                length = len(body) + (1000 if stub.stalls else 0)
                given = list(stub.headers.items() if isinstance(stub.headers, Mapping) else stub.headers)
                own = [("Content-Type", stub.content_type), ("Content-Length", str(length))]
                for name, value in [header for header in own if header[0] not in dict(given)] + given:
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *arguments: object) -> None:
                """Silent."""

        return Handler
