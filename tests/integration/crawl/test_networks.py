"""Whole crawls whose own way out is special: a proxy that comes and goes, a resolver of the caller's."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator

import pytest

from gossamer.config import CrawlConfig, Fetching, Politeness
from gossamer.control import CrawlController, ExitStatus
from gossamer.fetch.dns import DnsAnswer
from gossamer.jobs import CrawlJob, CrawlOutcome
from gossamer.model.events import CrawlStateChanged
from gossamer.seeds import parse_seed
from tests.support.stubsite import NOT_FOUND, Asked, Stub, StubSite

from .accounts import page
from .conftest import Crawls


class Forwarder:
    """The least http proxy there can be: hands a connection on to one port, bytes as they are; can be away."""

    def __init__(self, port: int) -> None:
        self._target = port
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.connections = 0
        self._listener: socket.socket | None = None

    def open(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port), reuse_port=False)
        threading.Thread(target=self._serve, args=(self._listener,), daemon=True).start()

    def close(self) -> None:
        if self._listener is not None:
            self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None

    def _serve(self, listener: socket.socket) -> None:
        while True:
            try:
                one, _ = listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._one, args=(one,), daemon=True).start()

    def _one(self, one: socket.socket) -> None:
        with one, socket.create_connection(("127.0.0.1", self._target)) as other:
            head = one.recv(65536)
            if head:
                other.sendall(head.replace(b"\r\nConnection: keep-alive", b"\r\nConnection: close"))
                while data := other.recv(65536):
                    one.sendall(data)


@pytest.fixture
def site() -> Iterator[StubSite]:
    pages = {f"http://site.example/{number}": page(f"/{number + 1}") for number in range(6)}

    def answer(asked: Asked) -> Stub:
        return pages.get(asked.path, NOT_FOUND)

    with StubSite(answer) as made:
        yield made


def test_a_proxy_that_goes_away_pauses_the_crawl_until_it_is_back_and_charges_nobody(
    crawls: Crawls, site: StubSite
) -> None:
    proxy = Forwarder(int(site.url.rpartition(":")[2]))
    proxy.open()
    states: list[str] = []

    def watch(controller: CrawlController) -> None:
        def on_state(event: CrawlStateChanged) -> None:
            states.append(f"{event.state} {event.reason}".strip())
            if event.state == "PAUSED":
                proxy.open()

        controller.bus.subscribe(CrawlStateChanged, on_state)

    plain = site.otherwise

    def dropping(asked: Asked) -> Stub:
        if asked.path.endswith("/2") and "PAUSED network" not in states:
            proxy.close()
        return plain(asked)

    site.otherwise = dropping
    outcome = crawls.run(
        ["http://site.example/0"],
        fetching=Fetching(proxy=f"http://127.0.0.1:{proxy.port}", max_idle_connections_seconds=0),
        watch=watch,
        toes=2,
        connections=1,
    )
    proxy.close()
    assert outcome.exit_status is ExitStatus.FINISHED
    assert states[2:4] == ["PAUSING network", "PAUSED network"] and states[4] == "RUNNING"
    counts = outcome.progress.counts
    assert (counts.pages, counts.failed, counts.retried) == (6, 0, 0)
    assert [line[1] for line in crawls.log_lines() if "site.example" in line[3]] == ["404"] + ["200"] * 6 + ["404"]


def test_a_proxy_that_never_worked_ends_the_crawl_and_says_why(
    crawls: Crawls, site: StubSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gossamer.control.network.SCHEDULE", (0.01, 0.02, 0.03, 0.04))
    proxy = Forwarder(1)
    outcome = crawls.run(["http://site.example/0"], fetching=Fetching(proxy=f"http://127.0.0.1:{proxy.port}"))
    assert outcome.exit_status is ExitStatus.FAILED
    assert f"http://127.0.0.1:{proxy.port} cannot be used" in outcome.reason and "refused" in outcome.reason
    assert outcome.progress.counts.queued == 1


def test_a_resolver_of_the_callers_is_asked_and_not_closed(crawls: Crawls) -> None:
    class Mine:
        asked: tuple[str, ...] = ()
        closed = 0

        async def resolve(self, host: str) -> DnsAnswer:
            self.asked += (host,)
            return DnsAnswer(host, ("127.0.0.1",)) if host == "mine.example" else DnsAnswer(host, failure="not mine")

        async def close(self) -> None:
            self.closed += 1

    resolver = Mine()

    async def main(url: str) -> CrawlOutcome:
        crawls.directory.create()
        job = CrawlJob(crawls.directory)
        config = CrawlConfig(
            folder=crawls.directory.path,
            allow_private=["127.0.0.0/8"],
            politeness=Politeness(delay=0, first_contact_schedule=(0.01,)),
        )
        await job.launch(config, [parse_seed(f"{url}/")], resolver=resolver)
        return await job.wait()

    with StubSite(lambda asked: Stub()) as served:
        outcome = asyncio.run(main(served.url.replace("127.0.0.1", "mine.example")))
    assert outcome.progress.counts.pages == 1
    assert set(resolver.asked) == {"mine.example"} and resolver.closed == 0
