"""Fetchers that lose patience soon, and names that resolve as a test says."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from gossamer.config.settings import Fetching
from gossamer.fetch.address import AddressRules
from gossamer.fetch.base import FetchRequest
from gossamer.fetch.dns import DnsAnswer, Resolver, literal_address
from gossamer.fetch.http import HttpFetcher
from gossamer.model.exchange import Exchange
from gossamer.util.clock import Clock, SystemClock

LOOPBACK = ("127.0.0.0/8", "::1/128")


class FixedResolver:
    """Names to addresses, from a dict; counts what it is asked."""

    def __init__(self, names: dict[str, tuple[str, ...]] | None = None) -> None:
        self.names = names or {}
        self.asked: list[str] = []

    async def resolve(self, host: str) -> DnsAnswer:
        literal = literal_address(host)
        if literal is not None:
            return DnsAnswer(host, literal)
        self.asked.append(host)
        addresses = self.names.get(host, ())
        return DnsAnswer(host, addresses, failure="" if addresses else "Domain name not found")

    async def close(self) -> None:
        pass


@contextlib.asynccontextmanager
async def fetching(
    *,
    resolver: Resolver | None = None,
    rules: AddressRules | None = None,
    spool_folder: Path | None = None,
    unchunked_limit: int = 1024 * 1024,
    clock: Clock | None = None,
    **settings: Any,
) -> AsyncIterator[HttpFetcher]:
    """A fetcher that may connect to loopback and loses patience soon."""
    quick: dict[str, Any] = {"idle_timeout": 0.3, "connect_timeout": 2.0, "wall_clock": 10.0}
    fetcher = HttpFetcher(
        Fetching(**(quick | settings)),
        resolver or FixedResolver(),
        rules or AddressRules(LOOPBACK),
        clock or SystemClock(),
        spool_folder,
        unchunked_limit=unchunked_limit,
    )
    try:
        yield fetcher
    finally:
        await fetcher.close()
        assert fetcher.open_connections == 0


def raw(exchange: Exchange) -> bytes:
    """Everything that was recorded."""
    return b"" if exchange.raw is None else exchange.raw.read()


async def fetch(fetcher: HttpFetcher, url: str, **request: Any) -> Exchange:
    return await fetcher.fetch(FetchRequest(url, **request))
