"""The operator's own patterns, searched for in the whole URL.

They do not judge seeds, nor what a seed redirects to: those were asked for by name. That a pattern compiles is checked
before the crawl starts; how long it may take, by `util.patterns`.
"""

from __future__ import annotations

from collections.abc import Iterable

from gossamer.errors import ConfigError
from gossamer.scope.rule import NONE, REJECT, Decision
from gossamer.url.parse import Url
from gossamer.util.patterns import BadPattern, Patterns


class IncludeRule:
    """Refuses what none of the patterns matches."""

    name = "include"
    is_of_way = False

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = _patterns(patterns, "include")

    def decide(self, url: Url, depth: int, hops: str, via: str | None) -> Decision:
        if is_asked_for(hops) or self._patterns.is_found_in(url.href):
            return NONE
        return REJECT


class ExcludeRule:
    """Refuses what one of the patterns matches."""

    name = "exclude"
    is_of_way = False

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = _patterns(patterns, "exclude")

    def decide(self, url: Url, depth: int, hops: str, via: str | None) -> Decision:
        if is_asked_for(hops) or not self._patterns.is_found_in(url.href):
            return NONE
        return REJECT


def is_asked_for(hops: str) -> bool:
    """Whether a hop path is that of a seed or of a seed's redirect target."""
    return not hops.strip("R")


def _patterns(patterns: Iterable[str], setting: str) -> Patterns:
    try:
        return Patterns(patterns)
    except BadPattern as error:
        raise ConfigError(f"scope.{setting}: {error}") from error
