"""WorkQueue: one active queue in memory, with the few URIs at its front.

It is made from the queue's row when its turn comes and dropped when it has nothing to do; the store has everything
that matters. `heads` are the next URIs, still encoded; `out` are those in process. Both are still in the store: a
URI leaves it only when it is settled. `filled` tells how far the store was read: a URI inserted before it belongs
into the heads, one behind it will be found by the next refill, which seeks from there and so never wades through the
tombstones of what was taken.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence

import msgspec

from gossamer.frontier.keys import SUFFIX_BYTES, queue_prefix, queue_stop
from gossamer.frontier.queue_state import BUSY, EXHAUSTED, INACTIVE, READY, RETIRED, SNOOZED, Facts, QueueState
from gossamer.frontier.records import QueueRow
from gossamer.model.crawluri import ClassKey

HEADS = 8
MOST_HEADS = 64
HEADS_IN_ALL = 32_000
"""URIs read at once: as many as come to each active queue of those that may be kept in all, between 8 and 64. What a
read costs is to begin it, 20 to 50 µs where the store is large; each kept head costs some 350 bytes, and there may be
ten thousand active queues."""

NEVER = float("-inf")


class Taken(msgspec.Struct, frozen=True, gc=False):
    """A URI in process."""

    value: bytes
    """As it stands in the store."""
    at: float
    """Monotonic time of the hand-out."""


class WorkQueue:
    """The live half of a queue; `row` is the stored half, replaced after each batch that changed it."""

    __slots__ = (
        "awaiting_start",
        "claims",
        "class_key",
        "entry_due",
        "filled",
        "ghosts",
        "heads",
        "is_complete",
        "is_spent",
        "out",
        "prefix",
        "rest_until",
        "room",
        "row",
        "state",
        "stop",
        "stumbled_at",
    )

    def __init__(self, class_key: ClassKey, row: QueueRow, rest_until: float) -> None:
        self.class_key = class_key
        self.row = row
        self.prefix = queue_prefix(class_key)
        self.stop = queue_stop(self.prefix)
        self.state: QueueState = RETIRED if row.is_retired else INACTIVE
        self.heads: list[tuple[bytes, bytes]] = []
        """(suffix, value), in order, none of them in `out`."""
        self.room = HEADS
        """Heads that are kept at least."""
        self.filled: bytes | None = None
        """The store was read up to and including this suffix; None = not at all."""
        self.is_complete = False
        """Nothing is stored behind `filled`."""
        self.out: dict[bytes, Taken] = {}
        # Mostly empty, and an empty frozenset is one object for all queues: 430 bytes saved on each.
        self.ghosts: frozenset[bytes] = frozenset()
        """In process, but deleted from the store by the operator."""
        self.rest_until = rest_until
        """Monotonic time before which no URI is handed out."""
        self.stumbled_at = NEVER
        """When the host was last charged a failure or throttling: what was handed out before is not charged again."""
        self.claims: frozenset[str] = frozenset()
        """Authorities whose robots.txt is being fetched."""
        self.awaiting_start: bytes | None = None
        """The URI whose request must be sent before the next may go out; only with several connections."""
        self.is_spent = False
        """Its session is over; its place is at the end of the inactive FIFO."""
        self.entry_due: float | None = None
        """When its entry among the snoozed comes up."""

    @property
    def in_process(self) -> int:
        return len(self.out) + len(self.ghosts)

    @property
    def items(self) -> int:
        """URIs stored and not in process."""
        return self.row.queued - len(self.out)

    def facts(self, now: float, connections: int) -> Facts:
        return Facts(
            self.row.queued - len(self.out),
            len(self.out) + len(self.ghosts),
            connections,
            bool(self.claims) or self.awaiting_start is not None,
            self.rest_until > now,
            self.is_spent,
            self.row.is_retired,
        )

    def state_at(self, now: float, connections: int) -> QueueState:
        """What `state_of` says of the facts, without a record of them: this is asked twice for every URI."""
        row, taken = self.row, len(self.out)
        in_process = taken + len(self.ghosts) if self.ghosts else taken
        if row.is_retired:
            return RETIRED
        if in_process >= connections or self.claims or self.awaiting_start is not None:
            return BUSY
        if self.rest_until > now:
            return SNOOZED
        if row.queued > taken:
            if not self.is_spent:
                return READY
            if not in_process:
                return INACTIVE
        return BUSY if in_process else EXHAUSTED

    # ---- the front

    def refill_start(self) -> bytes:
        """The key to read on from."""
        return self.prefix + (self.row.bound if self.filled is None else self.filled + b"\x00")

    def wanted(self, active: int) -> int:
        """How many URIs to read, with so many active queues."""
        self.room = max(HEADS, min(MOST_HEADS, HEADS_IN_ALL // active))
        # Those in process are still in the store.
        return self.room + len(self.out)

    def refill(self, entries: Sequence[tuple[bytes, bytes]], limit: int) -> None:
        """Take over what was read from `refill_start`; fewer than `limit` means that there is no more."""
        self.is_complete = len(entries) < limit
        for key, value in entries:
            suffix = key[-SUFFIX_BYTES:]
            self.filled = suffix
            if suffix not in self.out:
                self.heads.append((suffix, value))

    def insert(self, suffix: bytes, value: bytes) -> None:
        """Note a URI that was stored just now."""
        if self.filled is not None and suffix <= self.filled:
            insort(self.heads, (suffix, value))
            if len(self.heads) > 2 * self.room:
                self._forget_behind(self.room)
        elif self.is_complete:
            if len(self.heads) < self.room:
                self.heads.append((suffix, value))
                self.filled = suffix
            else:
                self.is_complete = False

    def _forget_behind(self, count: int) -> None:
        del self.heads[count:]
        self.filled = self.heads[-1][0]
        self.is_complete = False

    def take(self, now: float) -> tuple[bytes, bytes]:
        """Hand out the first head: (suffix, value)."""
        suffix, value = self.heads.pop(0)
        self.out[suffix] = Taken(value, now)
        return suffix, value

    def put_back(self, suffix: bytes) -> bool:
        """Undo a `take`; False if the URI is not in process."""
        taken = self.out.pop(suffix, None)
        if self.awaiting_start == suffix:
            self.awaiting_start = None
        if taken is None:
            if suffix in self.ghosts:
                self.ghosts -= {suffix}
                return True
            return False
        self.insert(suffix, taken.value)
        return True

    def settle(self, suffix: bytes) -> None:
        """A URI in process was settled in the store."""
        self.out.pop(suffix, None)
        if self.ghosts:
            self.ghosts -= {suffix}
        if self.awaiting_start == suffix:
            self.awaiting_start = None

    def delete(self, suffix: bytes) -> None:
        """The operator deleted a URI from the store, wherever it is here."""
        self.heads = [head for head in self.heads if head[0] != suffix]
        if self.out.pop(suffix, None) is not None:
            self.ghosts |= {suffix}

    def bound_without(self, suffix: bytes) -> bytes:
        """The seek bound once `suffix` is gone: no other URI of the queue stands before it."""
        if self.heads:
            front = self.heads[0][0]
        else:
            front = self.filled if self.filled is not None else self.row.bound
        if len(self.out) <= 1:
            return front
        # What was taken first mostly comes back first, so this sorts what is sorted.
        first, second = sorted(self.out)[:2]
        other = second if first == suffix else first
        return other if other < front else front
