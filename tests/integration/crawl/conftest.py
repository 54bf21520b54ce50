"""Whole crawls in this process, over a demo site on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest

from gossamer.config import CrawlConfig, Politeness, Scope
from gossamer.control import CrawlController
from gossamer.demosite import DemoPlan, DemoThread
from gossamer.jobs import CrawlOutcome, JobDirectory, run_job
from gossamer.seeds import parse_seed


class Crawls:
    """Runs crawls of one job folder, one after the other."""

    def __init__(self, folder: Path) -> None:
        self.directory = JobDirectory(folder)

    def run(
        self,
        seeds: list[str],
        *,
        delay: float = 0.0,
        connections: int = 4,
        toes: int = 8,
        watch: Callable[[CrawlController], None] = lambda controller: None,
        **settings: object,
    ) -> CrawlOutcome:
        """Crawl until it ends; `settings` are those of CrawlConfig."""
        self.directory.create()
        politeness = settings.pop("politeness", None) or Politeness(
            delay=delay, connections_per_host=connections, first_contact_schedule=(0.01, 0.02), throttle_start=0.01
        )
        settings.setdefault("scope", Scope(max_embed_hops=0))
        config = CrawlConfig(folder=self.directory.path, toes=toes, politeness=politeness, **settings)  # type: ignore[arg-type]
        return asyncio.run(run_job(self.directory, config, [parse_seed(seed) for seed in seeds], on_controller=watch))

    def log_lines(self) -> list[list[str]]:
        """The words of each line of crawl.log."""
        return [line.split() for line in self.directory.crawl_log.read_text().splitlines()]

    def smallest_gap_sent(self, prefix: str = "") -> float:
        """Seconds between two requests as they were sent, by crawl.log, which counts in milliseconds."""
        sent = sorted(
            datetime.strptime(words[8].partition("+")[0] + "000", "%Y%m%d%H%M%S%f").timestamp()
            for words in self.log_lines()
            if words[8] != "-" and words[3].startswith(prefix)
        )
        return min(later - earlier for earlier, later in pairwise(sent))


@pytest.fixture
def crawls(tmp_path: Path) -> Crawls:
    return Crawls(tmp_path / "job")


@pytest.fixture
def site() -> Iterator[DemoThread]:
    """One host, twenty pages and all oddities."""
    with DemoThread(DemoPlan(pages=20, slow_seconds=0.05, retry_after_seconds=0)) as demo:
        yield demo
