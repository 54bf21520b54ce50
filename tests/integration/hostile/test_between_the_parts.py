"""What falls between the parts: hostile servers and odd surroundings that no part alone could have seen."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gossamer.config import CrawlConfig, with_named
from gossamer.control import CrawlController
from gossamer.jobs import CrawlOutcome, JobDirectory, run_job
from gossamer.model.events import CrawlStateChanged
from gossamer.seeds import parse_seed

Answer = Callable[[str], bytes]


def reply(body: str = "", status: str = "200 OK", *headers: str) -> bytes:
    head = [f"HTTP/1.1 {status}", "Content-Type: text/html", f"Content-Length: {len(body)}", "Connection: close"]
    return "\r\n".join([*head, *headers, "", body]).encode()


MISSING = reply("", "404 Not Found")


class RawServer:
    """Answers each connection once; `requests` are (monotonic time, path)."""

    def __init__(self, answer: Answer, host: str = "127.0.0.1") -> None:
        self.requests: list[tuple[float, str]] = []
        self._answer = answer
        self._socket = socket.create_server((host, 0))
        self.url = f"http://{host}:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def paths(self) -> list[str]:
        return [path for _, path in self.requests]

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._one, args=(connection,), daemon=True).start()

    def _one(self, connection: socket.socket) -> None:
        with connection:
            head = b""
            while b"\r\n\r\n" not in head:
                part = connection.recv(65536)
                if not part:
                    return
                head += part
            path = head.split()[1].decode()
            self.requests.append((time.monotonic(), path))
            connection.sendall(self._answer(path))

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def serve() -> Iterator[Callable[..., RawServer]]:
    servers: list[RawServer] = []

    def start(answer: Answer, host: str = "127.0.0.1") -> RawServer:
        servers.append(RawServer(answer, host))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def crawl(
    folder: Path,
    seeds: list[str],
    settings: dict[str, object] | None = None,
    watch: Callable[[CrawlController], None] = lambda controller: None,
    within: float = 20,
) -> CrawlOutcome:
    directory = JobDirectory(folder)
    directory.create()
    base = {
        "politeness.delay": 0.0,
        "politeness.host_schedule": (0.05, 0.05),
        "politeness.first_contact_schedule": (0.05,),
        "scope.max_embed_hops": 0,
        "limits.min_free_space": 0,
    }
    config = with_named(CrawlConfig(folder=directory.path), base | (settings or {}))

    async def run() -> CrawlOutcome:
        return await asyncio.wait_for(
            run_job(directory, config, [parse_seed(seed) for seed in seeds], on_controller=watch), within
        )

    return asyncio.run(run())


def test_a_page_that_refreshes_itself_keeps_its_links(tmp_path: Path, serve: Callable[..., RawServer]) -> None:
    def answer(path: str) -> bytes:
        if path == "/":
            return reply('<meta http-equiv=refresh content="60;url=/"><a href=/a>a</a><a href=/b>b</a>')
        return MISSING if path == "/robots.txt" else reply("x")

    site = serve(answer)
    outcome = crawl(tmp_path / "job", [site.url + "/"])
    assert sorted(site.paths) == ["/", "/a", "/b", "/robots.txt"]
    assert outcome.progress.counts.failed == 0


def test_a_refresh_header_to_the_page_itself_is_no_redirect(tmp_path: Path, serve: Callable[..., RawServer]) -> None:
    def answer(path: str) -> bytes:
        if path == "/":
            return reply("<a href=/a>a</a>", "200 OK", "Refresh: 300; url=/")
        return MISSING if path == "/robots.txt" else reply("x")

    site = serve(answer)
    crawl(tmp_path / "job", [site.url + "/"])
    assert sorted(site.paths) == ["/", "/a", "/robots.txt"]


def test_a_cookie_wall_met_by_a_link_is_followed_like_that_of_a_seed(
    tmp_path: Path, serve: Callable[..., RawServer]
) -> None:
    seen: list[str] = []

    def answer(path: str) -> bytes:
        seen.append(path)
        if path == "/":
            return reply("<a href=/wall>w</a>")
        if path == "/wall":
            if seen.count("/wall") == 1:
                return reply("", "302 Found", "Location: /wall", "Set-Cookie: a=b")
            return reply("<a href=/behind>b</a>")
        return MISSING if path == "/robots.txt" else reply("x")

    site = serve(answer)
    crawl(tmp_path / "job", [site.url + "/"])
    assert site.paths.count("/wall") == 2
    assert "/behind" in site.paths


def test_a_page_of_refreshes_does_not_widen_the_scope(tmp_path: Path, serve: Callable[..., RawServer]) -> None:
    others = [serve(lambda path: MISSING if path == "/robots.txt" else reply("o"), f"127.0.1.{n}") for n in range(1, 6)]

    def answer(path: str) -> bytes:
        if path == "/robots.txt":
            return MISSING
        return reply("".join(f"<meta http-equiv=refresh content='9;url={other.url}/'>" for other in others))

    site = serve(answer)
    crawl(tmp_path / "job", [site.url + "/"], {"fetching.allow_private": ("127.0.1.0/24",)})
    assert sum(bool(other.requests) for other in others) <= 1  # a seed's own, first refresh may count as its redirect


def test_a_chain_of_redirects_ends(tmp_path: Path, serve: Callable[..., RawServer]) -> None:
    def answer(path: str) -> bytes:
        if path == "/robots.txt":
            return MISSING
        if path == "/":
            return reply("<a href=/c0>c</a>")
        return reply("", "302 Found", f"Location: /c{int(path[2:]) + 1}")

    site = serve(answer)
    crawl(tmp_path / "job", [site.url + "/"], {"limits.max_time": 8.0, "limits.stop_grace": 1.0})
    assert len(site.requests) < 40


def test_a_robots_txt_that_leads_to_an_error_is_given_up(tmp_path: Path, serve: Callable[..., RawServer]) -> None:
    def answer(path: str) -> bytes:
        return reply("", "302 Found", "Location: /r2") if path == "/robots.txt" else reply("", "500 Oops")

    site = serve(answer)
    outcome = crawl(tmp_path / "job", [site.url + "/"], {"limits.max_time": 8.0})
    assert outcome.exit_status.name == "FINISHED"
    assert len(site.requests) <= 8


def test_a_stop_while_preparing_starts_nothing(tmp_path: Path, serve: Callable[..., RawServer]) -> None:
    site = serve(lambda path: MISSING if path == "/robots.txt" else reply("<a href=/1>1</a><a href=/2>2</a>"))

    def watch(controller: CrawlController) -> None:
        def on_state(event: CrawlStateChanged) -> None:
            if event.state == "PREPARING":
                controller.request_stop(reason="test")

        controller.bus.subscribe(CrawlStateChanged, on_state)

    outcome = crawl(tmp_path / "job", [site.url + "/"], {"limits.stop_grace": 5.0}, watch)
    assert site.requests == []
    assert outcome.seconds < 3


def test_a_job_folder_that_vanishes_ends_the_crawl_with_a_reason(
    tmp_path: Path, serve: Callable[..., RawServer]
) -> None:
    site = serve(
        lambda path: MISSING if path == "/robots.txt" else reply("".join(f"<a href=/{n}>n</a>" for n in range(9)))
    )
    folder = tmp_path / "job"

    def watch(controller: CrawlController) -> None:
        asyncio.get_running_loop().call_later(1.0, shutil.rmtree, folder)

    outcome = crawl(folder, [site.url + "/"], {"politeness.delay": 0.7}, watch)
    assert outcome.exit_status.name == "FAILED"
    assert "job" in outcome.reason


@pytest.mark.parametrize("closing", ["<&-", ">&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_do_not_matter(tmp_path: Path, serve: Callable[..., RawServer], closing: str) -> None:
    site = serve(lambda path: MISSING if path == "/robots.txt" else reply("x"))
    command = f'"{sys.executable}" -m gossamer crawl {site.url}/ --job "{tmp_path}/job" --delay 0 {closing}'
    settings = " --set scope.max_embed_hops=0 --set limits.min_free_space=0"
    done = subprocess.run(
        ["bash", "-c", command + settings], env=os.environ, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_report_says_why_a_seed_could_not_be_had(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    outcome = crawl(tmp_path / "job", [f"http://127.0.0.1:{port}/"])
    assert "CONNECT" in outcome.seeds[0].reason or "connect" in outcome.seeds[0].reason
