"""A job's frontier, read without the job: while it runs, or long after it ended.

The store is opened for reading only, which works beside a process that writes it; what is seen is what was settled at
the moment of opening. What only the running process knows (which URIs are in flight) cannot be told.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gossamer.config import CrawlConfig
from gossamer.control.suffixes import suffixes_of
from gossamer.errors import ConfigError
from gossamer.frontier import FrontierCounts, QueueReport, Seen
from gossamer.frontier.keys import COUNTERS, META, PROMOTED_PREFIX, QUEUES
from gossamer.frontier.records import Counters, decode_counters, decode_row
from gossamer.frontier.report import Reporter, held_up, stored_queues
from gossamer.frontier.times import Times
from gossamer.jobs import JobDirectory, for_foreground
from gossamer.jobs.stored import StoredUrls, open_stored
from gossamer.model.crawluri import ClassKey
from gossamer.scope import Verdict, build_scope
from gossamer.seeds import Seed
from gossamer.storage import KV, scan_all
from gossamer.url import Url, class_key, parse
from gossamer.util.clock import SystemClock
from gossamer.util.program import program

NOT_RUNNING = "The crawl is not running."


class Answer(NamedTuple):
    """What became of one URL."""

    url: str
    seen: Seen | None
    """None if it was never scheduled."""
    queue: QueueReport | None
    """Where it waits, if it does."""
    verdict: Verdict
    """Of the scope, on an ordinary link to it."""


class OfflineFrontier:
    """The frontier of one job, for reading."""

    def __init__(self, directory: JobDirectory, store: KV) -> None:
        self._directory = directory
        self._store = store
        self._config: CrawlConfig = directory.settings()
        self._clock = SystemClock()
        # What `gossamer run` would go by.
        politeness = for_foreground(self._config).politeness
        times = Times(self._clock, max(politeness.max_retry_after, *politeness.host_schedule))
        self._reporter = Reporter(store, times, politeness)
        self._urls = StoredUrls(store)

    def queues(self) -> Iterator[QueueReport]:
        """Every queue that has URIs, in key order."""
        now = self._clock.monotonic()
        for key, row in stored_queues(self._store):
            if row.queued:
                yield held_up(self._reporter.report(key, row, None, now), NOT_RUNNING)

    def counts(self) -> FrontierCounts:
        """What the store counts; what lives in memory only is 0."""
        stored = self._store.get(META, COUNTERS)
        counters = Counters() if stored is None else decode_counters(stored)
        return counters.report(in_process=0, active=0, snoozed=0, inactive=0)

    def ask(self, url: Url) -> Answer:
        """What became of a URL."""
        seen = self.find(url)
        queue = self.queue(class_key(url)) if seen is not None and seen.is_told_by_its_queue else None
        return Answer(url.href, seen, queue, self._verdict(url))

    def find(self, url: Url) -> Seen | None:
        """What the store knows of a URL; None if it was never scheduled."""
        return self._urls.find(url.href)

    def queue(self, key: str) -> QueueReport | None:
        """One queue; None if there never was one."""
        row = self._store.get(QUEUES, key.encode("utf-8", "replace"))
        if row is None:
            return None
        report = self._reporter.report(ClassKey(key), decode_row(row), None, self._clock.monotonic())
        return held_up(report, NOT_RUNNING)

    def keys_like(self, key: str) -> list[str]:
        """A few keys of queues of the same host at other ports."""
        behind = (str(known) for known, _ in stored_queues(self._store, f"{key}:"))
        return list(itertools.takewhile(lambda known: known.startswith(f"{key}:"), itertools.islice(behind, 3)))

    def _verdict(self, url: Url) -> Verdict:
        seeds = [one.url for one in self._directory.seeds() if isinstance(one, Seed)]
        suffixes = suffixes_of(self._config.scope.public_suffixes, self._directory.path)
        scope = build_scope(self._config.scope, map(parse, [*seeds, *self._promoted_seeds()]), suffixes)
        return scope.decide(url, depth=1, hops="L")

    def _promoted_seeds(self) -> Iterator[str]:
        """URLs that became seeds because a seed was redirected to them."""
        stop = PROMOTED_PREFIX[:-1] + bytes([PROMOTED_PREFIX[-1] + 1])
        for _, url in scan_all(self._store, META, PROMOTED_PREFIX, stop):
            yield url.decode()


@contextlib.contextmanager
def open_offline(folder: Path) -> Iterator[OfflineFrontier]:
    """The frontier of the job in `folder`. Raises ConfigError if there is no job, StorageError if it cannot be read."""
    directory = JobDirectory(folder)
    if not directory.is_job():
        raise ConfigError(f"{folder} is not a job folder; name one, or stand in one")
    if not directory.has_state():
        raise ConfigError(f"nothing was crawled in {folder} yet; {program()} crawl --job {folder} begins")
    store = open_stored(directory.state)
    try:
        yield OfflineFrontier(directory, store)
    finally:
        store.close()
