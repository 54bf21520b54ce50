"""DNS: host names to addresses, through c-ares; the only file that knows it.

A look-up asks for A and AAAA, follows CNAMEs, honours /etc/hosts, and blocks nobody. Answers are kept for their TTL,
within bounds, and least recently used names are dropped beyond a size. Look-ups of one name at the same time are one.
Every real look-up is announced once to `on_answer`, so that its records can be archived. Literal addresses and
`localhost` are known without asking.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import Protocol

import aiodns
import pycares

from gossamer.config.settings import Dns
from gossamer.util.clock import Clock

_MAX_ADDRESSES = 16
"""Kept of an answer; some names have hundreds."""
_MAX_ALIASES = 16
_MAX_NAME = 253
"""RFC 1035 2.3.4, without the root's dot."""
_LOOKUPS_PER_CHANNEL = 2_000
"""c-ares keeps every answer for its TTL, 1.4 KB each, without a bound; a fresh channel forgets them."""


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """What a name resolves to. `addresses` is empty exactly when `failure` says why."""

    host: str
    addresses: tuple[str, ...] = ()
    """IPv4 first."""
    records: tuple[str, ...] = ()
    """Lines such as `example.org.\t300\tIN\tA\t192.0.2.1`, CNAMEs first."""
    ttl_seconds: float = 0.0
    """Smallest of the records', not clamped."""
    server: str = ""
    """Address of the (first) name server asked; empty where none was."""
    looked_up: float = 0.0
    """Wall time of the answer."""
    seconds: float = 0.0
    """How long the look-up took."""
    failure: str = ""

    def text(self) -> bytes:
        """The body of a `dns:` record, text/dns as in RFC 4501's media type: a 14-digit date line, then the records."""
        date = time.strftime("%Y%m%d%H%M%S", time.gmtime(self.looked_up))
        return "".join(f"{line}\n" for line in (date, *self.records)).encode("ascii", "backslashreplace")


class Resolver(Protocol):
    """Where addresses come from."""

    async def resolve(self, host: str) -> DnsAnswer:
        """Look up a host as it stands in a parsed URL; never raises for what a name server does."""

    async def close(self) -> None:
        """Give back sockets and threads; look-ups under way fail."""


def literal_address(host: str) -> tuple[str, ...] | None:
    """The address or addresses of a host that needs no look-up; None for a name that does."""
    if host == "localhost":
        return ("127.0.0.1", "::1")
    literal = host[1:-1] if host.startswith("[") else host
    if not literal or not (literal[-1].isdigit() or ":" in literal):
        return None
    try:
        return (str(ip_address(literal)),)
    except ValueError:
        return None


class AresResolver:
    """A Resolver on c-ares with a cache."""

    def __init__(self, settings: Dns, clock: Clock, on_answer: Callable[[DnsAnswer], None] | None = None) -> None:
        """`on_answer` is called in the event loop after each look-up that gave addresses, before anybody uses them."""
        self._settings = settings
        self._clock = clock
        self._on_answer = on_answer
        self._cache: OrderedDict[str, tuple[DnsAnswer, float]] = OrderedDict()
        """Host -> answer, monotonic time until which it holds; least recently used first."""
        self._under_way: dict[str, asyncio.Task[DnsAnswer]] = {}
        self._channel: _Channel | None = None
        self.lookups = 0
        """Real ones, so far."""

    async def resolve(self, host: str) -> DnsAnswer:
        literal = literal_address(host)
        if literal is not None:
            return DnsAnswer(host, literal)
        cached = self._cache.get(host)
        if cached is not None and self._clock.monotonic() < cached[1]:
            self._cache.move_to_end(host)
            return cached[0]
        task = self._under_way.get(host)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._look_up(host))
            self._under_way[host] = task
            task.add_done_callback(lambda _: self._under_way.pop(host, None))
        # One who no longer wants to wait must not take the answer from the others.
        return await asyncio.shield(task)

    async def close(self) -> None:
        tasks = tuple(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._channel is not None:
            await self._channel.ares.close()
            self._channel = None

    async def _look_up(self, host: str) -> DnsAnswer:
        name = host.removesuffix(".")
        if not name or len(name) > _MAX_NAME:
            return DnsAnswer(host, failure="not a name that can be looked up")
        try:
            channel = self._channel_for_one_more()
        except pycares.AresError as exc:
            return DnsAnswer(host, failure=f"the resolver could not be started: {exc}")
        self.lookups += 1
        began = self._clock.monotonic()
        try:
            found = await channel.ares.getaddrinfo(name, family=socket.AF_UNSPEC, type=socket.SOCK_STREAM)
        except aiodns.error.DNSError as exc:
            return self._failed(host, channel, str(exc.args[-1]))
        except ValueError as exc:
            # A label that no name may have; UnicodeError is a ValueError.
            return self._failed(host, channel, str(exc))
        finally:
            channel.under_way -= 1
            await self._close_if_worn_out(channel)
        answer = replace(self._answer(host, channel, found), seconds=self._clock.monotonic() - began)
        if answer.addresses:
            self._keep(answer)
            if self._on_answer is not None:
                self._on_answer(answer)
        return answer

    def _channel_for_one_more(self) -> _Channel:
        """The channel for a look-up that begins now."""
        if self._channel is None or self._channel.is_worn_out:
            ares = aiodns.DNSResolver(
                nameservers=self._settings.nameservers or None,
                timeout=self._settings.timeout,
                tries=self._settings.tries,
                # No search domains: the host of a URL is a whole name.
                flags=pycares.ARES_FLAG_NOSEARCH | pycares.ARES_FLAG_EDNS,
                lookups="fb",
            )
            self._channel = _Channel(ares, _first_server(ares))
        self._channel.lookups += 1
        self._channel.under_way += 1
        return self._channel

    async def _close_if_worn_out(self, channel: _Channel) -> None:
        """Called after each look-up: the last one on a worn-out channel closes it."""
        if channel.is_worn_out and not channel.under_way:
            if channel is self._channel:
                self._channel = None
            await channel.ares.close()

    def _answer(self, host: str, channel: _Channel, found: pycares.AddrInfoResult) -> DnsAnswer:
        nodes = [(_text(node.addr[0]), node.family, node.ttl) for node in found.nodes]
        nodes.sort(key=lambda node: node[1] != socket.AF_INET)
        nodes = list(dict.fromkeys(nodes))[:_MAX_ADDRESSES]
        aliases = found.cnames[:_MAX_ALIASES]
        owner = _text(aliases[-1].name) if aliases else host
        records = [_record(_text(alias.alias), alias.ttl, "CNAME", _absolute(_text(alias.name))) for alias in aliases]
        records += [_record(owner, ttl, _type(family), address) for address, family, ttl in nodes]
        return DnsAnswer(
            host,
            tuple(address for address, _, _ in nodes),
            tuple(records),
            float(min([ttl for _, _, ttl in nodes] + [alias.ttl for alias in aliases], default=0)),
            channel.server,
            self._clock.wall(),
            failure="" if nodes else "no address",
        )

    def _failed(self, host: str, channel: _Channel, why: str) -> DnsAnswer:
        return DnsAnswer(host, server=channel.server, looked_up=self._clock.wall(), failure=why)

    def _keep(self, answer: DnsAnswer) -> None:
        ttl = min(max(answer.ttl_seconds, self._settings.min_ttl), self._settings.max_ttl)
        self._cache[answer.host] = (answer, self._clock.monotonic() + ttl)
        self._cache.move_to_end(answer.host)
        while len(self._cache) > self._settings.cache_size:
            self._cache.popitem(last=False)


@dataclass(slots=True)
class _Channel:
    """One instance of c-ares: its sockets, its thread, its own cache."""

    ares: aiodns.DNSResolver
    server: str
    lookups: int = 0
    under_way: int = 0

    @property
    def is_worn_out(self) -> bool:
        return self.lookups >= _LOOKUPS_PER_CHANNEL


def _first_server(ares: aiodns.DNSResolver) -> str:
    servers = ares.nameservers
    return servers[0].strip("[]") if servers else ""


def _text(name: str | bytes) -> str:
    return name.decode("ascii", "backslashreplace") if isinstance(name, bytes) else name


def _type(family: int) -> str:
    return "A" if family == socket.AF_INET else "AAAA"


def _absolute(name: str) -> str:
    return name if name.endswith(".") else f"{name}."


def _record(owner: str, ttl: int, kind: str, value: str) -> str:
    """One line, free of control characters whatever the name server sent."""
    line = f"{_absolute(owner)}\t{ttl}\tIN\t{kind}\t{value}"
    return "".join(c if c == "\t" or c.isprintable() else "?" for c in line)
