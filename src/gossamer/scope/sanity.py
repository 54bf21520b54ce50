"""The rules that stand behind all others, whatever the scope: what no crawl wants to fetch.

Each has its name for the counters; asked one by one they cost more than all the rest, and nearly every link is beyond
suspicion at a glance.
"""

from __future__ import annotations

from gossamer.config import Scope
from gossamer.model.outlink import HOP_REDIRECT
from gossamer.scope.hop_rules import RedirectsRule
from gossamer.scope.path_rules import FETCHED_SCHEMES, PathSegmentsRule, RepeatedSegmentsRule, SchemeRule, UrlLengthRule
from gossamer.scope.rule import DecideRule
from gossamer.url.parse import Url


class Sanity:
    """Endless redirects, paths and lengths, and schemes that are not fetched."""

    def __init__(self, settings: Scope) -> None:
        self.rules: tuple[DecideRule, ...] = (
            RedirectsRule(),
            RepeatedSegmentsRule(settings.max_repeated_segments),
            PathSegmentsRule(settings.max_path_segments),
            UrlLengthRule(settings.max_url_length),
            SchemeRule(),
        )
        self._max_length = settings.max_url_length
        self._max_segments = settings.max_path_segments
        self._max_repeated = settings.max_repeated_segments

    def is_evident(self, url: Url, hops: str) -> bool:
        """Whether none of the rules can object; False says nothing yet."""
        path = url.path
        count = path.count("/")
        if count > self._max_segments or len(url.href) > self._max_length:
            return False
        if count >= self._max_repeated:
            segments = path.split("/")[1:]
            if len(set(segments)) < count:
                return False
        return url.scheme in FETCHED_SCHEMES and hops[-1:] != HOP_REDIRECT
