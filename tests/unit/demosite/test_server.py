from __future__ import annotations

import asyncio
import gzip
import http.client
import socket
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import uvloop

from benchmarks.harness.search import Search
from gossamer.demosite import DemoPlan, DemoProcess, DemoServer, DemoThread, largest_concurrency
from gossamer.demosite.arrival import MISREADING

PLAN = DemoPlan(pages=12, slow_seconds=0.05, retry_after_seconds=0)


@pytest.fixture
def demo() -> Iterator[DemoThread]:
    with DemoThread(PLAN) as running:
        yield running


def exchange(demo: DemoThread, data: bytes) -> bytes:
    """Send bytes, and read to the end."""
    with socket.create_connection(demo.site.authorities[0].split(":")) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_an_independent_search_finds_exactly_what_the_site_expects() -> None:
    plan = DemoPlan(pages=30, hosts=3, root_redirect=True, slow_seconds=0.05, retry_after_seconds=0)
    with DemoThread(plan) as demo:
        search = Search(demo.seeds)
        found = search.run()
        assert {u: (f.status, f.content_type) for u, f in found.items()} == {
            u: (e.status, e.content_type) for u, e in demo.site.expected().items()
        }
        assert search.forbidden == demo.site.forbidden()
        assert {r.url for r in demo.requests if "/never/" in r.target or "/private/" in r.target} == set()


def test_the_bytes_on_the_wire_are_those_the_site_tells(demo: DemoThread) -> None:
    for path in ("/", "/odd/gzip", "/odd/chunked", "/odd/until-close", "/odd/slow", "/robots.txt", "/nowhere"):
        answer = demo.site.find(0, path).answer(0)
        sent = exchange(demo, b"GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % path.encode())
        assert sent == answer.wire(close=True), path


def test_a_connection_is_kept_alive_and_pipelined_requests_are_answered_in_order(demo: DemoThread) -> None:
    paths = ("/static/style.css", "/odd/slow", "/static/site.js")
    asked = b"".join(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % path.encode() for path in paths[:2])
    asked += b"GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % paths[2].encode()
    sent = exchange_open(demo, asked)
    answers = [demo.site.find(0, path).answer(0) for path in paths]
    assert sent == answers[0].wire() + answers[1].wire() + answers[2].wire(close=True)
    assert len({request.connection for request in demo.requests}) == 1


def test_with_latency_requests_of_several_connections_are_under_way_at_once_and_none_is_lost() -> None:
    with DemoThread(DemoPlan(pages=2, latency_seconds=0.05)) as demo:
        pipelined = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 2
        with ThreadPoolExecutor(3) as threads:
            sent = list(threads.map(lambda _: exchange(demo, pipelined), range(3)))
        assert sent == [demo.site.find(0, "/").answer(0).wire() * 2] * 3
        assert largest_concurrency(demo.requests) == 3
        assert all(r.finished is not None and r.finished - r.started >= 0.05 for r in demo.requests)


def exchange_open(demo: DemoThread, data: bytes) -> bytes:
    """Send bytes in two pieces, leave the connection open, and read until the server ends it."""
    with socket.create_connection(demo.site.authorities[0].split(":")) as connection:
        connection.sendall(data[:30])
        connection.sendall(data[30:])
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_a_chunked_gzip_page_decodes_to_html(demo: DemoThread) -> None:
    connection = http.client.HTTPConnection(demo.site.authorities[0])
    connection.request("GET", "/odd/gzip-chunked")
    response = connection.getresponse()
    assert response.headers["transfer-encoding"] == "chunked"
    assert b"by-gzip-chunked" in gzip.decompress(response.read())
    connection.close()


def test_trouble_passes_at_the_second_request(demo: DemoThread) -> None:
    connection = http.client.HTTPConnection(demo.site.authorities[0])
    statuses = []
    for path in ("/odd/broken-once", "/odd/broken-once", "/odd/busy-once", "/odd/busy-once"):
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
        statuses.append((response.status, response.headers["retry-after"]))
    connection.close()
    assert statuses == [(500, None), (200, None), (503, "0"), (200, None)]


def test_head_is_answered_without_a_body_and_other_methods_are_refused(demo: DemoThread) -> None:
    sent = exchange(demo, b"HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert sent == demo.site.find(0, "/").answer(0).head(close=True)
    posted = exchange(
        demo, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 30\r\n\r\nGET /odd/ HTTP/1.1\r\nHost: x\r\n\r\n"
    )
    assert posted.startswith(b"HTTP/1.1 405 ") and posted.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize(
    "data",
    [b"rubbish\r\n\r\n", b"GET http://other/ HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nno colon\r\n\r\n", b"x" * 70_000],
)
def test_a_request_that_cannot_be_read_gets_a_400(demo: DemoThread, data: bytes) -> None:
    assert exchange(demo, data).startswith(b"HTTP/1.1 400 ")
    assert demo.requests == []


def test_the_log_tells_who_asked_what_when_and_how(demo: DemoThread) -> None:
    exchange(demo, b"GET /odd/slow?x HTTP/1.1\r\nHost: x\r\nUser-Agent: a b\r\nConnection: close\r\n\r\n")
    (request,) = demo.requests
    assert (request.method, request.target, request.status) == ("GET", "/odd/slow?x", 404)
    assert request.header("user-agent") == "a b" and request.header("cookie") is None
    assert request.finished is not None and request.finished >= request.started
    assert request.url == f"http://{demo.site.authorities[0]}/odd/slow?x"


@pytest.mark.usefixtures("stamped_connection")
@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_the_log_tells_when_a_request_arrived_and_not_when_the_server_came_to_look(
    run: Callable[[Coroutine[Any, Any, None]], None],
) -> None:
    async def main() -> None:
        async with DemoServer(PLAN) as server:
            with socket.create_connection(server.site.authorities[0].split(":")) as client:
                before = time.monotonic()
                client.sendall(b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
                after = time.monotonic()
                client.setblocking(False)
                # Only now does the server get its turn.
                await asyncio.get_running_loop().sock_recv(client, 1)
        (request,) = server.log.requests
        assert request.arrived is not None and request.sent == request.arrived
        assert before - MISREADING <= request.arrived <= after + MISREADING
        assert request.arrived < request.started

    run(main())


async def test_closing_the_server_cuts_its_connections() -> None:
    async with DemoServer(PLAN) as server:
        reader, writer = await asyncio.open_connection(*server.site.authorities[0].split(":"))
        writer.write(b"GET /odd/slow HTTP/1.1\r\nHost: x\r\n\r\n")
        await reader.readline()
    await reader.read()  # it ends, which is all that is asked
    writer.close()
    assert [request.finished for request in server.log.requests] == [None]


@pytest.mark.skipif(sys.platform != "linux", reason="only there 127.0.0.2 is an address without asking")
def test_hosts_may_differ_by_address() -> None:
    with DemoThread(DemoPlan(pages=3, hosts=3, oddities=False), spread="addresses") as demo:
        hosts, ports = zip(*(authority.split(":") for authority in demo.site.authorities), strict=True)
        assert hosts == ("127.0.0.1", "127.0.0.2", "127.0.0.3")
        assert len(set(ports)) == 1


def test_a_process_serves_the_same_site_and_writes_its_log(tmp_path: Path) -> None:
    plan = DemoPlan(pages=3, hosts=2, crawl_delay_seconds=0.5, root_redirect=True, oddities=False, seed=7)
    with DemoProcess(plan, log=tmp_path / "log") as demo:
        connection = http.client.HTTPConnection(demo.site.authorities[1])
        connection.request("GET", "/en/")
        assert connection.getresponse().read() == demo.site.find(1, "/en/").answer(0).body
        connection.close()
    assert [(r.url, r.status) for r in demo.requests] == [(f"{demo.seeds[1]}en/", 200)]


def test_a_process_that_cannot_bind_says_why() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(RuntimeError, match="in use"):
        DemoProcess(PLAN, port=taken.getsockname()[1]).start()
