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
from dataclasses import dataclass

from gossamer.config.settings import Fetching
from gossamer.errors import FetchFailure
from gossamer.fetch import tls
from gossamer.fetch.address import AddressRules
from gossamer.fetch.connection import Connection, ConnectionOwner, Origin, Patience
from gossamer.fetch.deadline import within
from gossamer.fetch.dns import Resolver, literal_address
from gossamer.model.fetchstatus import FetchStatus
from gossamer.util.clock import Clock
from gossamer.util.terminal import printable

_MAX_ADDRESSES = 4
"""Of those that a name has, tried in one fetch."""
_OUT_OF_DESCRIPTORS = frozenset({errno.EMFILE, errno.ENFILE})
_HANDSHAKE_FAILURES = (ssl.SSLError, ConnectionError)


class OutOfDescriptors(Exception):
    """The process may open no more sockets; nobody's server is to blame."""


@dataclass(slots=True)
class _Target:
    """One address to try."""

    origin: Origin
    address: str
    give_up_at: float


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
    ) -> None:
        self._connect_timeout = settings.connect_timeout
        self._resolver = resolver
        self._rules = rules
        self._clock = clock
        self._owner = owner
        self._patience = patience
        self._tls = tls.TlsPolicy(settings.tls)

    async def dial(self, origin: Origin) -> Connection:
        """A new connection. Raises FetchFailure, OutOfDescriptors."""
        addresses = await self._addresses(origin)
        if origin[0] == "https":
            self._tls.prepare()
        end = self._clock.monotonic() + self._connect_timeout
        failure: FetchFailure | None = None
        for tried, address in enumerate(addresses):
            now = self._clock.monotonic()
            share = max(0.0, end - now) / (len(addresses) - tried)
            try:
                return await self._connect(_Target(origin, address, now + share))
            except FetchFailure as exc:
                if exc.status is not FetchStatus.CONNECT_FAILED:
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
        connection = Connection(self._owner, self._patience, target.origin, sock, target.address)
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
        """A connected, non-blocking socket."""
        port = target.origin[2]
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
                raise _connect_failure(exc, target.address, port) from exc
            raise
        return sock


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
