"""HttpFetcher: one request from its URL to its Exchange.

    request's bytes ─► a kept-alive connection, or a new one ─► written, read by a ResponseReader ─► Exchange

It follows no redirect, knows no robots, keeps no cookies (`session` does), and never raises for what a server or the
network does. A request that dies on a kept-alive connection before a single byte came back is repeated once on a new
one: the server had closed it and nobody is to blame (RFC 9110 9.2.2 allows it for a GET). All else is one attempt, and
whether there is another is decided elsewhere.
"""

from __future__ import annotations

from pathlib import Path

from gossamer.config.settings import Fetching
from gossamer.errors import FetchFailure
from gossamer.fetch.address import AddressRules
from gossamer.fetch.base import FetchRequest
from gossamer.fetch.connection import Connection, Origin, Patience
from gossamer.fetch.connections import Connections, descriptor_budget
from gossamer.fetch.dialing import Dialer, OutOfDescriptors, pool_key
from gossamer.fetch.dns import Resolver
from gossamer.fetch.proxy import Proxy, proxies_of
from gossamer.fetch.recording import SpooledRecording
from gossamer.fetch.request import RequestWriter, with_headers
from gossamer.fetch.response import Bounds, ResponseReader
from gossamer.model.exchange import Exchange
from gossamer.model.fetchstatus import FetchStatus
from gossamer.util.clock import Clock

_BEFORE_ANY_BYTE = frozenset({FetchStatus.CONNECTION_LOST, FetchStatus.EMPTY_RESPONSE})


class HttpFetcher:
    """Implements `fetch.base.Fetcher` for http and https."""

    def __init__(
        self,
        settings: Fetching,
        resolver: Resolver,
        rules: AddressRules,
        clock: Clock,
        spool_folder: Path | None = None,
        *,
        unchunked_limit: int = 10 * 1024 * 1024,
    ) -> None:
        """`spool_folder` takes large responses, None = the system's temporary folder; it must exist.

        `unchunked_limit` bounds `Exchange.unchunked`: what extraction reads at most. Raises ConfigError.
        """
        self._settings = settings
        self._clock = clock
        self._spool_folder = spool_folder
        self._proxies = proxies_of(settings)
        self._writer = RequestWriter(settings, self._proxies)
        self._bounds = Bounds(settings.max_header_bytes, settings.max_header_lines, unchunked_limit)
        patience = Patience(settings.idle_timeout, settings.min_rate, settings.min_rate_window)
        self._connections = Connections(
            clock,
            descriptor_budget(settings.max_connections),
            settings.max_idle_connections_seconds,
            min(settings.idle_timeout, settings.wall_clock, settings.min_rate_window),
        )
        self._dialer = Dialer(settings, resolver, rules, clock, self._connections, patience, self._proxies)

    @property
    def open_connections(self) -> int:
        """Sockets open now, idle ones included."""
        return self._connections.open_count

    @property
    def proxy(self) -> Proxy | None:
        """The one that requests go through, if there is one."""
        return None if self._proxies is None else self._proxies.proxy

    async def is_proxy_reachable(self) -> bool:
        """Can a connection to the proxy be made now?"""
        return self.proxy is None or await self._dialer.is_reachable(self.proxy)

    async def fetch(self, request: FetchRequest) -> Exchange:
        """Ask once. Raises CancelledError, StorageError; whatever else goes wrong is in the Exchange."""
        exchange = Exchange(request.url)
        deadline = self._clock.monotonic() + self._settings.wall_clock
        try:
            origin, head = self._writer.write(request)
            exchange.request = head
            exchange.port = origin[2]
            proxy = None if self._proxies is None else self._proxies.proxy_for(origin)
            key = origin
            if proxy is not None:
                self._dialer.check_literal(origin)
                key = pool_key(proxy, origin)
            # What is sent on a kept connection may be sent again: only what changes nothing may (RFC 9110 9.2.2).
            kept = self._connections.take(key) if request.method == "GET" else None
            connection = kept or await self._new_connection(origin)
            await self._converse(connection, head, request, exchange, deadline)
            if kept is not None and exchange.raw is None and exchange.failure in _BEFORE_ANY_BYTE:
                exchange.failure = None
                exchange.detail = ""
                exchange.annotations.append("repeated")
                connection = await self._new_connection(origin)
                await self._converse(connection, head, request, exchange, deadline)
            if proxy is not None and not proxy.tunnels(origin):
                self._judge_proxy(proxy, exchange)
        except FetchFailure as failure:
            exchange.failure = failure.status
            exchange.detail = failure.detail
        except OutOfDescriptors:
            exchange.failure = FetchStatus.CRASHED
            exchange.detail = "no file descriptor is left for a connection"
        if exchange.started:
            exchange.duration_seconds = self._clock.monotonic() - exchange.started
        return exchange

    async def close(self) -> None:
        """Close every connection; fetches under way are cancelled by their owners first."""
        await self._connections.close()

    def _judge_proxy(self, proxy: Proxy, exchange: Exchange) -> None:
        """What a proxy that fetches for us says on its own behalf is not the host's answer."""
        if exchange.http_status == 407:
            if exchange.raw is not None:
                exchange.raw.close()
            exchange.raw = exchange.http_status = None
            exchange.headers = []
            exchange.header_names = None
            raise proxy.wants_password()
        if exchange.http_status is not None:
            proxy.has_worked = True

    async def _new_connection(self, origin: Origin) -> Connection:
        await self._connections.reserve()
        try:
            try:
                connection = await self._dialer.dial(origin)
            except OutOfDescriptors:
                if not await self._connections.give_up_one():
                    raise
                connection = await self._dialer.dial(origin)
        except BaseException:
            self._connections.unreserve()
            raise
        self._connections.add(connection)
        return connection

    async def _converse(
        self, connection: Connection, head: bytes, request: FetchRequest, exchange: Exchange, deadline: float
    ) -> None:
        """Send the request, read until its response has ended, and keep the connection if it is fit for more."""
        settings = self._settings
        tls = connection.tls
        is_verified = tls is None or tls.is_verified
        if request.needs_trust and not is_verified:
            connection.abort()
            raise FetchFailure(FetchStatus.TLS_FAILED, "the server cannot prove who it is, so it is told no secret")
        if request.secrets is not None:
            head = with_headers(head, request.secrets(is_verified))
        exchange.request = head + request.body if request.body else head
        if request.body_limit is None:
            limit, fails = settings.max_body, settings.too_large == "fail"
        else:
            limit, fails = request.body_limit, False
        recording = SpooledRecording(settings.spool_above, self._spool_folder)
        reader = ResponseReader(exchange, self._bounds, limit, recording, fails_if_larger=fails)
        exchange.ip = connection.ip
        exchange.tls = tls
        try:
            answer = connection.send(exchange.request, reader, self._clock.monotonic(), deadline)
            # By a look at the clock after it: one before it may be milliseconds older, if a thread got in between.
            exchange.started = now = self._clock.monotonic()
            if not exchange.started_wall:
                exchange.started_wall = self._clock.wall()
            if request.on_sent is not None:
                request.on_sent(now)
            await answer
        except BaseException:
            connection.abort()
            recording.close()
            raise
        if not is_verified:
            exchange.annotations.append("tlsUnverified")
        if reader.is_reusable:
            self._connections.park(connection)
