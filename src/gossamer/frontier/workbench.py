"""Workbench: all active queues, sorted by what they wait for.

READY ones take turns in a deque; SNOOZED ones lie in a heap by the time they wake; BUSY ones are only remembered.
A queue that becomes INACTIVE, EXHAUSTED or (with nothing in process) RETIRED is dropped: its row is all there is of
it. So memory follows the number of queues at work, not the number of hosts.

Pure: the time is an argument, and nothing is read or written here.
"""

from __future__ import annotations

from collections import OrderedDict
from heapq import heappop, heappush
from itertools import count

from gossamer.frontier.queue_state import BUSY, INACTIVE, READY, SNOOZED, QueueState
from gossamer.frontier.workqueue import WorkQueue
from gossamer.model.crawluri import ClassKey

MAX_SNOOZED = 10_000
"""Snoozed queues in memory; Heritrix's number."""
NEAR_SECONDS = 60.0
"""A queue that wakes later than this rests in the store instead."""


class Workbench:
    """Active queues by class_key."""

    def __init__(self) -> None:
        self.queues: dict[ClassKey, WorkQueue] = {}
        self._ready: OrderedDict[ClassKey, WorkQueue] = OrderedDict()
        self._heap: list[tuple[float, int, WorkQueue]] = []
        self._tickets = count()
        self.snoozed = 0
        """Queues that are SNOOZED; the heap may hold outdated entries beside theirs."""

    @property
    def ready(self) -> int:
        """Queues that could give a URI now."""
        return len(self._ready)

    @property
    def is_crowded(self) -> bool:
        """Whether no further queue should snooze in memory."""
        return self.snoozed >= MAX_SNOOZED

    def add(self, queue: WorkQueue) -> None:
        self.queues[queue.class_key] = queue

    def move(self, queue: WorkQueue, state: QueueState) -> None:
        """Put a queue where `state` belongs; READY goes to the end of the deque."""
        before = queue.state
        if before is READY:
            if state is READY:
                self._ready.move_to_end(queue.class_key)
                return
            del self._ready[queue.class_key]
        elif before is SNOOZED:
            self.snoozed -= 1
        queue.state = state
        if state is READY:
            self._ready[queue.class_key] = queue
        elif state is SNOOZED:
            self.snoozed += 1
            self._push(queue)
        elif state is not BUSY and not queue.in_process and not queue.claims:
            del self.queues[queue.class_key]

    def drop(self, queue: WorkQueue) -> None:
        """Forget a queue whose place in the store is all there is to know."""
        if queue.state is READY:
            self._ready.pop(queue.class_key, None)
        elif queue.state is SNOOZED:
            self.snoozed -= 1
        queue.state = INACTIVE
        del self.queues[queue.class_key]

    def _push(self, queue: WorkQueue) -> None:
        # One entry per queue counts: `entry_due` tells which. One that is due earlier than needed is put right
        # when it comes up, so a queue that snoozes again and again leaves no trail of entries.
        if queue.entry_due is None or queue.entry_due > queue.rest_until:
            queue.entry_due = queue.rest_until
            heappush(self._heap, (queue.rest_until, next(self._tickets), queue))

    def first_ready(self) -> WorkQueue | None:
        """The queue whose turn it is; it stays READY until it is moved."""
        for queue in self._ready.values():
            return queue
        return None

    def next_due(self, now: float) -> WorkQueue | None:
        """A queue whose time has come, still SNOOZED; the caller moves it."""
        heap = self._heap
        while heap and heap[0][0] <= now:
            due, _, queue = heappop(heap)
            if queue.entry_due != due:
                continue
            queue.entry_due = None
            if self._is_snoozed(queue):
                if queue.rest_until <= now:
                    return queue
                self._push(queue)
        return None

    @property
    def wakes_at(self) -> float | None:
        """Monotonic time of the first wake; may be too early, never too late."""
        heap = self._heap
        while heap:
            due, _, queue = heap[0]
            if queue.entry_due == due and self._is_snoozed(queue):
                return due
            if queue.entry_due == due:
                queue.entry_due = None
            heappop(heap)
        return None

    def _is_snoozed(self, queue: WorkQueue) -> bool:
        return queue.state is SNOOZED and self.queues.get(queue.class_key) is queue

    # ---- for validation

    def ready_keys(self) -> set[ClassKey]:
        return set(self._ready)

    def snoozing_keys(self) -> set[ClassKey]:
        """Queues with a valid entry that wakes them."""
        return {queue.class_key for due, _, queue in self._heap if queue.entry_due == due and self._is_snoozed(queue)}
