"""URLs that cannot be right, whatever their host: unsupported schemes, endless lengths, paths that turn in circles.

Traps make URLs without end: a relative link on a page that answers under any path grows `/a/a/a/…`, a calendar has a
next month for ever. These rules bound what one URL may look like; how many of them a host may cost is a budget.
"""

from __future__ import annotations

from gossamer.scope.rule import NONE, REJECT, Decision
from gossamer.url.parse import Url

FETCHED_SCHEMES = frozenset({"http", "https"})
LONGEST_CYCLE = 4
"""Segments; `/a/b/a/b/a/b` is a cycle of two. Longer ones are caught by the number of segments soon enough."""


class SchemeRule:
    """Only what the fetcher speaks."""

    name = "scheme"
    is_of_way = False

    def decide(self, url: Url, depth: int, hops: str, via: str | None) -> Decision:
        return NONE if url.scheme in FETCHED_SCHEMES else REJECT


class UrlLengthRule:
    """Longer than servers take."""

    name = "url-length"
    is_of_way = False

    def __init__(self, max_length: int) -> None:
        self._max_length = max_length

    def decide(self, url: Url, depth: int, hops: str, via: str | None) -> Decision:
        return REJECT if len(url.href) > self._max_length else NONE


class PathSegmentsRule:
    """More slashes in the path than anybody makes by hand."""

    name = "path-segments"
    is_of_way = False

    def __init__(self, max_segments: int) -> None:
        self._max_segments = max_segments

    def decide(self, url: Url, depth: int, hops: str, via: str | None) -> Decision:
        return REJECT if url.path.count("/") > self._max_segments else NONE


class RepeatedSegmentsRule:
    """The same segment, or the same few, again and again: `repetitions` in a row are refused; 1 = never."""

    name = "repeated-segments"
    is_of_way = False

    def __init__(self, repetitions: int) -> None:
        self._repetitions = repetitions

    def decide(self, url: Url, depth: int, hops: str, via: str | None) -> Decision:
        if self._repetitions > url.path.count("/"):
            return NONE
        segments = url.path.split("/")[1:]
        if len(set(segments)) == len(segments):
            return NONE
        return REJECT if _is_cycling(segments, self._repetitions) else NONE


def _is_cycling(segments: list[str], repetitions: int) -> bool:
    for period in range(1, LONGEST_CYCLE + 1):
        enough = period * (repetitions - 1)
        run = 0
        for earlier, later in zip(segments, segments[period:], strict=False):
            run = run + 1 if earlier == later and later else 0
            if run >= enough > 0:
                return True
    return False
