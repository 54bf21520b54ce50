"""DNS: host names to addresses, through c-ares.

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
from ipaddress import ip_address
from typing import TYPE_CHECKING, Protocol

import msgspec

from gossamer.config.settings import Dns
from gossamer.util.clock import Clock

if TYPE_CHECKING:
    from gossamer.fetch.ares import Channel, Found

_MAX_NAME = 253
"""RFC 1035 2.3.4, without the root's dot."""


class DnsAnswer(msgspec.Struct, frozen=True):
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
        self._channel: Channel | None = None
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
            await self._channel.close()
            self._channel = None

    async def _look_up(self, host: str) -> DnsAnswer:
        name = host.removesuffix(".")
        if not name or len(name) > _MAX_NAME:
            return DnsAnswer(host, failure="not a name that can be looked up")
        try:
            channel = self._channel_for_one_more()
        except OSError as exc:
            return DnsAnswer(host, failure=f"the resolver could not be started: {exc}")
        self.lookups += 1
        began = self._clock.monotonic()
        try:
            found = await channel.look_up(name)
        finally:
            await self._close_if_worn_out(channel)
        if found.failure:
            return DnsAnswer(host, server=channel.server, looked_up=self._clock.wall(), failure=found.failure)
        answer = self._answer(host, channel, found, self._clock.monotonic() - began)
        if answer.addresses:
            self._keep(answer)
            if self._on_answer is not None:
                self._on_answer(answer)
        return answer

    def _channel_for_one_more(self) -> Channel:
        """The channel for a look-up that begins now. Raises OSError if there can be none."""
        if self._channel is None or self._channel.is_worn_out:
            from gossamer.fetch.ares import Channel  # why here: see there

            self._channel = Channel(self._settings)
        return self._channel

    async def _close_if_worn_out(self, channel: Channel) -> None:
        """Called after each look-up: the last one on a worn-out channel closes it."""
        if channel.is_worn_out and channel.is_idle:
            if channel is self._channel:
                self._channel = None
            await channel.close()

    def _answer(self, host: str, channel: Channel, found: Found, seconds: float) -> DnsAnswer:
        aliases, addresses = found.aliases, found.addresses
        owner = aliases[-1].name if aliases else host
        records = [_record(alias.owner, alias.ttl, "CNAME", _absolute(alias.name)) for alias in aliases]
        records += [_record(owner, entry.ttl, _type(entry.family), entry.address) for entry in addresses]
        return DnsAnswer(
            host,
            tuple(entry.address for entry in addresses),
            tuple(records),
            float(min([entry.ttl for entry in addresses] + [alias.ttl for alias in aliases], default=0)),
            channel.server,
            self._clock.wall(),
            seconds,
            failure="" if addresses else "no address",
        )

    def _keep(self, answer: DnsAnswer) -> None:
        ttl = min(max(answer.ttl_seconds, self._settings.min_ttl), self._settings.max_ttl)
        self._cache[answer.host] = (answer, self._clock.monotonic() + ttl)
        self._cache.move_to_end(answer.host)
        while len(self._cache) > self._settings.cache_size:
            self._cache.popitem(last=False)


def _type(family: int) -> str:
    return "A" if family == socket.AF_INET else "AAAA"


def _absolute(name: str) -> str:
    return name if name.endswith(".") else f"{name}."


def _record(owner: str, ttl: int, kind: str, value: str) -> str:
    """One line, free of control characters whatever the name server sent."""
    line = f"{_absolute(owner)}\t{ttl}\tIN\t{kind}\t{value}"
    return "".join(c if c == "\t" or c.isprintable() else "?" for c in line)
