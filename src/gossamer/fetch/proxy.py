"""Proxies: which of them a request goes through, and what the proxy is told on a connection of ours.

    http proxy, http URL     the request itself, with the whole URL in its line; connections serve all hosts
    http proxy, https URL    CONNECT host:port, and TLS with the host inside (RFC 9110 9.3.6)
    socks5, socks4a          a few bytes with host and port, then as without a proxy (`socks`)

Names go to the proxy as they are: it asks the DNS, not we. Whose fault a refusal is decides who pays: a proxy that
cannot be reached, does not speak its protocol or wants a password is trouble of the crawl's own network
(PROXY_FAILED); one that says it cannot reach the host is believed (CONNECT_FAILED).
"""

from __future__ import annotations

import asyncio
import socket
from ipaddress import ip_address, ip_network

from gossamer.config import Fetching, secret_text
from gossamer.config.proxies import ProxyParts, parse_proxy
from gossamer.errors import ConfigError, FetchFailure
from gossamer.fetch import socks
from gossamer.fetch.auth import basic
from gossamer.fetch.connection import Origin
from gossamer.fetch.dns import literal_address
from gossamer.model.fetchstatus import FetchStatus
from gossamer.util.terminal import printable

_LONGEST_HEAD = 16 * 1024
"""Bytes of a proxy's answer to CONNECT."""


class Proxy:
    """The proxy of a crawl."""

    def __init__(self, parts: ProxyParts) -> None:
        self.scheme = parts.scheme
        self.host = parts.host
        self.port = parts.port
        self.name = parts.name
        """As it may be shown."""
        self._user = parts.user
        self._password = parts.password
        self.has_worked = False
        """It has done what it was asked at least once in this run."""

    def tunnels(self, origin: Origin) -> bool:
        """Is there a connection to the host itself behind it? Else the proxy fetches for us."""
        return self.scheme != "http" or origin[0] == "https"

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """What an http proxy is told with each request or CONNECT."""
        if self._user or self._password:
            return (("Proxy-Authorization", basic(self._user, self._password)),)
        return ()

    async def open_tunnel(self, sock: socket.socket, origin: Origin) -> None:
        """On a connection to the proxy, get one to the host. Raises FetchFailure, OSError."""
        _, host, port = origin
        if self.scheme == "socks5":
            await socks.connect5(sock, host, port, self._user, self._password)
        elif self.scheme == "socks4a":
            await socks.connect4a(sock, host, port, self._user)
        else:
            await self._connect(sock, f"{host}:{port}")
        self.has_worked = True

    async def _connect(self, sock: socket.socket, authority: str) -> None:
        headers = "".join(f"{name}: {value}\r\n" for name, value in self.headers)
        request = f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n{headers}\r\n"
        await asyncio.get_running_loop().sock_sendall(sock, request.encode("latin-1"))
        status, line = _status(await _read_head(sock))
        if status == 407:
            raise self.wants_password()
        if not 200 <= status < 300:
            raise FetchFailure(FetchStatus.CONNECT_FAILED, printable(f"the proxy says of {authority}: {line}", 200))

    def wants_password(self) -> FetchFailure:
        """The failure of a request that was answered with 407."""
        has_one = "does not take the user name and password" if self.headers else "wants a user name and a password"
        return FetchFailure(FetchStatus.PROXY_FAILED, f"{self.name} {has_one} of fetching.proxy (407)")

    def unreachable(self, why: str) -> FetchFailure:
        """The failure of a connection to the proxy itself."""
        return FetchFailure(FetchStatus.PROXY_FAILED, printable(f"{self.name} cannot be used: {why}", 200))


class Proxies:
    """Through which proxy what is fetched."""

    def __init__(self, proxy: Proxy, direct: tuple[str, ...]) -> None:
        """`direct` = Fetching.no_proxy."""
        self.proxy = proxy
        self._is_unused = "*" in direct
        self._names = {entry for entry in direct if not entry.startswith((".", "*"))}
        self._domains = tuple(f".{entry.lstrip('*.')}" for entry in direct if entry.startswith((".", "*.")))
        self._networks = []
        for entry in direct:
            try:
                self._networks.append(ip_network(entry))
            except ValueError:
                continue  # a name

    def proxy_for(self, origin: Origin) -> Proxy | None:
        """None = it is asked directly."""
        _, host, port = origin
        if self._is_unused or host in self._names or f"{host}:{port}" in self._names:
            return None
        if f".{host}".endswith(self._domains):
            return None
        literal = literal_address(host)
        if literal is not None and self._networks:
            address = ip_address(literal[0])
            if any(address in network for network in self._networks):
                return None
        return self.proxy


def proxies_of(settings: Fetching) -> Proxies | None:
    """The proxy of the settings; None if there is none. Raises ConfigError."""
    if settings.proxy is None:
        return None
    try:
        parts = parse_proxy(secret_text(settings.proxy, "fetching.proxy"))
    except ValueError as exc:
        raise ConfigError(f"fetching.proxy {exc}") from None
    return Proxies(Proxy(parts), settings.no_proxy)


async def _read_head(sock: socket.socket) -> bytes:
    """A proxy's answer up to its empty line; behind it comes nothing until we have spoken."""
    head = b""
    while b"\r\n\r\n" not in head and b"\n\n" not in head:
        piece = await asyncio.get_running_loop().sock_recv(sock, 4096)
        if not piece:
            raise FetchFailure(
                FetchStatus.CONNECT_FAILED, "the proxy closed the connection instead of answering CONNECT"
            )
        head += piece
        if len(head) > _LONGEST_HEAD or not head.startswith(b"HTTP/"[: len(head)]):
            raise _no_proxy()
    return head


def _status(head: bytes) -> tuple[int, str]:
    line = head.partition(b"\n")[0].decode("latin-1").strip()
    words = line.split(maxsplit=2)
    if len(words) < 2 or not words[0].startswith("HTTP/") or not (words[1].isascii() and words[1].isdigit()):
        raise _no_proxy()
    return int(words[1][:3]), line


def _no_proxy() -> FetchFailure:
    return FetchFailure(FetchStatus.PROXY_FAILED, "what answers CONNECT is no http proxy")
