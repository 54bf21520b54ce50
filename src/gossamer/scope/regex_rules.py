"""The operator's own patterns, searched for in the whole URL.

They do not judge seeds, nor what a seed redirects to: those were asked for by name. How long a pattern takes is the
operator's business; that it compiles is checked before the crawl starts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gossamer.errors import ConfigError
from gossamer.scope.rule import NONE, REJECT, Decision
from gossamer.url.parse import Url


class IncludeRule:
    """Refuses what none of the patterns matches."""

    name = "include"

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = compile_patterns(patterns, "include")

    def decide(self, url: Url, depth: int, hops: str, via: str | None) -> Decision:
        if is_asked_for(hops) or any(pattern.search(url.href) for pattern in self._patterns):
            return NONE
        return REJECT


class ExcludeRule:
    """Refuses what one of the patterns matches."""

    name = "exclude"

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = compile_patterns(patterns, "exclude")

    def decide(self, url: Url, depth: int, hops: str, via: str | None) -> Decision:
        if is_asked_for(hops) or not any(pattern.search(url.href) for pattern in self._patterns):
            return NONE
        return REJECT


def is_asked_for(hops: str) -> bool:
    """Whether a hop path is that of a seed or of a seed's redirect target."""
    return not hops.strip("R")


def compile_patterns(patterns: Iterable[str], setting: str) -> tuple[re.Pattern[str], ...]:
    """Compile an operator's patterns. Raises ConfigError naming the setting, the pattern and what is wrong with it."""
    compiled = []
    for pattern in patterns:
        try:
            compiled.append(re.compile(pattern))
        except (re.error, RecursionError, OverflowError) as exc:
            raise ConfigError(f"scope.{setting}: {pattern!r} is not a regular expression: {exc}") from exc
    return tuple(compiled)
