"""c-ares: asks name servers for the addresses of one name; the only file that knows it.

A Channel is one instance of c-ares: its sockets, its thread, its own cache. It is handed a name and gives back what the
records said, or a sentence why there are none.

This file is loaded for the first name that is looked up. Loading c-ares takes a twentieth of a program's start, and a
crawl of literal addresses, or one behind a proxy, never asks.
"""

from __future__ import annotations

import socket
from typing import NamedTuple

import aiodns
import pycares

from gossamer.config.settings import Dns

_MAX_ADDRESSES = 16
"""Kept of an answer; some names have hundreds."""
_MAX_ALIASES = 16
_LOOKUPS = 2_000
"""Of one channel; c-ares keeps every answer for its TTL, 1.4 KB each, without a bound; a fresh channel forgets them."""


class Alias(NamedTuple):
    """A CNAME record."""

    owner: str
    ttl: int
    name: str
    """What the owner is another name of."""


class Address(NamedTuple):
    """An A or AAAA record."""

    address: str
    family: int
    ttl: int


class Found(NamedTuple):
    """What a look-up gave."""

    aliases: list[Alias]
    addresses: list[Address]
    """IPv4 first."""
    failure: str = ""
    """Why there is nothing; empty if it was answered."""


class Channel:
    """One instance of c-ares."""

    def __init__(self, settings: Dns) -> None:
        """Raises OSError if it cannot be started."""
        try:
            self._ares = aiodns.DNSResolver(
                nameservers=settings.nameservers or None,
                timeout=settings.timeout,
                tries=settings.tries,
                # No search domains: the host of a URL is a whole name.
                flags=pycares.ARES_FLAG_NOSEARCH | pycares.ARES_FLAG_EDNS,
                lookups="fb",
            )
        except pycares.AresError as exc:
            raise OSError(str(exc)) from exc
        servers = self._ares.nameservers
        self.server = servers[0].strip("[]") if servers else ""
        """Address of the (first) name server asked."""
        self._lookups = 0
        self._under_way = 0

    @property
    def is_worn_out(self) -> bool:
        """May it begin no look-up any more?"""
        return self._lookups >= _LOOKUPS

    @property
    def is_idle(self) -> bool:
        return not self._under_way

    async def look_up(self, name: str) -> Found:
        """Ask for the A and AAAA records of a name."""
        self._lookups += 1
        self._under_way += 1
        try:
            found = await self._ares.getaddrinfo(name, family=socket.AF_UNSPEC, type=socket.SOCK_STREAM)
        except aiodns.error.DNSError as exc:
            return Found([], [], str(exc.args[-1]))
        except ValueError as exc:
            # A label that no name may have; UnicodeError is a ValueError.
            return Found([], [], str(exc))
        finally:
            self._under_way -= 1
        addresses = [Address(_text(node.addr[0]), node.family, node.ttl) for node in found.nodes]
        addresses.sort(key=lambda found: found.family != socket.AF_INET)
        return Found(
            [Alias(_text(alias.alias), alias.ttl, _text(alias.name)) for alias in found.cnames[:_MAX_ALIASES]],
            list(dict.fromkeys(addresses))[:_MAX_ADDRESSES],
        )

    async def close(self) -> None:
        """Give back sockets and thread; look-ups under way fail."""
        await self._ares.close()


def _text(name: str | bytes) -> str:
    return name.decode("ascii", "backslashreplace") if isinstance(name, bytes) else name
