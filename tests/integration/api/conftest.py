"""Crawls from Python over a small site on loopback, whose pages each test writes itself."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gossamer import CrawlConfig, Politeness

Answer = tuple[int, dict[str, str], bytes]


class Site:
    """Path -> answer; what is not there is 404. Knows what was asked for."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer | Callable[[], Answer]] = {}
        self.asked: list[str] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.asked.append(self.path)
                answer = site.answers.get(self.path, (404, {}, b"nothing here"))
                status, headers, body = answer() if callable(answer) else answer
                self.send_response(status)
                for name, value in {"Content-Type": "text/html", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                pass  # a client that went away is no news

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="site")

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __call__(self, path: str) -> str:
        """The URL of a path."""
        return self.root + path

    def page(self, path: str, *links: str, title: str = "", head: str = "", body: str = "", **headers: str) -> None:
        """A page with these links."""
        anchors = "".join(f'<a href="{link}">to {link}</a>\n' for link in links)
        html = f"<html lang=en><head><title>{title or path}</title>{head}</head><body>{anchors}{body}</body></html>"
        self.answers[path] = (200, {name.replace("_", "-"): value for name, value in headers.items()}, html.encode())

    def answer(self, path: str, status: int, body: bytes = b"", **headers: str) -> None:
        self.answers[path] = (status, {name.replace("_", "-"): value for name, value in headers.items()}, body)

    def pages(self, count: int) -> None:
        """A start page and `count` pages behind it, /0 to /count-1, each with a link to the next one but one."""
        self.page("/", *(f"/{number}" for number in range(count)))
        for number in range(count):
            self.page(f"/{number}", f"/{(number + 2) % count}")

    def __enter__(self) -> Site:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


EAGER = Politeness(
    delay=0,
    delay_factor=0,
    connections_per_host=8,
    first_contact_schedule=(0.01, 0.01),
    max_tries=2,
    throttle_start=0.01,
)
"""No rest for a server of one's own, and no patience with it."""


@pytest.fixture
def eager() -> Callable[..., CrawlConfig]:
    """Makes a configuration without rests, of three toes if nothing else is said."""

    def config(**settings: Any) -> CrawlConfig:
        return CrawlConfig(**{"politeness": EAGER, "toes": 3, **settings})

    return config


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made, for this test alone."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture(autouse=True)
def _nothing_is_left(temporary: Path) -> Iterator[None]:
    """Whatever a test did, its crawls leave no thread and no folder behind."""
    before = set(threading.enumerate())
    yield
    assert list(temporary.iterdir()) == []
    left = [
        thread
        for thread in threading.enumerate()
        if thread not in before and thread.is_alive() and thread.name.startswith(("gossamer", "crawler"))
    ]
    assert not left, left
