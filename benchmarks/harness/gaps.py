"""Politeness, by the kernel's own stamps: how much too early any request came.

The kernel notes when a request reached the machine, which on loopback is while it is being sent, however busy others
are (one monotonic clock for all processes). So over any stretch of requests, not only from one to the next, n gaps must
take n delays; that is the law here. The server's own look at the clock would not do: it is late by some milliseconds
now and then, and then the gap after it seems shorter by as much.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gossamer.demosite import Request
from gossamer.demosite.arrival import MISREADING


@dataclass(frozen=True, slots=True)
class Gaps:
    """Of all hosts; seconds."""

    count: int
    least: float
    below: int
    """Single gaps shorter than the delay, by whatever."""
    early: float
    """The most by which a stretch of gaps was shorter than so many delays."""

    @property
    def is_kept(self) -> bool:
        return self.early <= MISREADING


def gaps_of(requests: Iterable[Request], delay: float) -> Gaps | None:
    """The gaps per host, robots.txt's included; None if the kernel did not tell when each request came."""
    arrivals: dict[str, list[float]] = {}
    for request in requests:
        if request.arrived is None:
            return None
        arrivals.setdefault(request.authority, []).append(request.arrived)
    hosts = [sorted(times) for times in arrivals.values()]
    gaps = [after - before for times in hosts for before, after in pairwise(times)]
    early = max((earliness(times, delay) for times in hosts), default=0.0)
    return Gaps(len(gaps), min(gaps, default=0.0), sum(gap < delay for gap in gaps), early)


def earliness(starts: Sequence[float], delay: float) -> float:
    """The most by which, between any two of these times in order, there were fewer seconds than gaps times `delay`."""
    worst = 0.0
    latest = float("-inf")
    for number, start in enumerate(starts):
        slack = start - number * delay
        latest = max(latest, slack)
        worst = max(worst, latest - slack)
    return worst
