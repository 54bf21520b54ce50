"""How far from the seed, and by which hops.

*Depth* counts links. A redirect leaves it as it is: whether a page sits behind one says nothing about how far it is.
What a page embeds belongs to the page and has its depth, so that the pages at the edge of the crawl are archived with
their pictures; but embeds of embeds of embeds could go on for ever (a frame that holds a frame), so from the third in a
row on they count like links. Redirects in a row end somewhere, too: after 20.

*Transclusion*: what a page in scope embeds is fetched from wherever it is, or the archived page would be full of holes.
"""

from __future__ import annotations

from gossamer.scope.rule import ACCEPT, NONE, REJECT, Decision
from gossamer.url.parse import Url

FREE_EMBEDS = 2
"""Embeds in a row that do not count as depth: a style sheet and its pictures."""

MAX_REDIRECTS = 20
"""In a row, each to another URL. Browsers and curl stop there or earlier."""

_UNCOUNTED = "ER"


def depth_after(depth: int, hops: str, hop: str) -> int:
    """Link depth of what is reached by `hop` from a page at `depth` that was reached by `hops`."""
    if hop == "R":
        return depth
    if hop == "E" and embeds_in_a_row(hops) < FREE_EMBEDS:
        return depth
    return depth + 1


def embeds_in_a_row(hops: str) -> int:
    """How many embeds stand at the end of a hop path, redirects among them not counted."""
    return hops[len(hops.rstrip(_UNCOUNTED)) :].count("E")


class MaxDepthRule:
    """Too many links from the seed."""

    name = "max-depth"
    is_of_way = True

    def __init__(self, max_depth: int) -> None:
        self._max_depth = max_depth

    def decide(self, url: Url, depth: int, hops: str, via: str | None) -> Decision:
        return REJECT if depth > self._max_depth else NONE


class RedirectsRule:
    """Redirected again and again."""

    name = "redirects"
    is_of_way = True

    def __init__(self, max_redirects: int = MAX_REDIRECTS) -> None:
        self._too_many = "R" * (max_redirects + 1)

    def decide(self, url: Url, depth: int, hops: str, via: str | None) -> Decision:
        return REJECT if hops.endswith(self._too_many) else NONE


class TransclusionRule:
    """Embedded by a page in scope, at most so many embeds away; redirects of an embed included."""

    name = "embed"
    is_of_way = True

    def __init__(self, max_embed_hops: int) -> None:
        self._max_embed_hops = max_embed_hops

    def decide(self, url: Url, depth: int, hops: str, via: str | None) -> Decision:
        if not hops or hops[-1] not in _UNCOUNTED:
            return NONE
        return ACCEPT if 0 < embeds_in_a_row(hops) <= self._max_embed_hops else NONE
