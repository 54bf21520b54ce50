"""Adding: URLs that an operator gives to a crawl that is open.

As seeds they are written to the job's seeds, widen the scope and are scheduled whatever the scope said. As plain URLs
they are judged by the scope like a link without a page, unless they are forced. Either way a crawl that had run EMPTY
goes on. Texts that are no URL are told back, and nothing else is held up by them.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

import msgspec

from gossamer.control.keeping import JobRecord
from gossamer.control.seeding import Seeding
from gossamer.frontier import LocalFrontier
from gossamer.process import CandidateMaker
from gossamer.seeds import InvalidSeed, Seed, parse_seed

BATCH = 500
"""URLs between which others get the event loop."""
MAX_TOLD = 100
"""Invalid texts told back one by one; the rest is counted."""


class Added(msgspec.Struct, kw_only=True):
    """What became of the URLs that were given."""

    added: int = 0
    """Queued now."""
    known: int = 0
    """Waiting or done already; with `force` only those that wait."""
    refused: dict[str, int] = {}
    """Out of scope, by the rule that refused them."""
    invalid: int = 0
    """Not URLs that can be crawled."""
    reasons: list[tuple[str, str]] = []
    """(text, why) of the first MAX_TOLD invalid ones."""


class Adding:
    """Takes URLs into one open crawl."""

    def __init__(
        self, frontier: LocalFrontier, maker: CandidateMaker, seeding: Seeding, record: JobRecord | None
    ) -> None:
        self._frontier = frontier
        self._maker = maker
        self._seeding = seeding
        self._record = record

    async def add(self, texts: Iterable[str], *, as_seeds: bool, force: bool) -> Added:
        """Queue URLs. Raises StorageError; what was queued before it stays queued."""
        told = Added()
        refused: Counter[str] = Counter()
        remaining = iter(texts)
        while batch := list(islice(remaining, BATCH)):
            seeds = self._parsed(batch, told)
            if as_seeds:
                self._add_seeds(seeds, told, force)
            else:
                self._add_plain(seeds, told, refused, force)
            await asyncio.sleep(0)
        told.refused = dict(refused)
        return told

    def add_seeds(self, seeds: Sequence[Seed]) -> int:
        """Queue a few seeds at once, those with doc ids of their own among them; how many were not known.

        Raises StorageError, and ValueError for a doc id that does not rise.
        """
        count = self._seeding.add(seeds)
        if self._record is not None:
            self._record.add_seeds(seeds)
        return count

    def _parsed(self, texts: Sequence[str], told: Added) -> list[Seed]:
        seeds = []
        for text in texts:
            try:
                seeds.append(parse_seed(text))
            except InvalidSeed as error:
                told.invalid += 1
                if len(told.reasons) < MAX_TOLD:
                    told.reasons.append((error.text, error.reason))
        return seeds

    def _add_seeds(self, seeds: Sequence[Seed], told: Added, force: bool) -> None:
        if self._record is not None and seeds:
            self._record.add_seeds(seeds)
        count = self._seeding.add(seeds, force=force)
        told.added += count
        told.known += len(seeds) - count

    def _add_plain(self, seeds: Sequence[Seed], told: Added, refused: Counter[str], force: bool) -> None:
        candidates = []
        for seed in seeds:
            rule = None if force else self._maker.refusal_of(seed.url)
            if rule is not None:
                refused[rule] += 1
            else:
                candidates.append(self._seeding.plain(seed.url))
        count = self._frontier.schedule(candidates, force=force)
        told.added += count
        told.known += len(candidates) - count
