"""Seeding: the seeds of a job become URIs, and at the end: what became of them.

Seeds are scheduled at every start; those that the frontier knows are not repeated. A seed's redirect target is a seed,
too: the frontier keeps those, so that the scope of a resumed crawl is that of the crawl before. A bare host name means
https, and http if no secure connection can be made: the second URL travels with the first as `data["fallback"]`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from itertools import filterfalse
from typing import NamedTuple

from gossamer.config import Scope
from gossamer.frontier import LocalFrontier
from gossamer.model.crawluri import PRIORITY_ORDINARY, PRIORITY_SEED, ClassKey, CrawlURI, DocId
from gossamer.process import FALLBACK, CandidateMaker
from gossamer.scope import RuleSequence, build_scope
from gossamer.seeds import Seed
from gossamer.url import Suffixes, class_key, parse
from gossamer.util.clock import Clock
from gossamer.util.patterns import is_bounded

log = logging.getLogger(__name__)

BATCH = 500


class Noted(NamedTuple):
    """A URL that shall count as known without being fetched."""

    url: str
    """Parsed and serialized."""
    docid: int | None = None
    """The doc id that it shall have; None = the next one."""


class SeedOutcome(NamedTuple):
    """What became of one seed."""

    text: str
    """As the operator gave it."""
    url: str
    """The URL that was tried last."""
    status: int | None
    """HTTP status, or a FetchStatus code below zero; None while it waits."""
    reason: str
    detail: str = ""
    """Why its host could not be reached, if that is known: `127.0.0.1:9: connection refused`."""

    @property
    def is_fetched(self) -> bool:
        """Answered with a status below 400."""
        return self.status is not None and 0 < self.status < 400


class Seeding:
    """The seeds of one job."""

    def __init__(
        self,
        seeds: Sequence[Seed],
        frontier: LocalFrontier,
        maker: CandidateMaker,
        clock: Clock,
        exempt: Callable[[Seed], None],
        suffixes: Suffixes,
        noted: Sequence[Noted] = (),
    ) -> None:
        """`exempt` lets a seed be connected to whose host is literally a private address; `noted` are known URLs."""
        self._seeds = {seed.url: seed for seed in seeds}
        self._frontier = frontier
        self._maker = maker
        self._clock = clock
        self._exempt = exempt
        self._suffixes = suffixes
        self._noted = noted

    async def announce(self) -> int:
        """Note what shall count as known, and schedule the seeds that the frontier does not know; how many there were.

        Those with doc ids of their own go first, in the order of the ids, since ids only rise. Raises ValueError for
        one that does not rise above those given before. Lets others have their turn in between: of a million seeds
        this takes a minute, and a stop must not wait for it.
        """
        scheduled = 0
        given: list[Seed | Noted] = [*self._noted, *self._seeds.values()]
        numbered = [one for one in given if one.docid is not None]
        for one in sorted(numbered, key=lambda one: one.docid or 0):
            scheduled += self._announce(one)
        for noted in self._noted:
            self._announce(noted)
        seeds = [seed for seed in self._seeds.values() if seed.docid is None]
        for start in range(0, len(seeds), BATCH):
            scheduled += self._schedule(seeds[start : start + BATCH], force=False)
            await asyncio.sleep(0)
        return scheduled

    def _announce(self, one: Seed | Noted) -> int:
        if isinstance(one, Seed):
            return self._schedule([one], force=False)
        self.note_seen(one)
        return 0

    def note_seen(self, noted: Noted) -> DocId:
        """Mark a URL as known without queueing it; its doc id. Raises ValueError for an id that does not rise."""
        docid = None if noted.docid is None else DocId(noted.docid)
        return self._frontier.note_seen(self._maker.identify(noted.url), docid)

    def add(self, seeds: Sequence[Seed], *, force: bool = False) -> int:
        """Take further seeds into a running crawl; how many were scheduled."""
        for seed in seeds:
            self._seeds.setdefault(seed.url, seed)
            self._exempt(seed)
        return self._schedule(seeds, force=force)

    def plain(self, href: str) -> CrawlURI:
        """An ordinary URI that no page led to."""
        url = parse(href)
        return CrawlURI(
            url=url.href,
            class_key=ClassKey(class_key(url)),
            identity=self._maker.identify(url.href),
            priority=PRIORITY_ORDINARY,
            discovered=self._clock.wall(),
        )

    def scope(self, settings: Scope) -> RuleSequence:
        """The scope that these settings give with the seeds of now, those that redirects led to included."""
        return scope_of(settings, self._seeds.values(), self._frontier, self._suffixes)

    def _schedule(self, seeds: Sequence[Seed], *, force: bool) -> int:
        now = self._clock.wall()
        curis = [self._curi(seed, now) for seed in seeds]
        scheduled = self._frontier.schedule(curis, force=force)
        self._maker.admit_seeds(curis)
        return scheduled

    def outcomes(self) -> tuple[SeedOutcome, ...]:
        """What became of each seed so far."""
        return tuple(self._outcome(seed) for seed in self._seeds.values())

    def _curi(self, seed: Seed, now: float) -> CrawlURI:
        url = parse(seed.url)
        return CrawlURI(
            url=url.href,
            class_key=ClassKey(class_key(url)),
            identity=self._maker.identify(url.href),
            docid=DocId(seed.docid or 0),
            priority=PRIORITY_SEED if seed.priority is None else seed.priority,
            is_seed=True,
            discovered=now,
            data={FALLBACK: seed.fallback_url} if seed.fallback_url else None,
        )

    def _outcome(self, seed: Seed) -> SeedOutcome:
        best = self._look_up(seed.text, seed.url)
        if not best.is_fetched and seed.fallback_url:
            fallback = self._look_up(seed.text, seed.fallback_url)
            if fallback.status is not None:
                return fallback
        return best

    def _look_up(self, text: str, url: str) -> SeedOutcome:
        seen = self._frontier.seen(self._maker.identify(parse(url).href))
        if seen is None or seen.fate is None:
            return SeedOutcome(text, url, None, "")
        record = self._frontier.robots(parse(url).origin) if seen.status is not None and seen.status < 0 else None
        # What is asked of a host first is its robots.txt: one that cannot be reached fails there.
        detail = record.detail if record is not None and record.status == seen.status else ""
        return SeedOutcome(text, url, seen.status, seen.reason, detail)


def scope_of(settings: Scope, seeds: Iterable[Seed], frontier: LocalFrontier, suffixes: Suffixes) -> RuleSequence:
    """The rules for these settings and seeds, widened by the redirect targets that the frontier keeps as seeds."""
    scope = build_scope(settings, [parse(seed.url) for seed in seeds], suffixes)
    for pattern in filterfalse(is_bounded, (*settings.include, *settings.exclude)):
        log.warning(
            "the pattern %r has something (look-around, a back-reference) that only a backtracking engine knows: "
            "a URL made for it may hold up the crawl",
            pattern,
        )
    for url in frontier.promoted_seeds():
        scope.add_seed(parse(url))
    return scope
