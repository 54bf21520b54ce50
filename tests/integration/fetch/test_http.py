"""HttpFetcher against servers that do what is declared, on both event loops."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import resource
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from gossamer.config.settings import Fetching
from gossamer.demosite import DemoPlan, DemoServer
from gossamer.errors import ConfigError, DiskFull
from gossamer.fetch.address import AddressRules
from gossamer.fetch.base import FetchRequest
from gossamer.fetch.http import HttpFetcher
from gossamer.model.exchange import Truncation
from gossamer.model.fetchstatus import FetchStatus
from gossamer.testing import FakeClock
from gossamer.util.clock import SystemClock

from .conftest import Runner
from .fetchers import FixedResolver, fetch, fetching, raw
from .servers import OK, Peer, repeating, saying, serving


def test_a_response_is_recorded_byte_for_byte(run: Runner) -> None:
    async def main() -> None:
        wire = (
            b"HTTP/1.1 200 Fine\r\nServer:  x \r\nX-A: 1\r\nx-a: 2\r\nContent-Type: text/html\r\n"
            b"Content-Length: 6\r\n\r\n\x00\xffabc\n"
        )
        async with serving(saying(wire)) as server, fetching() as fetcher:
            exchange = await fetch(fetcher, server.url("/p?q=1"))
            assert raw(exchange) == wire
            assert exchange.body() == b"\x00\xffabc\n"
            assert exchange.http_status == 200 and exchange.reason == "Fine" and exchange.version == "HTTP/1.1"
            assert exchange.header_values(b"x-a") == [b"1", b"2"] and exchange.header(b"server") == b"x"
            assert exchange.failure is None and exchange.truncated is None and exchange.unchunked is None
            assert (exchange.ip, exchange.port) == ("127.0.0.1", server.port)
            assert exchange.annotations == []
            assert exchange.started > 0 and exchange.started_wall > 0 and exchange.duration_seconds > 0
            assert exchange.request == server.requests[0]

    run(main())


def test_a_request_has_its_five_headers_and_the_callers(run: Runner) -> None:
    async def main() -> None:
        settings = {"contact": "https://example.org/bot", "headers": (("Accept-Language", "de"),)}
        async with serving(saying(OK)) as server, fetching(**settings) as fetcher:
            await fetch(fetcher, server.url("/a%20b?c"), headers=(("If-None-Match", '"x"'),))
            lines = server.requests[0].split(b"\r\n")
            assert lines[0] == b"GET /a%20b?c HTTP/1.1"
            assert lines[1] == f"Host: 127.0.0.1:{server.port}".encode()
            assert lines[2].startswith(b"User-Agent: gossamer/") and lines[2].endswith(b"(+https://example.org/bot)")
            assert lines[3].startswith(b"Accept: text/html")
            assert lines[4] == b"Accept-Encoding: gzip, deflate, br, zstd"
            assert lines[5:] == [b"Accept-Language: de", b"Connection: keep-alive", b'If-None-Match: "x"', b"", b""]

    run(main())


def test_user_name_and_password_of_a_url_are_not_sent(run: Runner) -> None:
    async def main() -> None:
        async with serving(repeating(OK)) as server, fetching() as fetcher:
            for _ in range(2):
                exchange = await fetch(fetcher, f"http://user:secret@127.0.0.1:{server.port}/x")
                assert exchange.http_status == 200
            await fetch(fetcher, server.url("/y"))
            for sent in server.requests:
                assert b"secret" not in sent and b"user" not in sent and b"uthorization" not in sent
            assert server.requests[0].startswith(b"GET /x HTTP/1.1\r\nHost: 127.0.0.1:")

    run(main())


@pytest.mark.parametrize(
    "header",
    [
        ("If-None-Match", "x\r\nEvil: 1"),
        ("If-None-Match", "x\nEvil: 1"),
        ("X\r\nEvil", "1"),
        ("X", "a\0b"),
        ("X", "snow \u2603"),
        ("Host", "elsewhere"),
        ("Transfer-Encoding", "chunked"),
        ("Content-Length", "5"),
        ("", "x"),
    ],
)
def test_a_header_that_could_forge_another_is_left_out(header: tuple[str, str]) -> None:
    async def main() -> None:
        async with serving(saying(OK)) as server, fetching() as fetcher:
            exchange = await fetch(fetcher, server.url(), headers=(header, ("X-Good", "1")))
            assert exchange.http_status == 200
            assert b"Evil" not in server.requests[0] and b"elsewhere" not in server.requests[0]
            assert server.requests[0].endswith(b"Connection: keep-alive\r\nX-Good: 1\r\n\r\n")

    asyncio.run(main())


def test_a_configured_header_that_cannot_be_sent_is_refused_before_launch() -> None:
    async def main() -> None:
        for given in (
            {"headers": (("X", "a\nb"),)},
            {"user_agent": "me\r\nEvil: 1"},
            {"headers": (("Connection", "close"),)},
        ):
            settings = Fetching()
            vars(settings).update(given)  # past all checks
            with pytest.raises(ConfigError, match="cannot be sent"):
                HttpFetcher(settings, FixedResolver(), AddressRules(), SystemClock())

    asyncio.run(main())


@pytest.mark.parametrize(
    "url", ["ftp://127.0.0.1/", "http://", "javascript:alert(1)", "file:///etc/passwd", "http://127.0.0.1:99999/", ""]
)
def test_what_is_no_http_url_is_not_fetched(url: str) -> None:
    async def main() -> None:
        async with fetching() as fetcher:
            exchange = await fetch(fetcher, url)
            assert exchange.failure is FetchStatus.UNFETCHABLE
            assert exchange.request == b"" and exchange.started == 0.0 and exchange.detail.isprintable()

    asyncio.run(main())


def test_a_connection_is_used_again(run: Runner) -> None:
    async def main() -> None:
        async with serving(repeating(OK)) as server, fetching() as fetcher:
            for number in range(5):
                exchange = await fetch(fetcher, server.url(f"/{number}"))
                assert exchange.body() == b"hello"
            assert server.connections == 1 and fetcher.open_connections == 1
            assert [request.split()[1] for request in server.requests] == [b"/0", b"/1", b"/2", b"/3", b"/4"]

    run(main())


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nConnection: Close\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    ],
)
def test_a_connection_is_not_used_again_after_a_response_that_closes_or_is_odd(run: Runner, answer: bytes) -> None:
    async def main() -> None:
        async with serving(repeating(answer)) as server, fetching() as fetcher:
            for _ in range(2):
                exchange = await fetch(fetcher, server.url())
                assert exchange.body() == b"ok" and exchange.truncated is None
            assert server.connections == 2

    run(main())


def test_an_http_1_0_connection_is_kept_when_the_server_says_so(run: Runner) -> None:
    async def main() -> None:
        answer = b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nok"
        async with serving(repeating(answer)) as server, fetching() as fetcher:
            for _ in range(2):
                await fetch(fetcher, server.url())
            assert server.connections == 1

    run(main())


def test_a_request_is_repeated_once_when_a_kept_connection_dies_before_a_byte(run: Runner) -> None:
    async def main() -> None:
        async def script(peer: Peer) -> None:
            await peer.request()
            await peer.send(OK)
            await peer.request()
            if peer.number:
                await peer.send(OK)

        sent: list[float] = []
        async with serving(script) as server, fetching() as fetcher:
            await fetch(fetcher, server.url("/0"))
            exchange = await fetch(fetcher, server.url("/1"), on_sent=sent.append)
            assert exchange.http_status == 200 and exchange.failure is None and exchange.detail == ""
            assert exchange.annotations == ["repeated"]
            assert len(sent) == 2 and exchange.started == sent[1]
            assert server.connections == 2 and len(server.requests) == 3

    run(main())


@pytest.mark.usefixtures("stamped_connection")
def test_the_gap_to_the_next_request_counts_from_when_this_one_had_left(run: Runner) -> None:
    async def main() -> None:
        sent: list[float] = []
        async with DemoServer(DemoPlan(pages=2)) as server, fetching() as fetcher:
            for _ in range(2):
                exchange = await fetch(fetcher, server.seeds[0], on_sent=sent.append)
                assert exchange.started == sent[-1]
        for request, when in zip(server.log.requests, sent, strict=True):
            assert request.arrived is not None and request.arrived <= when

    run(main())


def test_a_repeated_request_is_not_repeated_again(run: Runner) -> None:
    async def main() -> None:
        async def script(peer: Peer) -> None:
            await peer.request()
            if not peer.number:
                await peer.send(OK)
                await peer.request()
            peer.reset()

        async with serving(script) as server, fetching() as fetcher:
            await fetch(fetcher, server.url("/0"))
            exchange = await fetch(fetcher, server.url("/1"))
            assert exchange.failure is FetchStatus.CONNECTION_LOST and exchange.raw is None
            assert exchange.annotations == ["repeated"] and "reset" in exchange.detail
            assert server.connections == 2

    run(main())


def test_a_failure_on_a_new_connection_is_not_repeated(run: Runner) -> None:
    async def main() -> None:
        async def script(peer: Peer) -> None:
            await peer.request()

        async with serving(script) as server, fetching() as fetcher:
            exchange = await fetch(fetcher, server.url())
            assert exchange.failure is FetchStatus.EMPTY_RESPONSE and exchange.raw is None
            assert exchange.wire_bytes == 0 and server.connections == 1

    run(main())


def test_a_second_response_in_the_same_segment_is_never_given_to_the_next_url(run: Runner) -> None:
    async def main() -> None:
        forged = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"

        async def script(peer: Peer) -> None:
            await peer.request()
            await peer.send(OK + forged)
            await peer.hang()

        async with serving(script) as server, fetching() as fetcher:
            for _ in range(2):
                exchange = await fetch(fetcher, server.url())
                assert raw(exchange) == OK and exchange.annotations == ["extraBytes"]
            assert server.connections == 2

    run(main())


def test_a_response_that_comes_while_the_connection_is_idle_closes_it(run: Runner) -> None:
    async def main() -> None:
        spoken = asyncio.Event()

        async def script(peer: Peer) -> None:
            await peer.request()
            await peer.send(OK)
            if not peer.number:
                await peer.flushed()
                await peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged")
                spoken.set()
            await peer.hang()

        async with serving(script) as server, fetching() as fetcher:
            first = await fetch(fetcher, server.url("/0"))
            await spoken.wait()
            second = await fetch(fetcher, server.url("/1"))
            assert raw(first) == raw(second) == OK
            assert server.connections == 2

    run(main())


def test_bytes_that_only_the_kernel_has_seen_keep_a_connection_from_being_used(run: Runner) -> None:
    """The event loop gets no chance to look between the forged response and the next request."""

    async def main() -> None:
        writers: list[Peer] = []

        async def script(peer: Peer) -> None:
            writers.append(peer)
            await peer.request()
            await peer.send(OK)
            await peer.hang()

        async with serving(script) as server, fetching() as fetcher:
            await fetch(fetcher, server.url("/0"))
            sock = writers[0]._writer.get_extra_info("socket")
            os.write(sock.fileno(), b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged")
            exchange = await fetch(fetcher, server.url("/1"))
            assert raw(exchange) == OK and exchange.annotations == []
            assert server.connections == 2

    run(main())


def test_idle_connections_are_closed_after_their_time(run: Runner) -> None:
    async def main() -> None:
        closed = asyncio.Event()

        async def script(peer: Peer) -> None:
            await peer.request()
            await peer.send(OK)
            await peer.hang()
            closed.set()

        async with serving(script) as server, fetching(max_idle_connections_seconds=0.05) as fetcher:
            await fetch(fetcher, server.url())
            assert fetcher.open_connections == 1
            await closed.wait()
            assert fetcher.open_connections == 0

    run(main())


def test_the_connection_idle_longest_makes_room_for_another_host(run: Runner) -> None:
    async def main() -> None:
        async with serving(repeating(OK)) as one, serving(repeating(OK)) as two, fetching(max_connections=1) as fetcher:
            for server in (one, two, one):
                exchange = await fetch(fetcher, server.url())
                assert exchange.http_status == 200 and fetcher.open_connections == 1
            assert (one.connections, two.connections) == (2, 1)

    run(main())


def test_fetches_beyond_the_cap_wait_for_a_connection(run: Runner) -> None:
    async def main() -> None:
        under_way = most = 0

        async def script(peer: Peer) -> None:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            await peer.request()
            await peer.flushed()
            under_way -= 1
            await peer.send(OK)

        async with serving(script) as server, fetching(max_connections=2) as fetcher:
            exchanges = await asyncio.gather(*(fetch(fetcher, server.url(f"/{n}")) for n in range(8)))
            assert all(exchange.http_status == 200 for exchange in exchanges)
            assert most == 2

    run(main())


def test_a_cancelled_fetch_closes_its_connection(run: Runner) -> None:
    async def main() -> None:
        asked, gone = asyncio.Event(), asyncio.Event()

        async def script(peer: Peer) -> None:
            await peer.request()
            asked.set()
            await peer.hang()
            gone.set()

        async with serving(script) as server, fetching() as fetcher:
            task = asyncio.create_task(fetch(fetcher, server.url()))
            await asked.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await gone.wait()
            assert fetcher.open_connections == 0

    run(main())


def test_many_fetches_at_once_get_their_own_answers(run: Runner) -> None:
    async def main() -> None:
        async def script(peer: Peer) -> None:
            while True:
                path = (await peer.request()).split()[1]
                await peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(path), path))

        async with serving(script) as server, fetching() as fetcher:

            async def several(first: int) -> None:
                for number in range(first, first + 20):
                    exchange = await fetch(fetcher, server.url(f"/{number}"))
                    assert exchange.body() == f"/{number}".encode()

            await asyncio.gather(*(several(100 * n) for n in range(8)))
            assert server.connections <= 8

    run(main())


def test_a_large_body_is_spooled_and_reads_back_whole(run: Runner, tmp_path: Path) -> None:
    async def main() -> None:
        body = os.urandom(3_000_000)
        wire = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        async with serving(saying(wire)) as server, fetching(spool_above=100_000, spool_folder=tmp_path) as fetcher:
            exchange = await fetch(fetcher, server.url())
            assert exchange.raw is not None and exchange.raw.is_spooled  # type: ignore[attr-defined]
            assert raw(exchange) == wire and b"".join(exchange.raw.chunks()) == wire
            assert exchange.body(10) == body[:10]
            assert list(tmp_path.iterdir()) == []
            exchange.close()

    run(main())


def test_a_full_disk_is_raised_and_closes_the_connection(
    run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)

    async def main() -> None:
        wire = b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + b"x" * 5000
        async with serving(saying(wire)) as server, fetching(spool_above=1000, spool_folder=tmp_path) as fetcher:
            with pytest.raises(DiskFull):
                await fetch(fetcher, server.url())

    run(main())


def test_the_body_limit_of_a_request_wins_over_the_settings(run: Runner) -> None:
    async def main() -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
        async with serving(saying(head + b"x" * 1000)) as server, fetching(max_body=500) as fetcher:
            for limit, kept in ((None, 500), (100, 100), (1000, 1000), (0, 0)):
                exchange = await fetcher.fetch(FetchRequest(server.url(), body_limit=limit))
                assert raw(exchange) == head + b"x" * kept
                assert exchange.http_status == 200
                assert exchange.truncated is (None if kept == 1000 else Truncation.LENGTH)

    run(main())


def test_ipv6_loopback_is_fetched(run: Runner) -> None:
    async def main() -> None:
        try:
            async with serving(saying(OK), host="::1") as server, fetching() as fetcher:
                exchange = await fetch(fetcher, server.url())
                assert exchange.http_status == 200 and exchange.ip == "::1"
                assert f"Host: [::1]:{server.port}".encode() in server.requests[0]
        except OSError:
            pytest.skip("no IPv6 here")

    run(main())


def test_the_next_address_is_tried_when_one_does_not_answer(run: Runner) -> None:
    async def main() -> None:
        async with serving(saying(OK)) as server:
            names = FixedResolver({"two.test": ("127.0.0.99", "127.0.0.1")})
            async with fetching(resolver=names) as fetcher:
                exchange = await fetch(fetcher, server.url(host="two.test"))
                assert exchange.http_status == 200 and exchange.ip == "127.0.0.1"
                assert f"Host: two.test:{server.port}".encode() in server.requests[0]

    run(main())


def test_a_name_that_does_not_resolve_is_a_dns_failure(run: Runner) -> None:
    async def main() -> None:
        async with fetching() as fetcher:
            exchange = await fetch(fetcher, "http://nowhere.test/")
            assert exchange.failure is FetchStatus.DNS_FAILED and exchange.raw is None
            assert exchange.detail == "nowhere.test: Domain name not found"
            assert exchange.started == 0.0

    run(main())


def test_a_port_that_nobody_listens_on_is_a_connect_failure(run: Runner) -> None:
    async def main() -> None:
        async with serving(saying(OK)) as server:
            url = server.url()
        async with fetching() as fetcher:
            exchange = await fetch(fetcher, url)
            assert exchange.failure is FetchStatus.CONNECT_FAILED
            assert "connection refused" in exchange.detail and exchange.started == 0.0

    run(main())


@contextlib.contextmanager
def deaf() -> Iterator[int]:
    """A port of 127.0.0.1 whose queue is full, so that connections to it are neither made nor refused."""
    with socket.socket() as listener, contextlib.ExitStack() as stack:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            caller = stack.enter_context(socket.socket())
            caller.setblocking(False)
            caller.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


def test_a_connection_that_is_not_made_in_time_is_a_connect_failure(run: Runner) -> None:
    async def main() -> None:
        with deaf() as port:
            async with fetching(connect_timeout=0.1) as fetcher:
                exchange = await fetch(fetcher, f"http://127.0.0.1:{port}/")
                assert exchange.failure is FetchStatus.CONNECT_FAILED
                assert exchange.detail == f"127.0.0.1:{port}: no answer in time" and exchange.started == 0.0

    run(main())


def test_all_waiting_is_on_the_clock_that_was_given_in(run: Runner) -> None:
    async def main() -> None:
        asked = asyncio.Event()

        async def script(peer: Peer) -> None:
            await peer.request()
            asked.set()
            await peer.hang()

        clock = FakeClock()
        async with serving(script) as server:
            async with fetching(clock=clock, idle_timeout=1000.0, connect_timeout=1000.0, wall_clock=5000.0) as fetcher:
                with deaf() as port:
                    connecting = asyncio.create_task(fetch(fetcher, f"http://127.0.0.1:{port}/"))
                    waiting = asyncio.create_task(fetch(fetcher, server.url()))
                    await asked.wait()
                    clock.advance(990)
                    await asyncio.sleep(0)
                    assert not waiting.done() and not connecting.done()
                    clock.advance(20)
                    assert (await waiting).failure is FetchStatus.TIMED_OUT
                    assert (await connecting).failure is FetchStatus.CONNECT_FAILED
            assert clock.next_call is None  # the timer runs only while something is open

    run(main())


def test_a_fetch_can_be_cancelled_while_it_connects(run: Runner) -> None:
    async def main() -> None:
        with deaf() as port:
            async with fetching(max_connections=1) as fetcher:
                before = len(os.listdir("/proc/self/fd"))
                task = asyncio.create_task(fetch(fetcher, f"http://127.0.0.1:{port}/"))
                while len(os.listdir("/proc/self/fd")) == before:
                    await asyncio.sleep(0)
                task.cancel()
                await asyncio.wait([task])
                assert task.cancelled() and len(os.listdir("/proc/self/fd")) == before
                async with serving(saying(OK)) as server:  # the only slot is free again
                    assert (await fetch(fetcher, server.url())).http_status == 200

    run(main())


@contextlib.contextmanager
def no_descriptors_left() -> Iterator[None]:
    """The process may open no more than it has open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    open_now = set(map(int, os.listdir("/proc/self/fd")))
    filling = [os.dup(0) for _ in range(max(open_now) - len(open_now) + 3)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(filling) + 1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for descriptor in filling:
            os.close(descriptor)


def test_want_of_descriptors_is_no_fault_of_the_host(run: Runner) -> None:
    async def main() -> None:
        async with serving(repeating(OK)) as server, fetching() as fetcher:
            with no_descriptors_left():
                exchange = await fetch(fetcher, server.url())
            assert exchange.failure is FetchStatus.CRASHED
            assert exchange.detail == "no file descriptor is left for a connection"
            assert (await fetch(fetcher, server.url())).http_status == 200

    run(main())


def test_want_of_descriptors_closes_an_idle_connection_first(run: Runner) -> None:
    async def main() -> None:
        with socket.create_server(
            ("127.0.0.1", 0)
        ) as silent:  # accepted by the kernel alone, which takes no descriptor
            async with serving(repeating(OK)) as server, fetching() as fetcher:
                await fetch(fetcher, server.url())
                with no_descriptors_left():
                    exchange = await fetch(fetcher, f"http://127.0.0.1:{silent.getsockname()[1]}/")
                assert exchange.failure is FetchStatus.TIMED_OUT and exchange.started > 0

    run(main())


def test_a_forbidden_address_is_never_connected_to(run: Runner) -> None:
    async def main() -> None:
        async with serving(repeating(OK)) as server:
            names = FixedResolver(
                {
                    "inside.test": ("127.0.0.1",),
                    "mixed.test": ("127.0.0.1", "10.1.2.3", "::1"),
                    "mapped.test": ("::ffff:127.0.0.1",),
                    "nat64.test": ("64:ff9b::7f00:1",),
                    "zero.test": ("0.0.0.0",),
                }
            )
            rules = AddressRules()
            assert rules.exempt_seed("http://127.0.0.1:1/")
            async with fetching(resolver=names, rules=rules) as fetcher:
                for host in (*names.names, "127.0.0.1", "0x7f.1", "2130706433", "017700000001", "127.1", "localhost",
                             "[::1]", "[::ffff:7f00:1]", "①②⑦.0.0.1", "user@127.0.0.1", "0.0.0.0", "localhost."):  # fmt: skip
                    exchange = await fetch(fetcher, server.url(host=host))
                    assert exchange.failure in (FetchStatus.FORBIDDEN_ADDRESS, FetchStatus.DNS_FAILED), host
                    assert exchange.started == 0.0
            assert server.connections == 0

    run(main())


def test_a_seed_with_a_private_address_is_fetched_on_exactly_its_port(run: Runner) -> None:
    async def main() -> None:
        async with serving(repeating(OK)) as seed, serving(repeating(OK)) as neighbour:
            rules = AddressRules()
            assert rules.exempt_seed(seed.url())
            async with fetching(rules=rules) as fetcher:
                assert (await fetch(fetcher, seed.url("/any"))).http_status == 200
                assert (await fetch(fetcher, neighbour.url())).failure is FetchStatus.FORBIDDEN_ADDRESS
            assert neighbour.connections == 0

    run(main())
