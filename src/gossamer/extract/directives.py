"""What a page asks of robots: `<meta name=robots>` and the X-Robots-Tag header.

Only noindex, nofollow and none are of interest. Both places may address one robot by its name; what is said to another
is not ours. Asked more than once, the strictest holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

# Directives that themselves contain a colon, so what stands before it is no robot's name.
_WITH_VALUE = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})


class Directives(NamedTuple):
    """Flags; `|` joins them."""

    is_noindex: bool = False
    is_nofollow: bool = False

    def __or__(self, other: object) -> Directives:
        if not isinstance(other, Directives):
            return NotImplemented
        return Directives(self.is_noindex or other.is_noindex, self.is_nofollow or other.is_nofollow)


NOTHING = Directives()


def directives_of_meta(attributes: Mapping[str, str | None], product_token: str) -> Directives:
    """What one meta element asks of the robot with this name."""
    name = (attributes.get("name") or "").strip().lower()
    if name not in ("robots", product_token.lower()):
        return NOTHING
    return _read((attributes.get("content") or "").split(","))


def directives_of_headers(headers: Iterable[tuple[bytes, bytes]], product_token: str) -> Directives:
    """What the X-Robots-Tag headers ask of the robot with this name; header names are in lower case."""
    asked = NOTHING
    for name, value in headers:
        if name == b"x-robots-tag":
            asked |= _read(_addressed_to(product_token.lower(), value.decode("latin-1")))
    return asked


def _addressed_to(product_token: str, value: str) -> Iterable[str]:
    """The directives of one header value that are for everybody or for us: `noindex, otherbot: nofollow`."""
    is_ours = True
    for part in value.split(","):
        before, colon, after = part.partition(":")
        if colon and before.strip().lower() not in _WITH_VALUE:
            is_ours = before.strip().lower() in ("*", product_token)
            part = after
        if is_ours:
            yield part


def _read(directives: Iterable[str]) -> Directives:
    words = {directive.strip().lower() for directive in directives}
    is_none = "none" in words
    return Directives(is_none or "noindex" in words, is_none or "nofollow" in words)
