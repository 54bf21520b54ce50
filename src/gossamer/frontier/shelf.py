"""Shelf: the queues that rest in the store, and how far they were taken from there.

Every queue with eligible URIs has one place, in `inactive` (its turn will come) or in `snoozed` (its time will), and
keeps it while it is active: so nothing is written when its turn comes, and after a crash it is simply still there.
What was taken is remembered by a cursor in memory; the seeks start behind it and never see the tombstones before.
A place that is taken by a queue which is active already is skipped.
"""

from __future__ import annotations

from collections import deque

from gossamer.errors import StoreCorrupt
from gossamer.frontier.keys import (
    INACTIVE,
    SNOOZED,
    inactive_key,
    parse_inactive_key,
    parse_number,
    parse_snoozed_key,
)
from gossamer.model.crawluri import ClassKey
from gossamer.storage.kv import KV

READ_AHEAD = 64
"""Entries of the inactive FIFO read at once."""
_END = b"\xff" * 9


class Shelf:
    """Cursors over `inactive` and `snoozed`."""

    def __init__(self, store: KV) -> None:
        self._store = store
        self._taken: dict[int, int] = {}
        """Precedence -> last ordinal taken."""
        self._open: set[int] = set()
        """Precedences that may have entries behind their cursor."""
        self._ahead: deque[tuple[int, int, ClassKey]] = deque()
        self._snoozed_taken = b""
        self._snoozed_head: bytes | None = None
        self._find_precedences()
        self._seek_snoozed()

    def _find_precedences(self) -> None:
        start = b""
        while found := self._store.scan(INACTIVE, start, _END, 1):
            precedence, _ = parse_inactive_key(found[0][0])
            self._open.add(precedence)
            if precedence == 0xFF:
                return
            start = inactive_key(precedence + 1, 0)

    # ---- inactive

    def next_inactive(self) -> tuple[ClassKey, int] | None:
        """Take the next queue of the best precedence: (class_key, ordinal)."""
        while self._open:
            best = min(self._open)
            if not self._ahead or self._ahead[0][0] != best:
                self._read_ahead(best)
            if self._ahead:
                precedence, ordinal, class_key = self._ahead.popleft()
                self._taken[precedence] = ordinal
                return class_key, ordinal
            self._open.discard(best)
        return None

    def _read_ahead(self, precedence: int) -> None:
        start = inactive_key(precedence, self._taken.get(precedence, -1) + 1)
        stop = inactive_key(precedence + 1, 0) if precedence < 0xFF else _END
        self._ahead.clear()
        for key, value in self._store.scan(INACTIVE, start, stop, READ_AHEAD):
            self._ahead.append((precedence, parse_inactive_key(key)[1], ClassKey(value.decode())))

    def added_inactive(self, precedence: int, ordinal: int) -> None:
        """An entry was stored; before the cursor, if its queue leaves memory without a new place."""
        self._open.add(precedence)
        if ordinal <= self._taken.get(precedence, -1):
            self._taken[precedence] = ordinal - 1
            self._ahead.clear()

    def is_ahead_inactive(self, precedence: int, ordinal: int) -> bool:
        """Whether the entry is still to come."""
        return ordinal > self._taken.get(precedence, -1)

    # ---- snoozed

    @property
    def first_wake(self) -> float | None:
        """Wall-clock seconds at which the next stored queue wakes."""
        return parse_snoozed_key(self._snoozed_head)[0] if self._snoozed_head is not None else None

    def next_snoozed(self) -> tuple[ClassKey, int]:
        """Take the stored queue that wakes first: (class_key, wake in microseconds). Not without a `first_wake`."""
        head = self._snoozed_head
        if head is None:
            raise StoreCorrupt("no queue is snoozed in the store")
        self._snoozed_taken = head + b"\x00"
        self._seek_snoozed()
        return parse_snoozed_key(head)[1], parse_number(head[:8])

    def _seek_snoozed(self) -> None:
        found = self._store.scan(SNOOZED, self._snoozed_taken, _END, 1)
        self._snoozed_head = found[0][0] if found else None

    def added_snoozed(self, key: bytes) -> None:
        """An entry was stored, maybe before the cursor (a clock may have jumped)."""
        self._snoozed_taken = min(self._snoozed_taken, key)
        if self._snoozed_head is None or key < self._snoozed_head:
            self._snoozed_head = key

    def removed_snoozed(self, key: bytes) -> None:
        if key == self._snoozed_head:
            self._seek_snoozed()

    def is_ahead_snoozed(self, key: bytes) -> bool:
        return key >= self._snoozed_taken
