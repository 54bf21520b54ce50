"""What a route is asked, what it may answer, and how it refuses: the vocabulary of the route table.

A route is data: method, path, the records that its query, body and answer are made of, and the coroutine that
answers. The application serves the table, the description is generated from it, and the tests walk it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from gossamer.errors import GossamerError


class Refusal(GossamerError):
    """The request cannot be answered; nothing was changed."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Every answer that is an error."""

    error: str
    """One sentence."""
    allowed: tuple[str, ...] = ()
    """After 409: the actions that are possible now."""


class NoQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A route that takes no query parameters."""


class Text(str):
    """An answer that is plain text already, and no JSON."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, checked."""

    path: Mapping[str, str] = field(default_factory=dict)
    query: Any = None
    """A record of the route's `query` type."""
    body: Any = None
    """A record of the route's `body` type; None if it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One row of the table."""

    method: str
    path: str
    """Parameters in braces."""
    about: str
    """One sentence for the description."""
    answer: type
    """A record; `Text` for plain text; `dict` for JSON whose shape is its own."""
    handler: Callable[[Asked], Awaitable[Any]]
    query: type = NoQuery
    body: type | None = None
    """None: there is none. A type whose fields all have defaults: it may be left out."""

    @property
    def name(self) -> str:
        """A name unlike that of every other route: `post_queues_key_retire`."""
        words = "".join(c if c.isalnum() else " " for c in self.path).split()
        return "_".join([self.method.lower(), *(words or ["crawl"])])

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the path's parameters, in order."""
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))
