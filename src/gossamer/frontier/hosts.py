"""Hosts: what an attempt does to its host, and where the host's queue is to be found while it rests.

The facts of an attempt go into the queue's row: how long the gap is, how often in a row the host failed or asked for
rest, whether it is given up. From them follows until when it rests, and from that the place of its queue: among the
snoozed of the store for a long rest, at the end of the inactive FIFO when its session is over, else where it was.
"""

from __future__ import annotations

import random

import msgspec

from gossamer.config import Politeness
from gossamer.frontier.ledger import SESSION, Draft
from gossamer.frontier.politeness import gap_seconds, throttled_seconds, unreachable_seconds
from gossamer.frontier.records import QueueRow
from gossamer.frontier.times import Times
from gossamer.frontier.workbench import NEAR_SECONDS, Workbench
from gossamer.frontier.workqueue import Taken, WorkQueue
from gossamer.model.disposition import Charge, Disposition, Fate
from gossamer.util.clock import Clock

# Looked up once: each is asked for with every URI.
_SUCCEEDED = Fate.SUCCEEDED
_STUMBLES = Charge.HOST, Charge.THROTTLED


class Treatment(msgspec.Struct, gc=False):
    """What is to be done with a queue once the batch that says so is written."""

    now: float
    rest_until: float
    """Both monotonic."""
    has_stumbled: bool = False
    """The host was charged a failure or throttling."""
    is_spent: bool = False
    """Its session is over."""


class Hosts:
    """Treats hosts by the settings of one job."""

    def __init__(
        self, politeness: Politeness, bench: Workbench, times: Times, clock: Clock, chance: random.Random
    ) -> None:
        self._politeness = politeness
        self._bench = bench
        self._times = times
        self._monotonic = clock.monotonic
        self._chance = chance

    def set_politeness(self, politeness: Politeness) -> None:
        """Treat by other settings from now on; a host's present rest stays as long as it is."""
        self._politeness = politeness

    def treat(self, row: QueueRow, queue: WorkQueue, told: Disposition, taken: Taken | None = None) -> Treatment:
        """Note in the row what the attempt showed, and say until when the host rests.

        URIs that were out together when the host stumbled charge it once.
        """
        now, rest_until = self._monotonic(), queue.rest_until
        if told.requested:
            row.gap = gap = gap_seconds(self._politeness, told.fetch_seconds, told.crawl_delay_seconds)
            rest_until = max(rest_until, told.started + gap)
        if told.status > 0:
            row.has_answered, row.is_unreachable, row.failures = True, False, 0
            if told.fate is _SUCCEEDED:
                row.throttles = 0
        if told.charge in _STUMBLES and (taken is None or taken.at > queue.stumbled_at):
            return Treatment(now, max(rest_until, now + self._charge(row, told)), has_stumbled=True)
        return Treatment(now, rest_until)

    def _charge(self, row: QueueRow, told: Disposition) -> float:
        """Seconds of rest for a fault of the host."""
        if told.charge is Charge.THROTTLED:
            row.throttles = min(row.throttles + 1, 255)
            luck = self._chance.random()
            return throttled_seconds(self._politeness, row.throttles, told.retry_after_seconds, luck)
        row.failures = min(row.failures + 1, 255)
        rest = unreachable_seconds(self._politeness, row.failures, row.has_answered)
        row.is_unreachable = rest is None
        return rest or 0.0

    def place(self, draft: Draft, queue: WorkQueue, row: QueueRow, treatment: Treatment) -> None:
        """Store until when the host rests, and where its queue is to be found. The last change of a row."""
        rest = treatment.rest_until - treatment.now
        row.wake = self._times.wall(treatment.rest_until) if rest > 0 else 0.0
        row.balance -= 1
        if row.queued == 0 or row.is_retired:
            draft.unplace(queue.class_key, row)
        elif rest > 0 and (rest > NEAR_SECONDS or self._bench.is_crowded):
            draft.place_snoozed(queue.class_key, row, row.wake)
        elif row.balance <= 0:
            row.balance = SESSION
            draft.place_inactive(queue.class_key, row)
            treatment.is_spent = True

    def treated(self, queue: WorkQueue, treatment: Treatment) -> None:
        """The batch was written."""
        queue.rest_until = treatment.rest_until
        if treatment.has_stumbled:
            queue.stumbled_at = treatment.now
        if treatment.is_spent:
            queue.is_spent = True
