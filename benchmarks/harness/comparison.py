"""Holding an archive against what there is to find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .warcs import Record
from .weburl import normal

HTML_TYPES = ("text/html", "application/xhtml+xml")
RETRIED = frozenset({429, *range(500, 600)})
"""Statuses that are tried again: their responses are archived too, and do not count as twice."""
KINDS = ("HTML pages", "other 2xx", "redirects", "client errors", "server errors", "other")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The last answer of one URL."""

    status: int
    is_html: bool

    @property
    def kind(self) -> str:
        if 200 <= self.status < 300:
            return KINDS[0] if self.is_html else KINDS[1]
        return KINDS[min(self.status // 100 - 1, 5)] if 300 <= self.status < 600 else KINDS[5]


@dataclass(slots=True)
class Comparison:
    """What differs; nothing in it means that both sets are the same."""

    reference: Counter[str] = field(default_factory=Counter)
    """URLs by kind."""
    archived: Counter[str] = field(default_factory=Counter)
    missing: dict[str, Outcome] = field(default_factory=dict)
    extra: dict[str, Outcome] = field(default_factory=dict)
    twice: dict[str, Outcome] = field(default_factory=dict)
    changed: dict[str, tuple[Outcome, Outcome]] = field(default_factory=dict)
    """URLs in both whose last status differs."""

    @property
    def is_equal(self) -> bool:
        return not (self.missing or self.extra or self.twice or self.changed)

    def rows(self) -> list[tuple[str, int, int, int, int, int, int]]:
        """(kind, reference, archived, missing, twice, extra, other status) for each kind there is, and the sum."""
        columns: list[Counter[str]] = [self.reference, self.archived]
        columns += [Counter(o.kind for o in found.values()) for found in (self.missing, self.twice, self.extra)]
        columns.append(Counter(wanted.kind for wanted, _ in self.changed.values()))
        rows = [(kind, *(column[kind] for column in columns)) for kind in KINDS if any(c[kind] for c in columns)]
        return [*rows, ("all", *(column.total() for column in columns))]  # type: ignore[list-item]


def compare(reference: Mapping[str, Outcome], responses: Iterable[Record]) -> Comparison:
    """Hold the HTTP responses of an archive against what a search found, or a site knows of itself.

    robots.txt is left out on both sides: it belongs to no page.
    """
    result = Comparison()
    wanted = {comparable(url): outcome for url, outcome in reference.items() if not _is_robots(url)}
    answers: dict[str, list[Outcome]] = {}
    for record in responses:
        if record.is_http_response and not _is_robots(record.uri):
            is_html = record.content_type in HTML_TYPES
            answers.setdefault(comparable(record.uri), []).append(Outcome(record.status, is_html))
    archived = {url: outcomes[-1] for url, outcomes in answers.items()}
    result.reference = Counter(outcome.kind for outcome in wanted.values())
    result.archived = Counter(outcome.kind for outcome in archived.values())
    result.missing = {url: wanted[url] for url in wanted if url not in archived}
    result.extra = {url: archived[url] for url in archived if url not in wanted}
    result.twice = {u: archived[u] for u, all_of in answers.items() if sum(o.status not in RETRIED for o in all_of) > 1}
    both = {url: (wanted[url], archived[url]) for url in wanted if url in archived}
    result.changed = {url: pair for url, pair in both.items() if pair[0].status != pair[1].status}
    return result


def comparable(url: str) -> str:
    """The form in which URLs of both sides are compared.

    Normal by the WHATWG URL Standard, without an empty query: the crawler holds `/a?` and `/a` to be one page.
    """
    return (normal(url) or url).removesuffix("?")


def _is_robots(url: str) -> bool:
    return url.split("/", 3)[-1] == "robots.txt"
