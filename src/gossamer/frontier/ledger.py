"""Ledger: the stored truth about counters and queues, and `Draft`: one change to it in the making.

A draft collects everything that one step changes: entries of any family, the rows of the queues it touches, the
counters. Nothing in memory changes until `commit` has written the batch; if the write fails the draft is thrown away
and all is as before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from gossamer.errors import StoreCorrupt
from gossamer.frontier.keys import (
    COUNTERS,
    INACTIVE,
    META,
    QUEUES,
    SNOOZED,
    class_bytes,
    inactive_key,
    microseconds,
    snoozed_key,
)
from gossamer.frontier.precedence import QueuePrecedence
from gossamer.frontier.records import (
    INACTIVE_PLACE,
    NOWHERE,
    SNOOZED_PLACE,
    Counters,
    QueueRow,
    decode_counters,
    decode_row,
    encode_counters,
    encode_row,
)
from gossamer.frontier.shelf import Shelf
from gossamer.frontier.workqueue import WorkQueue
from gossamer.model.crawluri import ClassKey
from gossamer.storage.kv import KV
from gossamer.util.recent import Recent

SESSION = 100
"""Finishes before a queue goes to the end of the inactive ones: with few toes and many hosts, all hosts get their turn
within minutes. Heritrix's 3,000 keeps them waiting for the better part of an hour each."""
RECENT_ROWS = 10_000
"""Rows of resting queues kept at hand, twice that at most; some 400 bytes each."""


class Ledger:
    """Counters and rows as stored. Rows of active queues are theirs, some others are cached."""

    def __init__(self, store: KV, active: Mapping[ClassKey, WorkQueue]) -> None:
        self.store = store
        self.shelf = Shelf(store)
        self._active = active
        self._recent: Recent[ClassKey, QueueRow] = Recent(RECENT_ROWS)
        stored = store.get(META, COUNTERS)
        self.counters = Counters() if stored is None else decode_counters(stored)

    def row(self, class_key: ClassKey) -> QueueRow | None:
        """The row of a queue; not to be changed. None if there never was one."""
        queue = self._active.get(class_key)
        if queue is not None:
            return queue.row
        row = self._recent.get(class_key)
        if row is None:
            stored = self.store.get(QUEUES, class_bytes(class_key))
            if stored is not None:
                row = decode_row(stored)
                self._recent.put(class_key, row)
        return row

    def row_at_hand(self, class_key: ClassKey) -> QueueRow | None:
        """The row if it is in memory."""
        queue = self._active.get(class_key)
        return queue.row if queue is not None else self._recent.get(class_key)

    def keep(self, class_key: ClassKey, row: QueueRow) -> None:
        """Take over the row of a queue that leaves memory."""
        self._recent.put(class_key, row)

    def draft(self) -> Draft:
        return Draft(self)

    def adopt(self, draft: Draft) -> None:
        """Make a written draft the truth."""
        self.counters = draft.counters
        resting: dict[ClassKey, QueueRow] = {}
        for class_key, row in draft.rows.items():
            queue = self._active.get(class_key)
            if queue is not None:
                queue.row = row
            else:
                resting[class_key] = row
        if resting:
            self._recent.update(resting)
        for precedence, ordinal in draft.placed_inactive:
            self.shelf.added_inactive(precedence, ordinal)
        for key in draft.placed_snoozed:
            self.shelf.added_snoozed(key)
        for key in draft.removed_snoozed:
            self.shelf.removed_snoozed(key)


class Draft:
    """One step: a batch, and the counters and rows as they will be."""

    __slots__ = ("_ledger", "batch", "counters", "placed_inactive", "placed_snoozed", "removed_snoozed", "rows")

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.batch = ledger.store.batch()
        self.counters = replace(ledger.counters)
        self.rows: dict[ClassKey, QueueRow] = {}
        self.placed_inactive: list[tuple[int, int]] = []
        self.placed_snoozed: list[bytes] = []
        self.removed_snoozed: list[bytes] = []

    def load_rows(self, class_keys: Iterable[ClassKey], precedence: QueuePrecedence) -> None:
        """Have the rows of all these in `rows`, with one read; new ones are made."""
        missing = []
        rows, at_hand = self.rows, self._ledger.row_at_hand
        for class_key in class_keys:
            if class_key not in rows:
                row = at_hand(class_key)
                if row is None:
                    missing.append(class_key)
                else:
                    rows[class_key] = replace(row)
        if not missing:
            return
        stored = self._ledger.store.multi_get(QUEUES, [class_bytes(class_key) for class_key in missing])
        for class_key, value in zip(missing, stored, strict=True):
            if value is not None:
                rows[class_key] = decode_row(value)
            else:
                rows[class_key] = QueueRow(precedence=precedence(class_key), balance=SESSION)
                self.counters.queues += 1

    def find_row(self, class_key: ClassKey) -> QueueRow | None:
        """The row to change; None if there is no such queue."""
        row = self.rows.get(class_key)
        if row is None:
            stored = self._ledger.row(class_key)
            if stored is None:
                return None
            row = self.rows[class_key] = replace(stored)
        return row

    def row(self, class_key: ClassKey) -> QueueRow:
        """The row to change, of a queue that there is."""
        row = self.find_row(class_key)
        if row is None:
            raise StoreCorrupt(f"the queue {class_key} has no row")
        return row

    # ---- places

    def place_inactive(self, class_key: ClassKey, row: QueueRow) -> None:
        """To the end of the inactive FIFO."""
        self.unplace(class_key, row)
        ordinal = self.counters.last_ordinal = self.counters.last_ordinal + 1
        row.place, row.position = INACTIVE_PLACE, ordinal
        self.batch.put(INACTIVE, inactive_key(row.precedence, ordinal), class_bytes(class_key))
        self.counters.placed_inactive += 1
        self.placed_inactive.append((row.precedence, ordinal))

    def place_snoozed(self, class_key: ClassKey, row: QueueRow, wake: float) -> None:
        """Among the snoozed until wall-clock `wake`."""
        self.unplace(class_key, row)
        row.place, row.position = SNOOZED_PLACE, microseconds(wake)
        key = snoozed_key(row.position, class_key)
        self.batch.put(SNOOZED, key, b"")
        self.counters.placed_snoozed += 1
        self.placed_snoozed.append(key)

    def unplace(self, class_key: ClassKey, row: QueueRow) -> None:
        place = row.place
        if place is NOWHERE:
            return
        if place is INACTIVE_PLACE:
            self.batch.delete(INACTIVE, inactive_key(row.precedence, row.position))
            self.counters.placed_inactive -= 1
        else:
            key = snoozed_key(row.position, class_key)
            self.batch.delete(SNOOZED, key)
            self.counters.placed_snoozed -= 1
            self.removed_snoozed.append(key)
        row.place, row.position = NOWHERE, 0

    # ---- the end

    def commit(self) -> None:
        """Write the batch; only then take over counters and rows."""
        batch, rows, ledger = self.batch, self.rows, self._ledger
        batch.put_all(QUEUES, list(zip(map(class_bytes, rows), map(encode_row, rows.values()), strict=True)))
        batch.put(META, COUNTERS, encode_counters(self.counters))
        ledger.store.write(batch)
        ledger.adopt(self)
