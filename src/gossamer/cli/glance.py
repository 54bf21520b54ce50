"""Glance: one look at a running crawl, worded for people. Pure.

A Progress record and some queues come in; out comes what the live view draws and the plain view writes as a line.
Rates are those of the last seconds, so that a crawl that stands still shows it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gossamer.util.sizes import format_duration, format_size

if TYPE_CHECKING:
    from gossamer.control import Progress
    from gossamer.frontier import QueueReport

STOPPING_REASON = "finishing what is in flight; Ctrl-C again cuts it off"
MAX_WAITING = 4
"""Hosts named one by one; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure and what it is."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Glance:
    """What there is to show at one moment."""

    state: str
    reason: str
    """Why it is paused, or what it is stopping for, or empty."""
    name: str
    """Of the job."""
    elapsed: str
    """Running time of the job, over all its runs."""
    cells: tuple[Cell, ...]
    """The most telling first."""
    waiting: tuple[str, ...]
    """Hosts that rest, and why."""

    def as_line(self) -> str:
        """The whole in one line, for a pipe."""
        state = f"{self.state} ({self.reason})" if self.reason else self.state
        figures = ", ".join(f"{cell.label} {cell.value}" for cell in self.cells)
        waiting = f"; waiting: {', '.join(self.waiting)}" if self.waiting else ""
        return f"{self.elapsed} {state}: {figures}{waiting}"


def glance_at(
    progress: Progress, name: str, max_pages: int | None, resting: Iterable[QueueReport], now_wall: float
) -> Glance:
    """One look; `resting` are queues of which some may be snoozed."""
    return Glance(
        state=progress.state.name,
        reason=_reason(progress),
        name=name,
        elapsed=clock_face(progress.running_seconds),
        cells=_cells(progress, max_pages),
        waiting=tuple(_waiting(resting, progress.counts.snoozed_queues, now_wall)),
    )


def _reason(progress: Progress) -> str:
    if progress.state.name == "STOPPING":
        return STOPPING_REASON if progress.counts.in_process else ""
    return ", ".join(progress.pause_reasons)


def _cells(progress: Progress, max_pages: int | None) -> tuple[Cell, ...]:
    counts, run = progress.counts, progress.statistics
    of = f" of {max_pages:,}" if max_pages is not None else ""
    bytes_per_second = format_size(round(run.recent_bytes_per_second))
    return (
        Cell("pages", f"{counts.pages:,}{of}, {run.recent_pages_per_second:.1f}/s"),
        Cell("queued", f"{counts.queued:,}"),
        Cell("in process", f"{counts.in_process:,}"),
        Cell("done", f"{counts.succeeded:,}"),
        Cell("failed", f"{counts.failed:,}"),
        Cell("disregarded", f"{counts.disregarded:,}"),
        Cell("received", f"{format_size(counts.wire_bytes)}, {bytes_per_second}/s"),
        Cell("hosts", f"{counts.queues:,}"),
    )


def _waiting(resting: Iterable[QueueReport], total: int, now_wall: float) -> Iterable[str]:
    """At most MAX_WAITING hosts, those that rest longest first."""
    asleep = [queue for queue in resting if queue.wake is not None and queue.wake > now_wall and queue.queued]
    asleep.sort(key=lambda queue: queue.wake or 0.0, reverse=True)
    for queue in asleep[:MAX_WAITING]:
        seconds = (queue.wake or 0.0) - now_wall
        yield f"{queue.class_key} {format_duration(seconds)}" + (f" ({queue.why})" if queue.why else "")
    more = max(total, len(asleep)) - min(len(asleep), MAX_WAITING)
    if more > 0:
        yield f"{more:,} more" if asleep else f"{more:,} {'host' if more == 1 else 'hosts'}"


def clock_face(seconds: float) -> str:
    """`00:01:05`, and above a day `3d 00:01:05`."""
    days, rest = divmod(int(seconds), 86400)
    hours, rest = divmod(rest, 3600)
    minutes, rest = divmod(rest, 60)
    face = f"{hours:02d}:{minutes:02d}:{rest:02d}"
    return f"{days}d {face}" if days else face
