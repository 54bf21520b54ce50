"""Captures: what is fetched and archived without being a URI of a queue, robots.txt above all.

A toe that needs a robots.txt claims it; while it is fetched, the queue gives no further URI, so toes that lose the
claim give theirs back and need not wait. What comes of it is stored with the spans of its records and the rest of the
host in one batch.
"""

from __future__ import annotations

from collections.abc import Sequence

from gossamer.errors import StateError
from gossamer.frontier.base import RobotsRecord
from gossamer.frontier.hosts import Hosts
from gossamer.frontier.journal import Journal
from gossamer.frontier.keys import ROBOTS
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.queue_state import QueueEvent
from gossamer.frontier.records import JournalEntry, Step, decode_robots, encode_robots, store_spans
from gossamer.frontier.turns import Turns
from gossamer.model.crawluri import ClassKey
from gossamer.model.disposition import Disposition, Span
from gossamer.util.clock import Clock


class Captures:
    """Claims on robots.txt, and what was captured."""

    def __init__(self, ledger: Ledger, turns: Turns, hosts: Hosts, journal: Journal, clock: Clock) -> None:
        self._ledger = ledger
        self._turns = turns
        self._hosts = hosts
        self._journal = journal
        self._clock = clock
        self.claims: dict[str, ClassKey] = {}
        """Authority whose robots.txt is being fetched -> the queue that waits for it."""

    def robots(self, authority: str) -> RobotsRecord | None:
        record = self._ledger.store.get(ROBOTS, authority.encode())
        return None if record is None else decode_robots(record)

    def begin_robots(self, authority: str, class_key: ClassKey) -> bool:
        """Claim it; False if it is claimed. Raises StateError if there is no such queue."""
        if authority in self.claims:
            return False
        queue = self._turns.active(class_key)
        if queue is None:
            row = self._ledger.row(class_key)
            if row is None:
                raise StateError(f"there is no queue {class_key}")
            queue = self._turns.activate(class_key, row)
        self.claims[authority] = class_key
        queue.claims |= {authority}
        self._turns.settle(queue, QueueEvent.HELD)
        return True

    def note_robots(self, record: RobotsRecord, class_key: ClassKey, told: Disposition) -> None:
        """Store what came of it, and end the claim."""
        draft = self._ledger.draft()
        draft.batch.put(ROBOTS, record.authority.encode(), encode_robots(record))
        draft.counters.wire_bytes += told.wire_bytes
        queue = self._turns.active(class_key)
        treatment = None
        if queue is not None:
            row = draft.row(class_key)
            treatment = self._hosts.treat(row, queue, told)
            if record.outcome == "unreachable":
                rest = max(0.0, record.next_try - self._clock.wall())
                treatment.rest_until = max(treatment.rest_until, treatment.now + rest)
            self._hosts.place(draft, queue, row, treatment)
        entry = JournalEntry(Step.ROBOTS, store_spans(told.spans), told.wire_bytes, authority=record.authority)
        number = self._journal.add(draft, entry, told.spans)
        draft.commit()
        self._journal.added(number, told.spans)
        if queue is not None and treatment is not None:
            self._hosts.treated(queue, treatment)
        self.abandon_robots(record.authority)

    def abandon_robots(self, authority: str) -> None:
        """End the claim, if there is one."""
        class_key = self.claims.pop(authority, None)
        queue = self._turns.active(class_key) if class_key is not None else None
        if queue is not None:
            queue.claims -= {authority}
            self._turns.settle(queue, QueueEvent.FREED)

    def note_capture(self, spans: Sequence[Span]) -> None:
        """Store the spans of records that belong to no URI."""
        draft = self._ledger.draft()
        number = self._journal.add(draft, JournalEntry(Step.CAPTURE, store_spans(spans)), spans)
        draft.commit()
        self._journal.added(number, spans)
