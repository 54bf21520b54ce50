"""What a fetcher with a memory tells to whom: the matrix of origins, and servers that cannot prove who they are."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trustme

from gossamer.fetch.auth import Account, Authenticator
from gossamer.fetch.base import FetchRequest
from gossamer.fetch.cookies import CookieJar
from gossamer.fetch.session import SessionFetcher
from gossamer.model.fetchstatus import FetchStatus
from gossamer.util.clock import SystemClock

from .conftest import Runner
from .fetchers import FixedResolver, fetching, raw
from .servers import OK, Peer, Server, serving
from .test_tls import authority, context_for, trusted

__all__ = ["authority", "trusted"]

CHALLENGE = (
    b"HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=r\r\nSet-Cookie: sid=s3cret; Path=/\r\nContent-Length: 0\r\n\r\n"
)
NAMES = dict.fromkeys(("site.test", "www.site.test", "other.test", "bad.test"), ("127.0.0.1",))


async def asking(peer: Peer) -> None:
    """Wants a password, and hands out a cookie."""
    while True:
        head = await peer.request()
        await peer.send(OK if b"\r\nAuthorization: " in head else CHALLENGE)


@asynccontextmanager
async def remembering(accounts: list[Account]) -> AsyncIterator[SessionFetcher]:
    async with fetching(resolver=FixedResolver(NAMES)) as fetcher:
        yield SessionFetcher(fetcher, SystemClock(), CookieJar(), Authenticator(accounts))


def secrets_in(server: Server) -> int:
    return sum(b"\r\nAuthorization: " in head or b"\r\nCookie: " in head for head in server.requests)


def test_secrets_stay_with_scheme_host_and_port(run: Runner, trusted: trustme.CA) -> None:
    async def main() -> None:
        context = context_for(trusted.issue_cert("site.test", "www.site.test", "other.test"))
        async with serving(asking, tls=context) as home, serving(asking, tls=context) as port, serving(asking) as plain:
            account = Account(home.url(host="site.test", path=""), "/in/", "me", "s3cret")
            async with remembering([account]) as fetcher:
                assert (await fetcher.fetch(FetchRequest(home.url("/in/", "site.test")))).is_asked_again
                assert raw(await fetcher.fetch(FetchRequest(home.url("/in/", "site.test")))) == OK
                assert secrets_in(home) == 1
                asked = home.requests[-1]
                assert b"Basic " + base64.b64encode(b"me:s3cret") in asked and b"Cookie: sid=s3cret" in asked
                home.requests.clear()
                for url in (
                    home.url("/in/", "other.test"),
                    home.url("/in/", "www.site.test"),
                    home.url("/in/", "site.test").replace("//", "//me:s3cret@"),
                ):
                    assert (await fetcher.fetch(FetchRequest(url))).http_status in (200, 401)
                    assert not any(b"\r\nAuthorization: " in head for head in home.requests)
                assert (await fetcher.fetch(FetchRequest(home.url("/out", "site.test")))).http_status == 401
                assert not any(b"\r\nAuthorization: " in head for head in home.requests)
                for server in (port, plain):
                    await fetcher.fetch(FetchRequest(server.url("/in/", "site.test")))
                    assert not any(b"\r\nAuthorization: " in head for head in server.requests)

    run(main())


def test_a_server_that_cannot_prove_who_it_is_gets_no_password(
    run: Runner, authority: trustme.CA, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        context = context_for(authority.issue_cert("site.test"))
        async with serving(asking, tls=context) as server:
            account = Account(server.url(host="site.test", path=""), "/", "me", "s3cret")
            async with remembering([account]) as fetcher:
                for _ in range(2):
                    exchange = await fetcher.fetch(FetchRequest(server.url(host="site.test")))
                    assert exchange.http_status == 401 and not exchange.is_asked_again
                    assert (
                        exchange.annotations == ["authWithheld", "tlsUnverified"]
                        or "authWithheld" in exchange.annotations
                    )
                assert not any(b"\r\nAuthorization: " in head for head in server.requests)
                assert "cannot prove who it is" in caplog.text

    run(main())


def test_what_was_told_to_a_proven_server_is_not_told_to_an_unproven_one(run: Runner, trusted: trustme.CA) -> None:
    """The certificate of a site expires, or somebody steps in between, in the middle of a crawl."""

    async def once(peer: Peer) -> None:
        head = await peer.request()
        await peer.send(
            (OK if b"\r\nAuthorization: " in head else CHALLENGE).replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
        )

    async def main() -> None:
        good, bad = (context_for(ca.issue_cert("site.test")) for ca in (trusted, trustme.CA()))
        contexts = [good]
        good.sni_callback = lambda stream, name, context: setattr(stream, "context", contexts[-1])
        async with serving(once, tls=good) as server:
            url = server.url("/in/", "site.test")
            async with remembering([Account(server.url(host="site.test", path=""), "/", "me", "s3cret")]) as fetcher:
                for secrets in (0, 1, 2):
                    await fetcher.fetch(FetchRequest(url))
                    assert secrets_in(server) == secrets
                contexts.append(bad)
                for _ in range(2):
                    exchange = await fetcher.fetch(FetchRequest(url))
                    assert exchange.http_status == 401 and exchange.tls is not None and not exchange.tls.is_verified
                # The one in between has given a cookie of its own, which is not that of the site.
                assert b"Cookie" not in server.requests[-2] and b"Authorization" not in server.requests[-1]

    run(main())


def test_a_form_is_not_sent_to_a_server_that_cannot_prove_who_it_is(run: Runner, authority: trustme.CA) -> None:
    async def main() -> None:
        context = context_for(authority.issue_cert("site.test"))
        async with serving(asking, tls=context) as server, fetching(resolver=FixedResolver(NAMES)) as fetcher:
            url = server.url(host="site.test")
            exchange = await fetcher.fetch(FetchRequest(url, method="POST", body=b"pass=s3cret", needs_trust=True))
            assert exchange.failure is FetchStatus.TLS_FAILED and server.requests == []

    run(main())


def test_a_form_is_sent_whole_and_never_twice(run: Runner) -> None:
    async def closing(peer: Peer) -> None:
        await peer.request()
        await peer.send(OK)
        await peer.request()  # on a connection that was kept: answered by closing

    async def main() -> None:
        async with serving(closing) as server, fetching() as fetcher:
            await fetcher.fetch(FetchRequest(server.url("/")))
            exchange = await fetcher.fetch(FetchRequest(server.url("/login"), method="POST", body=b"a=1&b=2"))
            assert raw(exchange) == OK and "repeated" not in exchange.annotations and server.connections == 2
            head = server.requests[-1]
            assert head.startswith(b"POST /login HTTP/1.1\r\n") and b"\r\nContent-Length: 7\r\n" in head
            assert b"\r\nContent-Type: application/x-www-form-urlencoded\r\n" in head
            assert exchange.request == head + b"a=1&b=2"

    run(main())
