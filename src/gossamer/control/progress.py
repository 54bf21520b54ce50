"""Progress: what there is to say of a running crawl at one moment, for a terminal, a log, or a control API.

Every figure is read where it is kept, at the moment it is asked for; nothing is counted here. What was read is a record
of its own, which outlives the crawl.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

import msgspec

from gossamer.control.crawl import Crawl
from gossamer.control.state import CrawlState
from gossamer.frontier import FrontierCounts
from gossamer.hooks import Crew
from gossamer.stats import ProgressSnapshot, Snapshot, congestion_ratio
from gossamer.stats.progresslog import resident_bytes
from gossamer.util.clock import Clock


class LookedAt(Protocol):
    """The controller, as far as it is looked at."""

    @property
    def state(self) -> CrawlState: ...

    @property
    def pause_reasons(self) -> Collection[str]: ...

    @property
    def crawl(self) -> Crawl | None: ...

    @property
    def crew(self) -> Crew | None: ...

    @property
    def clock(self) -> Clock: ...


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
    congestion: float = 0.0
    """How many times more toes would be useful."""
    running_seconds: float
    """Over all runs of the job."""
    replaced_toes: int = 0
    """Toes that died, were killed or were stuck, and were replaced."""
    stuck_toes: int = 0
    """Of these, those that were stuck; threads that did not come back from a hook are among them."""
    refusals: dict[str, int]
    """Links refused in this run, by the rule that refused them."""


def look(controller: LookedAt) -> Progress | None:
    """The progress of a crawl; None while it has nothing open (before PREPARING is through, after FINISHED)."""
    return None if controller.crawl is None else look_at(controller, controller.crawl)


def look_at(controller: LookedAt, crawl: Crawl) -> Progress:
    """The progress of a crawl that is open."""
    return Progress(
        state=controller.state,
        pause_reasons=tuple(sorted(controller.pause_reasons)),
        counts=crawl.frontier.counts(),
        statistics=crawl.tracker.snapshot(),
        toes=crawl.toes.size,
        busy_toes=crawl.toes.busy,
        congestion=_congestion(crawl),
        replaced_toes=crawl.toes.replaced,
        stuck_toes=crawl.monitor.stuck + (controller.crew.replaced if controller.crew is not None else 0),
        running_seconds=crawl.limits.running_seconds,
        refusals=dict(crawl.maker.refusals),
    )


def encoded_look(controller: LookedAt, crawl: Crawl) -> bytes:
    """The same as JSON, the state by its name."""
    progress = msgspec.to_builtins(look_at(controller, crawl))
    progress["state"] = controller.state.name
    return msgspec.json.format(msgspec.json.encode(progress))


def snapshot_at(controller: LookedAt, crawl: Crawl) -> ProgressSnapshot:
    """The line of progress.log for this moment."""
    progress = look_at(controller, crawl)
    counts = progress.counts
    return ProgressSnapshot(
        at=controller.clock.wall(),
        state=controller.state.name,
        uris_per_second=progress.statistics.recent_uris_per_second,
        bytes_per_second=progress.statistics.recent_bytes_per_second,
        queued=counts.queued,
        in_process=counts.in_process,
        succeeded=counts.succeeded,
        failed=counts.failed,
        disregarded=counts.disregarded,
        toes=progress.toes,
        busy_toes=progress.busy_toes,
        congestion=progress.congestion,
        memory=resident_bytes(),
    )


def _congestion(crawl: Crawl) -> float:
    counts = crawl.frontier.counts()
    return congestion_ratio(
        ready=crawl.frontier.ready_queues,
        inactive=counts.inactive_queues,
        in_process=counts.in_process,
        snoozed=counts.snoozed_queues,
    )
