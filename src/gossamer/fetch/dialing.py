"""Dialer: from a URL to an open connection: name, address check, TCP, TLS.

The check is made on the very address that is connected to, after resolution and every time, so that neither a name
server that changes its mind nor an answer of mixed addresses leads inside. Addresses are tried one after the other,
IPv4 first, within one limit that each shares; the first that answers is used.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import ssl

import msgspec

from gossamer.config.settings import Fetching
from gossamer.errors import FetchFailure
from gossamer.fetch import tls
from gossamer.fetch.address import AddressRules
from gossamer.fetch.connection import Connection, ConnectionOwner, Origin, Patience
from gossamer.fetch.deadline import within
from gossamer.fetch.dns import Resolver, literal_address
from gossamer.fetch.proxy import Proxies, Proxy
from gossamer.model.fetchstatus import FetchStatus
from gossamer.util.clock import Clock
from gossamer.util.terminal import printable

_MAX_ADDRESSES = 4
"""Of those that a name has, tried in one fetch."""
_OUT_OF_DESCRIPTORS = frozenset({errno.EMFILE, errno.ENFILE})
_HANDSHAKE_FAILURES = (ssl.SSLError, ConnectionError)


class OutOfDescriptors(Exception):
    """The process may open no more sockets; nobody's server is to blame."""


class _Target(msgspec.Struct):
    """One address to try."""

    origin: Origin
    address: str
    """Of the proxy, if there is one."""
    port: int
    give_up_at: float
    proxy: Proxy | None


class Dialer:
    """Makes connections."""

    def __init__(
        self,
        settings: Fetching,
        resolver: Resolver,
        rules: AddressRules,
        clock: Clock,
        owner: ConnectionOwner,
        patience: Patience,
        proxies: Proxies | None = None,
    ) -> None:
        self._connect_timeout = settings.connect_timeout
        self._resolver = resolver
        self._rules = rules
        self._clock = clock
        self._owner = owner
        self._patience = patience
        self._proxies = proxies
        self._tls = tls.TlsPolicy(settings.tls)

    async def dial(self, origin: Origin) -> Connection:
        """A new connection. Raises FetchFailure, OutOfDescriptors."""
        proxy = None if self._proxies is None else self._proxies.proxy_for(origin)
        if proxy is None:
            addresses, port = await self._addresses(origin), origin[2]
        else:
            addresses, port = await self._addresses_of(proxy), proxy.port
        if origin[0] == "https":
            self._tls.prepare()
        end = self._clock.monotonic() + self._connect_timeout
        failure: FetchFailure | None = None
        for tried, address in enumerate(addresses):
            now = self._clock.monotonic()
            share = max(0.0, end - now) / (len(addresses) - tried)
            try:
                return await self._connect(_Target(origin, address, port, now + share, proxy))
            except FetchFailure as exc:
                # Another address may do where none of this one's could be connected to, ours or the proxy's.
                if exc.status is not FetchStatus.CONNECT_FAILED if proxy is None else exc.__cause__ is None:
                    raise
                failure = exc
        assert failure is not None
        raise failure

    async def _addresses(self, origin: Origin) -> list[str]:
        """Those of the host that may be connected to; at least one."""
        _, host, port = origin
        literal = literal_address(host)
        if literal is not None:
            addresses: tuple[str, ...] = literal
        else:
            answer = await self._resolver.resolve(host)
            if not answer.addresses:
                raise FetchFailure(FetchStatus.DNS_FAILED, printable(f"{host}: {answer.failure}", 200))
            addresses = answer.addresses
        refusals = {address: self._rules.refusal(address, host, port) for address in addresses}
        allowed = [address for address, refusal in refusals.items() if refusal is None]
        if not allowed:
            address, refusal = next(iter(refusals.items()))
            raise FetchFailure(FetchStatus.FORBIDDEN_ADDRESS, printable(f"{host} is at {address}: {refusal}", 200))
        return allowed[:_MAX_ADDRESSES]

    def check_literal(self, origin: Origin) -> None:
        """Refuse to have a proxy asked for a host that is literally a private address. Raises FetchFailure."""
        _, host, port = origin
        literal = ("127.0.0.1",) if host.rstrip(".").endswith(".localhost") else literal_address(host) or ()
        for address in literal:
            refusal = self._rules.refusal(address, host, port)
            if refusal is not None:
                raise FetchFailure(FetchStatus.FORBIDDEN_ADDRESS, printable(f"{host} is {address}: {refusal}", 200))

    async def _addresses_of(self, proxy: Proxy) -> list[str]:
        """Those of the proxy: the operator named it, so it may be anywhere."""
        literal = literal_address(proxy.host)
        if literal is not None:
            return list(literal)
        answer = await self._resolver.resolve(proxy.host)
        if not answer.addresses:
            raise proxy.unreachable(answer.failure)
        return list(answer.addresses[:_MAX_ADDRESSES])

    async def is_reachable(self, proxy: Proxy) -> bool:
        """Can a connection to the proxy be made now?"""
        try:
            for address in await self._addresses_of(proxy):
                until = self._clock.monotonic() + self._connect_timeout
                sock = await self._open_socket(_Target(("proxy", "", 0), address, proxy.port, until, None))
                sock.close()
                return True
        except (FetchFailure, OutOfDescriptors):
            return False
        return False

    async def _connect(self, target: _Target) -> Connection:
        if target.origin[0] == "https":
            return await self._connect_tls(target)
        return await self._open(target, None)

    async def _connect_tls(self, target: _Target) -> Connection:
        _, host, port = target.origin
        failure = self._tls.known_failure(host, port, self._clock.monotonic())
        is_news = False
        try:
            if not failure:
                try:
                    return await self._open(target, self._tls.verified)
                except _HANDSHAKE_FAILURES as exc:
                    if self._tls.is_strict:
                        raise
                    failure = tls.describe(exc)
                    # Servers too old for today's versions reset instead of saying so; but so do overloaded ones.
                    is_news = isinstance(exc, ssl.SSLError)
            connection = await self._open(target, self._tls.unverified, failure)
        except _HANDSHAKE_FAILURES as exc:
            raise FetchFailure(FetchStatus.TLS_FAILED, tls.describe(exc)) from exc
        if is_news:
            self._tls.note_failure(host, port, failure, self._clock.monotonic())
        return connection

    async def _open(self, target: _Target, context: ssl.SSLContext | None, failure: str = "") -> Connection:
        """Connect, shake hands. Raises FetchFailure, and one of _HANDSHAKE_FAILURES from the handshake itself."""
        sock = await self._open_socket(target)
        key, address = target.origin, target.address
        if target.proxy is not None:
            key = pool_key(target.proxy, target.origin)
            # WARC/1.1 5.9 wants the address that belongs to the URI's host; behind a proxy only a literal one is known.
            address = (literal_address(target.origin[1]) or ("",))[0]
        connection = Connection(self._owner, self._patience, key, sock, address)
        loop = asyncio.get_running_loop()
        name = _server_name(target.origin[1]) if context is not None else None
        try:
            async with within(self._clock, target.give_up_at - self._clock.monotonic()):
                transport, _ = await loop.create_connection(
                    lambda: connection, sock=sock, ssl=context, server_hostname=name
                )
        except BaseException as exc:
            connection.abort()
            sock.close()
            if context is None and isinstance(exc, OSError):
                raise _connect_failure(exc, target.address, target.origin[2]) from exc
            if isinstance(exc, TimeoutError):
                raise FetchFailure(FetchStatus.TLS_FAILED, "the TLS handshake took too long") from exc
            if isinstance(exc, (OSError, ValueError)) and not isinstance(exc, _HANDSHAKE_FAILURES):
                # A ValueError: the host cannot be a server name.
                raise FetchFailure(FetchStatus.TLS_FAILED, tls.describe(exc)) from exc
            raise
        if context is not None:
            connection.tls = tls.facts(transport.get_extra_info("ssl_object"), failure)
        return connection

    async def _open_socket(self, target: _Target) -> socket.socket:
        """A connected, non-blocking socket that leads to the host, or to a proxy that fetches for us."""
        port, proxy = target.port, target.proxy
        family = socket.AF_INET6 if ":" in target.address else socket.AF_INET
        sock: socket.socket | None = None
        try:
            sock = socket.socket(family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            async with within(self._clock, target.give_up_at - self._clock.monotonic()):
                await asyncio.get_running_loop().sock_connect(sock, (target.address, port))
        except BaseException as exc:
            if sock is not None:
                sock.close()
            if isinstance(exc, OSError):
                failure = _connect_failure(exc, target.address, port)
                if proxy is not None and isinstance(failure, FetchFailure):
                    raise proxy.unreachable(failure.detail) from exc
                raise failure from exc
            raise
        if proxy is not None and proxy.tunnels(target.origin):
            await self._open_tunnel(proxy, sock, target)
        return sock

    async def _open_tunnel(self, proxy: Proxy, sock: socket.socket, target: _Target) -> None:
        try:
            async with within(self._clock, target.give_up_at - self._clock.monotonic()):
                await proxy.open_tunnel(sock, target.origin)
        except BaseException as exc:
            sock.close()
            if isinstance(exc, TimeoutError):
                raise FetchFailure(FetchStatus.CONNECT_FAILED, "no answer through the proxy in time") from None
            if isinstance(exc, OSError):
                why = exc.strerror or type(exc).__name__
                raise FetchFailure(FetchStatus.CONNECT_FAILED, f"the connection to the proxy broke: {why}") from None
            raise


def pool_key(proxy: Proxy, origin: Origin) -> Origin:
    """What a connection through a proxy may be used for again: one that is not a tunnel serves all hosts."""
    return origin if proxy.tunnels(origin) else ("proxy", proxy.host, proxy.port)


def _connect_failure(exc: OSError, address: str, port: int) -> Exception:
    if exc.errno in _OUT_OF_DESCRIPTORS:
        return OutOfDescriptors()
    # TimeoutError is an OSError, too: that of the limit has no number.
    why = os.strerror(exc.errno).lower() if exc.errno else "no answer in time"
    where = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
    return FetchFailure(FetchStatus.CONNECT_FAILED, printable(f"{where}: {why}", 200))


def _server_name(host: str) -> str:
    """The name to verify, and to ask for in SNI: without brackets and without the root's dot."""
    return host.strip("[]").rstrip(".")
