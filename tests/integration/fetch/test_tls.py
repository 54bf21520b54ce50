"""https: verified, unverified with the failure recorded, or refused."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trustme

from gossamer.model.exchange import Truncation
from gossamer.model.fetchstatus import FetchStatus

from .conftest import Runner
from .fetchers import FixedResolver, fetch, fetching, raw
from .servers import OK, Peer, Script, Server, repeating, saying, serving


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def context_for(certificate: trustme.LeafCert) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


@asynccontextmanager
async def serving_tls(script: Script, certificate: trustme.LeafCert) -> AsyncIterator[Server]:
    async with serving(script, tls=context_for(certificate)) as server:
        yield server


def test_a_self_signed_certificate_is_recorded_and_its_page_fetched(run: Runner, authority: trustme.CA) -> None:
    async def main() -> None:
        async with serving_tls(repeating(OK), authority.issue_cert("127.0.0.1")) as server, fetching() as fetcher:
            exchange = await fetch(fetcher, server.url())
            assert raw(exchange) == OK and exchange.failure is None
            assert exchange.annotations == ["tlsUnverified"]
            assert exchange.tls is not None and not exchange.tls.is_verified
            assert exchange.tls.version == "TLSv1.3" and exchange.tls.cipher
            assert exchange.tls.failure.startswith("certificate not verified: ")
            assert (await fetch(fetcher, server.url("/again"))).annotations == ["tlsUnverified"]
            assert len(server.requests) == 2

    run(main())


def test_a_self_signed_certificate_is_refused_in_strict_mode(run: Runner, authority: trustme.CA) -> None:
    async def main() -> None:
        certificate = authority.issue_cert("127.0.0.1")
        async with serving_tls(repeating(OK), certificate) as server, fetching(tls="strict") as fetcher:
            exchange = await fetch(fetcher, server.url())
            assert exchange.failure is FetchStatus.TLS_FAILED and exchange.raw is None
            assert exchange.detail.startswith("certificate not verified: ")
            assert server.requests == [] and fetcher.open_connections == 0

    run(main())


@pytest.fixture
def trusted(authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> trustme.CA:
    """The authority as one of the system's."""
    path = tmp_path / "authorities.pem"
    authority.cert_pem.write_to_path(str(path))
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    return authority


@pytest.mark.parametrize("mode", ["open", "strict"])
def test_a_trusted_certificate_is_verified(run: Runner, trusted: trustme.CA, mode: str) -> None:
    async def main() -> None:
        async with serving_tls(repeating(OK), trusted.issue_cert("site.test")) as server:
            names = FixedResolver({"site.test": ("127.0.0.1",)})
            async with fetching(resolver=names, tls=mode) as fetcher:
                for _ in range(2):
                    exchange = await fetch(fetcher, server.url(host="site.test"))
                    assert raw(exchange) == OK and exchange.annotations == []
                    assert exchange.tls is not None and exchange.tls.is_verified and exchange.tls.failure == ""
                assert server.connections == 1

    run(main())


@pytest.mark.parametrize("fault", ["another host", "expired"])
def test_a_certificate_for_another_host_or_out_of_date_is_unverified(
    run: Runner, trusted: trustme.CA, fault: str
) -> None:
    past = datetime(2020, 1, 1, tzinfo=UTC)
    certificate = (
        trusted.issue_cert("elsewhere.test")
        if fault == "another host"
        else trusted.issue_cert("127.0.0.1", not_before=past, not_after=datetime(2021, 1, 1, tzinfo=UTC))
    )

    async def main() -> None:
        async with serving_tls(repeating(OK), certificate) as server, fetching() as fetcher:
            exchange = await fetch(fetcher, server.url())
            assert exchange.http_status == 200 and exchange.annotations == ["tlsUnverified"]
            assert exchange.tls is not None
            assert ("expired" if fault == "expired" else "mismatch") in exchange.tls.failure

    run(main())


def test_a_known_failure_costs_one_handshake_per_later_connection(run: Runner, authority: trustme.CA) -> None:
    async def main() -> None:
        script = saying(OK)  # closes after each answer
        async with serving_tls(script, authority.issue_cert("127.0.0.1")) as server, fetching() as fetcher:
            for _ in range(3):
                exchange = await fetch(fetcher, server.url())
                assert exchange.annotations == ["tlsUnverified"]
                assert exchange.tls is not None and exchange.tls.failure
            assert server.connections == 3  # of the refused handshake the server's script hears nothing

    run(main())


def test_a_server_that_speaks_no_tls_is_a_tls_failure(run: Runner) -> None:
    async def script(peer: Peer) -> None:
        await peer.send(b"SSH-2.0-OpenSSH_9.2\r\n")
        await peer.hang()

    async def main() -> None:
        async with serving(script) as server, fetching() as fetcher:
            exchange = await fetch(fetcher, server.url().replace("http:", "https:"))
            assert exchange.failure is FetchStatus.TLS_FAILED and exchange.detail.isprintable()
            assert exchange.started == 0.0 and fetcher.open_connections == 0

    run(main())


@pytest.mark.parametrize("then", ["close", "hang"])
def test_a_handshake_that_ends_or_stalls_is_a_tls_failure(run: Runner, then: str) -> None:
    async def script(peer: Peer) -> None:
        if then == "hang":
            await peer.hang()

    async def main() -> None:
        async with serving(script) as server, fetching(connect_timeout=0.2) as fetcher:
            exchange = await fetch(fetcher, server.url().replace("http:", "https:"))
            assert exchange.failure is FetchStatus.TLS_FAILED and exchange.detail
            assert fetcher.open_connections == 0

    run(main())


def test_a_body_over_tls_that_ends_without_length_is_whole_and_one_with_length_is_cut(
    run: Runner, authority: trustme.CA
) -> None:
    async def main() -> None:
        certificate = authority.issue_cert("127.0.0.1")
        to_close = b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 100_000
        counted = b"HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n" + b"x" * 100_000
        for wire, truncated in ((to_close, None), (counted, Truncation.DISCONNECT)):
            async with serving_tls(saying(wire), certificate) as server, fetching() as fetcher:
                exchange = await fetch(fetcher, server.url())
                assert raw(exchange) == wire and exchange.truncated is truncated

    run(main())


def test_a_server_of_old_tls_is_read_in_open_mode(authority: trustme.CA) -> None:
    async def main() -> None:
        context = context_for(authority.issue_cert("127.0.0.1"))
        try:
            context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
            context.set_ciphers("ALL:@SECLEVEL=0")
        except (ValueError, ssl.SSLError):
            pytest.skip("this OpenSSL has no TLS 1.1")
        async with serving(repeating(OK), tls=context) as server, fetching() as fetcher:
            exchange = await fetch(fetcher, server.url())
            assert raw(exchange) == OK and exchange.tls is not None and exchange.tls.version == "TLSv1.1"
            assert not exchange.tls.is_verified and exchange.tls.failure

    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        asyncio.run(main())
