"""The outcome of a race: a row per contestant, ratios, and whether they are good enough.

CPU per page is given as the minimum and the median of the rounds. Noise from a shared machine only ever adds to it, so
the minimum comes closest to what the program needs; where the two are far apart, the machine was not quiet. Ratios are
those of the minima, then those of the medians; goals are held against the minima.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .contestants import Contestant, Result
from .report import table

MB = 1_000_000
HEADER = (
    "crawler",
    "version",
    "stores",
    "pages",
    "responses",
    "MB",
    "CPU µs/page min",
    "median",
    "pages/s",
    "peak RSS MB",
    "× floor min",
    "median",
    "× Gossamer min",
    "median",
    "runs",
)


@dataclass(frozen=True, slots=True)
class Standing:
    """One contestant over all its runs; medians, where nothing else is said."""

    name: str
    version: str
    stores: str
    pages: int
    responses: int
    body_bytes: int
    least_cpu_us_per_page: float
    cpu_us_per_page: float
    pages_per_second: float
    peak_rss_bytes: int
    """Of all runs."""
    runs: int

    def ratios(self, other: Standing | None) -> tuple[float | str, float | str]:
        """CPU per page, of the minima and of the medians, as multiples of another's; empty if there is no other."""
        if other is None:
            return "", ""
        return (
            self.least_cpu_us_per_page / other.least_cpu_us_per_page,
            self.cpu_us_per_page / other.cpu_us_per_page,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Goals:
    """What is good."""

    floor_ratio: float
    """The crawl's CPU per page may be so many times the floor's."""
    rss_mb: float
    """So many million bytes the crawl may take."""
    leads: dict[str, float]
    """Name of a peer -> its CPU per page must be so many times the crawl's."""


def standings(contestants: Sequence[Contestant], results: Iterable[Result]) -> dict[str, Standing]:
    """By name, the cheapest first; who has no result is not in it."""
    by_name: dict[str, list[Result]] = {}
    for result in results:
        by_name.setdefault(result.name, []).append(result)
    found = [_standing(c, by_name[c.name]) for c in contestants if c.name in by_name]
    return {s.name: s for s in sorted(found, key=lambda s: s.least_cpu_us_per_page)}


def _standing(contestant: Contestant, results: Sequence[Result]) -> Standing:
    costs = [one.cpu_us_per_page for one in results]
    return Standing(
        contestant.name,
        results[-1].version,
        contestant.stores,
        round(statistics.median(one.pages for one in results)),
        round(statistics.median(one.responses for one in results)),
        round(statistics.median(one.body_bytes for one in results)),
        min(costs),
        statistics.median(costs),
        statistics.median(one.pages_per_second for one in results),
        max(one.peak_rss_bytes for one in results),
        len(results),
    )


def standings_table(found: dict[str, Standing]) -> str:
    """A Markdown table."""
    floor, crawl = found.get("floor"), found.get("gossamer")
    return table(HEADER, [_row(one, floor, crawl) for one in found.values()])


def _row(one: Standing, floor: Standing | None, crawl: Standing | None) -> tuple[object, ...]:
    costs = round(one.least_cpu_us_per_page), round(one.cpu_us_per_page)
    size, rss = round(one.body_bytes / MB) or "", round(one.peak_rss_bytes / MB)
    facts = (one.name, one.version, one.stores, one.pages, one.responses, size, *costs, round(one.pages_per_second))
    return (*facts, rss, *one.ratios(floor), *one.ratios(crawl), one.runs)


def unmet(found: dict[str, Standing], goals: Goals) -> list[str]:
    """A sentence for each goal that is not reached, or cannot be judged."""
    floor, crawl = found.get("floor"), found.get("gossamer")
    if floor is None or crawl is None:
        return ["there is no figure for both the crawl and the floor"]
    sentences: list[str] = []
    ratio = crawl.least_cpu_us_per_page / floor.least_cpu_us_per_page
    if ratio > goals.floor_ratio:
        sentences.append(f"the crawl costs {ratio:.2f} × the floor, more than {goals.floor_ratio:g} ×")
    if crawl.peak_rss_bytes > goals.rss_mb * MB:
        sentences.append(f"the crawl took {crawl.peak_rss_bytes / MB:.0f} MB, more than {goals.rss_mb:g} MB")
    for name, wanted in goals.leads.items():
        if name in found:
            lead = found[name].least_cpu_us_per_page / crawl.least_cpu_us_per_page
            if lead < wanted:
                sentences.append(f"{name} costs {lead:.1f} × the crawl, less than {wanted:g} ×")
    return sentences
