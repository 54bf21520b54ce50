"""Politeness, by the server's own log: how much too early any request came.

The server notes a request when its loop reads it, which is later than it was sent: by how much is measured by a probe
(one monotonic clock for all processes). A request that was noted late makes the gap after it look shorter, and no other
gap. So over any stretch of requests, not only from one to the next, n gaps must take n delays, less that lateness; that
is the law here, and much stricter than a look at single gaps where the delay is as short as the lateness.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gossamer.demosite import Request

from .probe import SENT


@dataclass(frozen=True, slots=True)
class Gaps:
    """Of all hosts; seconds."""

    count: int
    least: float
    below: int
    """Single gaps shorter than the delay, by whatever."""
    early: float
    """The most by which a stretch of gaps was shorter than so many delays."""
    late: float
    """The most by which the server noted a probe late."""

    @property
    def is_kept(self) -> bool:
        return self.early <= self.late


def gaps_of(requests: Iterable[Request], delay: float) -> Gaps:
    """The gaps per host, robots.txt's included; probes apart."""
    starts: dict[str, list[float]] = {}
    late = 0.0
    for request in requests:
        sent = request.header(SENT)
        if sent is not None:
            late = max(late, request.started - float(sent))
        else:
            starts.setdefault(request.authority, []).append(request.started)
    gaps = [after - before for times in starts.values() for before, after in pairwise(sorted(times))]
    early = max((earliness(sorted(times), delay) for times in starts.values()), default=0.0)
    return Gaps(len(gaps), min(gaps, default=0.0), sum(gap < delay for gap in gaps), early, late)


def earliness(starts: Sequence[float], delay: float) -> float:
    """The most by which, between any two of these times in order, there were fewer seconds than gaps times `delay`."""
    worst = 0.0
    latest = float("-inf")
    for number, start in enumerate(starts):
        slack = start - number * delay
        latest = max(latest, slack)
        worst = max(worst, latest - slack)
    return worst


def without_probes(requests: Iterable[Request]) -> list[Request]:
    """What the crawler asked for."""
    return [request for request in requests if request.header(SENT) is None]
