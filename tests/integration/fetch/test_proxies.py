"""Proxies as the fetcher sees them: every kind, with names resolved there and nowhere else."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path

import pytest
import trustme

from gossamer.fetch.address import AddressRules
from gossamer.fetch.base import FetchRequest
from gossamer.fetch.http import HttpFetcher
from gossamer.model.fetchstatus import Fault, FetchStatus

from .conftest import Runner
from .fetchers import FixedResolver, fetch, fetching, raw
from .proxies import ProxyServer, proxying
from .servers import OK, Server, repeating, serving
from .test_tls import authority, context_for, trusted

__all__ = ["authority", "trusted"]

KINDS = ("http", "socks5", "socks4a")
PRIVATE = ("127.0.0.1", "169.254.169.254", "10.0.0.1", "[::1]", "[::ffff:7f00:1]", "localhost", "a.localhost")
ME = ("me", "s3cr3t!")


class Behind:
    """A site called site.test, a proxy that knows it, and a fetcher that must use it."""

    def __init__(self, scheme: str, login: tuple[str, str] | None = None) -> None:
        self.proxy = ProxyServer(scheme, {}, login)
        self.resolver = FixedResolver()

    async def __aenter__(self) -> Behind:
        self._stack = AsyncExitStack()
        self.site: Server = await self._stack.enter_async_context(serving(repeating(OK)))
        self.proxy.names["site.test"] = self.site.port
        await self._stack.enter_async_context(proxying(self.proxy))
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._stack.aclose()

    def fetching(self, **settings: object) -> AbstractAsyncContextManager[HttpFetcher]:
        settings.setdefault("proxy", self.proxy.url)
        return fetching(resolver=self.resolver, rules=AddressRules(), **settings)


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_is_resolved_at_the_proxy_and_the_answer_is_the_sites(run: Runner, kind: str) -> None:
    async def main() -> None:
        async with Behind(kind) as behind, behind.fetching() as fetcher:
            for path in ("/a?b", "/c"):
                exchange = await fetch(fetcher, f"http://site.test{path}")
                assert exchange.failure is None and raw(exchange) == OK
                assert exchange.ip == "" and exchange.port == 80
            assert behind.resolver.asked == []
            wanted = ["http://site.test/a?b", "http://site.test/c"] if kind == "http" else ["site.test:80"]
            assert behind.proxy.asked == wanted and behind.proxy.connections == 1
            assert [head.split()[1] for head in behind.site.requests] == [b"/a?b", b"/c"]

    run(main())


@pytest.mark.parametrize("kind", KINDS)
def test_https_goes_through_a_tunnel_and_is_verified_against_the_site(
    run: Runner,
    trusted: trustme.CA,
    kind: str,
) -> None:
    async def main() -> None:
        async with (
            Behind(kind) as behind,
            serving(repeating(OK), tls=context_for(trusted.issue_cert("site.test"))) as site,
            behind.fetching(tls="strict") as fetcher,
        ):
            behind.proxy.names["site.test"] = site.port
            exchange = await fetch(fetcher, "https://site.test/x")
            assert exchange.failure is None, exchange.detail
            assert raw(exchange) == OK, "not a byte of CONNECT"
            assert exchange.tls is not None and exchange.tls.is_verified
            assert behind.proxy.asked == ["site.test:443"]
            assert exchange.request.startswith(b"GET /x HTTP/1.1\r\nHost: site.test\r\n")

    run(main())


@pytest.mark.parametrize("kind", KINDS)
def test_the_password_is_given_to_the_proxy_and_to_nobody_else(run: Runner, kind: str) -> None:
    async def main() -> None:
        async with Behind(kind, ME) as behind:
            url = (
                behind.proxy.url_with("me", "s3cr3t%21")
                if kind != "socks4a"
                else behind.proxy.url.replace("//", "//me@")
            )
            async with behind.fetching(proxy=url) as fetcher:
                exchange = await fetch(fetcher, "http://site.test/")
                assert raw(exchange) == OK
                assert all(b"roxy" not in head for head in behind.site.requests)

    run(main())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("said", ["nothing", "wrong"])
def test_a_proxy_that_wants_a_password_is_no_fault_of_the_host(run: Runner, kind: str, said: str) -> None:
    async def main() -> None:
        async with Behind(kind, ME) as behind:
            wrong = (
                behind.proxy.url_with("me", "wr0ng") if kind != "socks4a" else behind.proxy.url.replace("//", "//x@")
            )
            async with behind.fetching(proxy=behind.proxy.url if said == "nothing" else wrong) as fetcher:
                for scheme in ("http", "https"):
                    exchange = await fetch(fetcher, f"{scheme}://site.test/")
                    assert exchange.failure is FetchStatus.PROXY_FAILED and exchange.raw is None
                    assert "fetching.proxy" in exchange.detail and "wr0ng" not in exchange.detail
                    if kind == "http":
                        assert "407" in exchange.detail
            assert FetchStatus.PROXY_FAILED.fault is Fault.NETWORK
            assert behind.site.requests == []

    run(main())


@pytest.mark.parametrize("kind", KINDS)
def test_a_host_that_the_proxy_cannot_reach_is_the_hosts_fault(run: Runner, kind: str) -> None:
    async def main() -> None:
        async with Behind(kind) as behind, behind.fetching() as fetcher:
            exchange = await fetch(fetcher, "https://unknown.test/")
            assert exchange.failure is FetchStatus.CONNECT_FAILED and "proxy" in exchange.detail

    run(main())


@pytest.mark.parametrize("kind", KINDS)
def test_a_literal_private_address_stays_refused(run: Runner, kind: str) -> None:
    async def main() -> None:
        async with Behind(kind) as behind, behind.fetching() as fetcher:
            await fetch(fetcher, "http://site.test/")  # a connection to reuse, which must not be a way around
            asked = list(behind.proxy.asked)
            for host in PRIVATE:
                for scheme in ("http", "https"):
                    exchange = await fetch(fetcher, f"{scheme}://{host}/")
                    assert exchange.failure is FetchStatus.FORBIDDEN_ADDRESS
            assert behind.proxy.asked == asked

    run(main())


def test_what_no_proxy_names_is_asked_directly(run: Runner) -> None:
    async def main() -> None:
        async with (
            Behind("http") as behind,
            fetching(
                resolver=FixedResolver({"in.direct.test": ("127.0.0.1",)}),
                proxy=behind.proxy.url,
                no_proxy=(".direct.test", "127.0.0.0/8"),
            ) as fetcher,
        ):
            for host in ("in.direct.test", "127.0.0.1"):
                exchange = await fetch(fetcher, behind.site.url(host=host))
                assert raw(exchange) == OK and exchange.ip == "127.0.0.1"
            assert behind.proxy.asked == []

    run(main())


@pytest.mark.parametrize("kind", KINDS)
def test_a_proxy_that_is_not_there_is_trouble_of_our_own(run: Runner, kind: str) -> None:
    async def main() -> None:
        async with Behind(kind) as behind:
            async with proxying(ProxyServer(kind, {})) as gone:
                pass
            async with behind.fetching(proxy=gone.url) as fetcher:
                exchange = await fetch(fetcher, "http://site.test/")
                assert exchange.failure is FetchStatus.PROXY_FAILED
                assert exchange.detail == f"{gone.url} cannot be used: 127.0.0.1:{gone.port}: connection refused"
                assert not await fetcher.is_proxy_reachable()

    run(main())


@pytest.mark.parametrize("kind", KINDS)
def test_a_proxy_that_talks_rubbish_hangs_nothing(run: Runner, kind: str) -> None:
    answers = [b"", b"SSH-2.0-OpenSSH_9\r\n\r\n", b"\xff" * 20000, b"HTTP/1.1 200 OK\r\n" * 5000]

    async def rubbish(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(answers[-1])
        writer.close()

    async def main() -> None:
        server = await asyncio.start_server(rubbish, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, fetching(proxy=f"{kind}://127.0.0.1:{port}") as fetcher:
            while answers:
                exchange = await fetch(fetcher, "https://site.test/")
                answers.pop()
                assert exchange.failure in (FetchStatus.PROXY_FAILED, FetchStatus.CONNECT_FAILED)

    run(main())


def test_a_request_through_an_http_proxy_keeps_its_own_secrets_apart(run: Runner, tmp_path: Path) -> None:
    async def main() -> None:
        async with Behind("http", ME) as behind, behind.fetching(proxy=behind.proxy.url_with(*ME)) as fetcher:
            request = FetchRequest("http://site.test/", secrets=lambda is_verified: [("Cookie", "a=b")])
            exchange = await fetcher.fetch(request)
            assert b"\r\nCookie: a=b\r\n" in exchange.request and b"\r\nProxy-Authorization: " in exchange.request

    run(main())


@pytest.mark.parametrize("said", [b"SSH-2.0-OpenSSH_9\r\n", b"\xff" * 20000, b"HTTP/1.1 200 OK\r\n" * 5000, b"HTT-"])
def test_what_does_not_speak_as_an_http_proxy_does_is_charged_to_no_host(run: Runner, said: bytes) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(said)
        writer.close()

    async def main() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, fetching(proxy=f"http://127.0.0.1:{port}") as fetcher:
            exchange = await fetch(fetcher, "https://site.test/")
            assert exchange.failure is FetchStatus.PROXY_FAILED

    run(main())
