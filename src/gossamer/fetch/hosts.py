"""StaticHosts: names whose addresses the operator gave, in front of whoever knows the others."""

from __future__ import annotations

from collections.abc import Sequence

from gossamer.fetch.dns import DnsAnswer, Resolver


class StaticHosts:
    """A Resolver."""

    def __init__(self, hosts: Sequence[tuple[str, tuple[str, ...]]], others: Resolver) -> None:
        """`hosts` = Dns.hosts."""
        self._hosts = dict(hosts)
        self._others = others

    async def resolve(self, host: str) -> DnsAnswer:
        addresses = self._hosts.get(host.rstrip("."))
        return await self._others.resolve(host) if addresses is None else DnsAnswer(host, addresses)

    async def close(self) -> None:
        await self._others.close()


class Borrowed:
    """A Resolver that belongs to somebody else, who closes it."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolve = resolver.resolve

    async def close(self) -> None:
        """It goes on."""
