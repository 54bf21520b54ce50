"""The fetcher's contract: a request in, an Exchange out; whatever the server does.

A Fetcher never raises for what a server or the network does: that is `Exchange.failure`. It raises only
CancelledError, and StorageError when a spool file cannot be written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from gossamer.model.exchange import Exchange


class Secrets(Protocol):
    def __call__(self, is_verified: bool, /) -> Sequence[tuple[str, str]]:
        """The headers to send on a connection; called each time the request is written to one.

        `is_verified` = the server has proved who it is, or the connection is plain http.
        """


class FetchRequest(msgspec.Struct, frozen=True):
    """One GET, or a form that is sent."""

    url: str
    """Absolute http or https, parsed by `gossamer.url`."""
    method: str = "GET"
    body: bytes = b""
    """A form's fields, as `application/x-www-form-urlencoded`; only with POST."""
    headers: tuple[tuple[str, str], ...] = ()
    """Beyond Host, User-Agent, Accept, Accept-Encoding and Connection, which the fetcher sets."""
    body_limit: int | None = None
    """Wire bytes of the body beyond which it is cut and marked; None = the setting's."""
    on_sent: Callable[[float], None] | None = None
    """Called each time the request was handed to the system, with the monotonic time just after."""
    secrets: Secrets | None = None
    """Headers that only some servers may see."""
    needs_trust: bool = False
    """What is asked is a secret itself: not sent to a server that cannot prove who it is (TLS_FAILED instead)."""


class Fetcher(Protocol):
    async def fetch(self, request: FetchRequest) -> Exchange: ...

    async def close(self) -> None:
        """Close every connection; fetches under way are cancelled by their owners first."""
