"""StaticHosts: names whose addresses the operator gave, in front of whoever knows the others."""

from __future__ import annotations

import asyncio
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
        self._resolver = resolver

    async def resolve(self, host: str) -> DnsAnswer:
        """In a task of its own: what it does there, and whatever it raises, must not end the toe that asks."""
        asked = asyncio.create_task(self._ask(host))
        try:
            return await asked
        except asyncio.CancelledError as error:
            asking = asyncio.current_task()
            if not asked.done() or asking is None or asking.cancelling():
                raise
            raise RuntimeError(f"the resolver cancelled its look-up of {host}") from error

    async def _ask(self, host: str) -> DnsAnswer:
        try:
            return await self._resolver.resolve(host)
        except GeneratorExit as error:  # thrown into whoever awaits it, this would close him
            raise RuntimeError(f"the resolver gave up on {host}: {type(error).__name__}") from error

    async def close(self) -> None:
        """It goes on."""
