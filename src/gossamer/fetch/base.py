"""The fetcher's contract: a request in, an Exchange out; whatever the server does.

A Fetcher never raises for what a server or the network does: that is `Exchange.failure`. It raises only
CancelledError, and StorageError when a spool file cannot be written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

from gossamer.model.exchange import Exchange


class FetchRequest(msgspec.Struct, frozen=True):
    """One GET."""

    url: str
    """Absolute http or https, parsed by `gossamer.url`."""
    headers: tuple[tuple[str, str], ...] = ()
    """Beyond Host, User-Agent, Accept, Accept-Encoding and Connection, which the fetcher sets."""
    body_limit: int | None = None
    """Wire bytes of the body beyond which it is cut and marked; None = the setting's."""
    on_sent: Callable[[float], None] | None = None
    """Called with the monotonic time each time the request is written to a connection."""


class Fetcher(Protocol):
    async def fetch(self, request: FetchRequest) -> Exchange: ...

    async def close(self) -> None:
        """Close every connection; fetches under way are cancelled by their owners first."""
