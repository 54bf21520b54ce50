"""Visits: requests to a host that none of its own URIs stands for, such as a robots.txt another host redirects to.

A visit takes a turn of the host like any other request: it waits for the host's rest, and the rest after it is as long.
It also waits until nothing is under way there, since until then nobody knows how long the host will rest.

Who comes too early is given the next turn, of which there is one at a time: the host's own queue then rests until that
turn is over, so that its URIs, which may be a million, cannot always be first. Others who come meanwhile wait until it
is over and then ask again. A turn that nobody takes costs the host one rest, and is forgotten.

Pure: the frontiers keep the rest, hold the host's queue while a visit is under way, and say what time it is.
"""

from __future__ import annotations

from typing import NamedTuple

from gossamer.model.crawluri import ClassKey

LEAST_SECONDS = 0.2
"""How soon one asks again while something is under way, and how long a turn of a host without a rest is."""
MANY = 1000
"""Turns above which those are looked for that nobody took."""


class Turn(NamedTuple):
    """From when to when a host is kept free for a visitor; monotonic."""

    visitor: str
    start: float
    end: float
    is_firm: bool
    """Nothing was under way when it was given: only another request can make it void, and there is none meanwhile."""


class Visits:
    """The turns that were given out."""

    def __init__(self) -> None:
        self._turns: dict[ClassKey, Turn] = {}

    def ask(
        self, host: ClassKey, visitor: str, now: float, *, rest_until: float, gap: float, is_idle: bool
    ) -> Turn | None:
        """None: go now. Else the visitor may ask again at the `start` of the turn, and the host rests until its `end`.

        `is_idle` is whether nothing is under way at the host; `gap` is its rest, from start to start.
        """
        given = self._turns.get(host)
        if given is not None and given.visitor == visitor:
            if given.is_firm and given.end == rest_until and now < given.start:
                return given
            if is_idle and given.is_firm and given.end == rest_until:
                del self._turns[host]
                return None
        elif given is not None and now < given.end:
            return Turn(visitor, max(rest_until, given.end), rest_until, is_firm=False)
        if is_idle and rest_until <= now:
            return None
        start = rest_until if is_idle else max(rest_until, now + LEAST_SECONDS)
        turn = Turn(visitor, start, start + max(gap if is_idle else 0.0, LEAST_SECONDS), is_firm=is_idle)
        self._turns[host] = turn
        self._forget(now)
        return turn

    def _forget(self, now: float) -> None:
        if len(self._turns) > MANY:
            self._turns = {host: turn for host, turn in self._turns.items() if turn.end > now}
