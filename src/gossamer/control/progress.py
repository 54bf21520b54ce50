"""Progress: what there is to say of a running crawl at one moment, for a terminal, a log, or a control API."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.control.state import CrawlState
from gossamer.frontier import FrontierCounts
from gossamer.stats import Snapshot

if TYPE_CHECKING:
    from gossamer.control.controller import CrawlController
    from gossamer.control.crawl import Crawl


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """One look at a crawl."""

    state: CrawlState
    pause_reasons: tuple[str, ...]
    counts: FrontierCounts
    """Exact, over all runs of the job."""
    statistics: Snapshot
    """Of this run: rates, statuses, types."""
    toes: int
    busy_toes: int
    running_seconds: float
    """Over all runs of the job."""
    refusals: dict[str, int]
    """Links refused in this run, by the rule that refused them."""


def look(controller: CrawlController) -> Progress | None:
    """The progress of a crawl; None while it has nothing open (before PREPARING is through, after FINISHED)."""
    return None if controller.crawl is None else look_at(controller, controller.crawl)


def look_at(controller: CrawlController, crawl: Crawl) -> Progress:
    """The progress of a crawl that is open."""
    return Progress(
        state=controller.state,
        pause_reasons=tuple(sorted(controller.pause_reasons)),
        counts=crawl.frontier.counts(),
        statistics=crawl.tracker.snapshot(),
        toes=crawl.toes.size,
        busy_toes=crawl.toes.busy,
        running_seconds=crawl.limits.running_seconds,
        refusals=dict(crawl.maker.refusals),
    )
