"""Turns: which queue gives the next URI.

READY queues take turns. When none is ready, a queue that rested in the store and whose time has come is made active,
else the first of the inactive ones: so there are as many active queues as it takes to keep the toes busy. Nothing is
written when a URI is handed out or a queue is made active.
"""

from __future__ import annotations

from collections.abc import Callable

from gossamer.config import Politeness
from gossamer.errors import StoreCorrupt
from gossamer.frontier.keys import QUEUE, snoozed_key
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.politeness import longest_seconds
from gossamer.frontier.queue_state import BUSY, MOVES, READY, SNOOZED, TAKEN, QueueEvent, next_state
from gossamer.frontier.records import Place, QueueRow, decode_curi
from gossamer.frontier.times import Times
from gossamer.frontier.workbench import Workbench
from gossamer.frontier.workqueue import WorkQueue
from gossamer.model.crawluri import ClassKey, CrawlURI
from gossamer.util.clock import Clock

ACTIVATIONS = 500
"""Queues made active in a row to find one that may give a URI; if none may, others get to work before the next 500."""
ROUNDING_SECONDS = 1e-5
"""Wall times are stored as floats, which tell a quarter of a microsecond apart."""


class Turns:
    """Moves queues between their states, and takes URIs from those whose turn it is."""

    def __init__(self, ledger: Ledger, bench: Workbench, politeness: Politeness, clock: Clock, is_clean: bool) -> None:
        self._ledger = ledger
        self._bench = bench
        self.active: Callable[[ClassKey], WorkQueue | None] = bench.queues.get
        """The queue, if it is active."""
        self._monotonic = clock.monotonic
        self.connections = politeness.connections_per_host
        self._is_clean = is_clean
        self.politeness = politeness
        self.times = Times(clock, longest_seconds(politeness))
        self.in_process = 0
        """URIs handed out and not come back."""
        self._is_broken_off = False
        """The last search for a queue that may give a URI came to no end."""
        # After an unclean stop the last request to a host may not have been recorded: each rests one gap first.
        self._all_rest_until = self.times.opened if is_clean else self.times.opened + politeness.delay
        self._looked_at = self.times.opened
        """When a URI was last looked for."""

    def set_politeness(self, politeness: Politeness) -> None:
        """Other delays, and another number of connections per host; with fewer, nothing under way is cut off."""
        was_single = self.connections == 1
        self.politeness, self.connections = politeness, politeness.connections_per_host
        self.times.set_longest(longest_seconds(politeness))
        for queue in tuple(self._bench.queues.values()):
            if was_single and queue.in_process and self.gap(queue.row) > 0:
                # Nobody noted whether its request was sent: the next one waits for its end, as it would have.
                queue.awaiting_start = next(iter((*queue.out, *queue.ghosts)))
            self.settle(queue, QueueEvent.CHANGED)

    # ---- queues

    def activate(self, class_key: ClassKey, row: QueueRow) -> WorkQueue:
        """Make a queue active; the caller settles it."""
        now = self._monotonic()
        rest_until = self.times.moment(row.wake, now)
        if not self._is_clean:
            rest_until = max(rest_until, self.times.opened + max(row.gap, self.politeness.delay))
        queue = WorkQueue(class_key, row, rest_until)
        self._bench.add(queue)
        return queue

    def settle(self, queue: WorkQueue, event: QueueEvent, now: float | None = None) -> None:
        """Put a queue where it belongs after `event`; `now` saves asking for the time again."""
        if now is None:
            now = self._monotonic()
        before, state = queue.state, queue.state_at(now, self.connections)
        if (before, event, state) not in MOVES:
            next_state(before, event, queue.facts(now, self.connections))  # raises, and says why
        if state is before and state is not SNOOZED and event is not TAKEN:
            return
        self._bench.move(queue, state)
        if state is READY or state is BUSY:
            return
        if state is SNOOZED and self._need_not_stay(queue, now):
            self._bench.drop(queue)
        if queue.class_key not in self._bench.queues:
            self._leave(queue)

    def _need_not_stay(self, queue: WorkQueue, now: float) -> bool:
        """Whether the store alone sees a snoozed queue through all of its rest.

        It does if the queue is placed among the snoozed there; one without URIs may be forgotten where memory is short.
        """
        row = queue.row
        if queue.in_process:
            return False
        if row.place is Place.SNOOZED:
            return now < queue.rest_until <= self.times.moment(row.position / 1e6, now) + ROUNDING_SECONDS
        is_recorded = queue.rest_until <= self.times.moment(row.wake, now) + ROUNDING_SECONDS
        return row.queued == 0 and self._bench.is_crowded and is_recorded

    def _leave(self, queue: WorkQueue) -> None:
        """A queue left memory: its place must be one that is still to come."""
        row, shelf = queue.row, self._ledger.shelf
        self._ledger.keep(queue.class_key, row)
        if row.place is Place.INACTIVE and not shelf.is_ahead_inactive(row.precedence, row.position):
            shelf.added_inactive(row.precedence, row.position)
        elif row.place is Place.SNOOZED:
            key = snoozed_key(row.position, queue.class_key)
            if not shelf.is_ahead_snoozed(key):
                shelf.added_snoozed(key)

    # ---- taking

    def take(self) -> CrawlURI | None:
        """Hand out the next URI, or None if no queue can give one now."""
        now = self._looked_at = self._monotonic()
        bench = self._bench
        while bench.snoozed and (due := bench.next_due(now)) is not None:
            self.settle(due, QueueEvent.WOKEN, now)
        self._is_broken_off = False
        activations = 0
        while (queue := bench.first_ready()) is None:
            if activations == ACTIVATIONS:
                self._is_broken_off = True
                return None
            if not self._activate_next(now):
                return None
            activations += 1
        return self._take_from(queue, now)

    def _take_from(self, queue: WorkQueue, now: float) -> CrawlURI:
        if not queue.heads:
            self._refill(queue)
        suffix, value = queue.take(now)
        curi = decode_curi(queue.class_key, suffix, value)
        self.in_process += 1
        if self.connections > 1 and (self.politeness.delay > 0 or queue.row.gap > 0):
            queue.awaiting_start = suffix
        self.settle(queue, TAKEN, now)
        return curi

    def gap(self, row: QueueRow) -> float:
        """Seconds from start to start, as far as is known before the answer."""
        delay = self.politeness.delay
        return row.gap if row.gap > delay else delay

    def _refill(self, queue: WorkQueue) -> None:
        store = self._ledger.store
        limit = queue.wanted(len(self._bench.queues))
        while not queue.heads and not queue.is_complete:
            queue.refill(store.scan(QUEUE, queue.refill_start(), queue.stop, limit), limit)
        if not queue.heads:
            raise StoreCorrupt(f"the queue {queue.class_key} should hold {queue.row.queued} URIs, but has none")

    def _activate_next(self, now: float) -> bool:
        """Make one more queue active, or renew the session of one that is; False if there is none to be had."""
        if now < self._all_rest_until:
            return False
        taken = self._take_place(now)
        if taken is None:
            return False
        class_key, place, position = taken
        queue = self.active(class_key)
        row = queue.row if queue is not None else self._ledger.row(class_key)
        if row is None:
            raise StoreCorrupt(f"the queue {class_key} has a place in the store, but no row")
        if (row.place, row.position) != (place, position):
            # The inactive are read some ahead; this one was moved since.
            return True
        if queue is None:
            queue = self.activate(class_key, row)
        queue.is_spent = False
        self.settle(queue, QueueEvent.ACTIVATED)
        if queue.state is SNOOZED and self._bench.is_crowded and not queue.in_process:
            self._put_aside(queue)
        return True

    def _put_aside(self, queue: WorkQueue) -> None:
        """Let a queue that rests do so in the store."""
        draft = self._ledger.draft()
        row = draft.row(queue.class_key)
        row.wake = self.times.wall(queue.rest_until)
        draft.place_snoozed(queue.class_key, row, row.wake)
        draft.commit()
        if queue.class_key in self._bench.queues:
            self._bench.drop(queue)
            self._leave(queue)

    def _take_place(self, now: float) -> tuple[ClassKey, Place, int] | None:
        """(class_key, place, position) of the queue that has rested its time in the store, else of the first inactive."""
        shelf = self._ledger.shelf
        wake = shelf.first_wake
        if wake is not None and self.times.moment(wake, now) <= now:
            class_key, position = shelf.next_snoozed()
            return class_key, Place.SNOOZED, position
        found = shelf.next_inactive()
        return None if found is None else (found[0], Place.INACTIVE, found[1])

    def wakes_at(self) -> float | None:
        """Monotonic moment at which the next queue may become ready by itself."""
        now = self._monotonic()
        if self._is_broken_off:
            return now
        moments = [] if self._bench.wakes_at is None else [self._bench.wakes_at]
        wake = self._ledger.shelf.first_wake
        if wake is not None:
            moments.append(self.times.moment(wake, now))
        # By the look that was in vain: if the rest has ended since, nobody has looked again, so somebody must be woken.
        if self._looked_at < self._all_rest_until:
            moments.append(self._all_rest_until)
        return min(moments, default=None)
