"""Captures: what is fetched and archived without being a URI of a queue, robots.txt above all.

A toe that needs a robots.txt claims it; while it is fetched, the queue gives no further URI, so toes that lose the
claim give theirs back and need not wait. What comes of it is stored with the spans of its records and the rest of the
host in one batch.
"""

from __future__ import annotations

from collections.abc import Sequence

from gossamer.errors import StateError
from gossamer.frontier.base import RobotsRecord
from gossamer.frontier.hosts import Hosts, Treatment
from gossamer.frontier.journal import Journal
from gossamer.frontier.keys import ROBOTS
from gossamer.frontier.ledger import Draft, Ledger
from gossamer.frontier.precedence import QueuePrecedence
from gossamer.frontier.queue_state import QueueEvent
from gossamer.frontier.records import JournalEntry, Step, decode_robots, encode_robots
from gossamer.frontier.turns import Turns
from gossamer.frontier.visits import Visits
from gossamer.frontier.workqueue import WorkQueue
from gossamer.model.crawluri import ClassKey
from gossamer.model.disposition import Disposition, Span
from gossamer.util.clock import Clock
from gossamer.util.recent import Recent

KEPT_RECORDS = 1000
KEPT_BODY = 4096
"""Bytes of a robots.txt that is kept decoded, beside the store: 8 MB at the worst. Most are smaller, and every URI
asks for its host's: a look-up in a dict instead of one in the store and a decoding."""


class Captures:
    """Claims on robots.txt, and what was captured."""

    def __init__(
        self,
        ledger: Ledger,
        turns: Turns,
        hosts: Hosts,
        journal: Journal,
        clock: Clock,
        precedence: QueuePrecedence,
    ) -> None:
        self._ledger = ledger
        self._turns = turns
        self._hosts = hosts
        self._journal = journal
        self._clock = clock
        self._precedence = precedence
        self._visits = Visits()
        self._records: Recent[str, RobotsRecord] = Recent(KEPT_RECORDS)
        """As they are in the store, which nobody else writes them to."""
        self.claims: dict[str, tuple[ClassKey, ...]] = {}
        """Authority whose robots.txt is being fetched -> the queues that wait for it."""

    def robots(self, authority: str) -> RobotsRecord | None:
        record = self._records.get(authority)
        if record is None and (stored := self._ledger.store.get(ROBOTS, authority.encode())) is not None:
            record = decode_robots(stored)
            self._keep(record)
        return record

    def _keep(self, record: RobotsRecord) -> None:
        if len(record.body) <= KEPT_BODY:
            self._records.put(record.authority, record)

    def begin_robots(self, authority: str, class_key: ClassKey, host: ClassKey | None = None) -> bool:
        """Claim it; False if it is claimed, or not the host's turn. Raises StateError if there is no such queue."""
        if authority in self.claims:
            return False
        queue = self._awake(class_key)
        if queue is None:
            raise StateError(f"there is no queue {class_key}")
        if host is not None and not self._begin_visit(authority, queue, host):
            return False
        self.claims[authority] = (class_key,) if host is None else (class_key, host)
        self._hold(queue, authority)
        return True

    def _begin_visit(self, authority: str, queue: WorkQueue, host: ClassKey) -> bool:
        """Hold another host's queue for a visit; if it is not its turn, have `queue` rest until it is."""
        asked = self._awake(host) or self._made(host)
        is_idle = not asked.claims and not asked.in_process
        now = self._clock.monotonic()
        turn = self._visits.ask(
            host, authority, now, rest_until=asked.rest_until, gap=self._turns.gap(asked.row), is_idle=is_idle
        )
        # Held whatever it is: only so may a queue in any state be given another rest.
        self._hold(asked, authority)
        if turn is None:
            return True
        asked.rest_until = max(asked.rest_until, turn.end)
        queue.rest_until = max(queue.rest_until, turn.start)
        self._hold(queue, authority)
        self._free(asked, authority)
        self._free(queue, authority)
        return False

    def _awake(self, class_key: ClassKey) -> WorkQueue | None:
        """The queue, active; None if there is none."""
        queue = self._turns.active(class_key)
        if queue is None and (row := self._ledger.row(class_key)) is not None:
            queue = self._turns.activate(class_key, row)
        return queue

    def _made(self, class_key: ClassKey) -> WorkQueue:
        """A queue without URIs: its host is asked though the crawl has none of it."""
        draft = self._ledger.draft()
        draft.load_rows([class_key], self._precedence)
        draft.commit()
        return self._turns.activate(class_key, draft.rows[class_key])

    def _hold(self, queue: WorkQueue, authority: str) -> None:
        queue.claims |= {authority}
        self._turns.settle(queue, QueueEvent.HELD)

    def _free(self, queue: WorkQueue, authority: str) -> None:
        queue.claims -= {authority}
        self._turns.settle(queue, QueueEvent.FREED)

    def note_robots(
        self, record: RobotsRecord, class_key: ClassKey, told: Disposition, host: ClassKey | None = None
    ) -> None:
        """Store what came of it, and end the claim."""
        draft = self._ledger.draft()
        draft.batch.put(ROBOTS, record.authority.encode(), encode_robots(record))
        draft.counters.wire_bytes += told.wire_bytes
        rest = max(0.0, record.next_try - self._clock.wall()) if record.outcome == "unreachable" else 0.0
        if host is None:
            treated = [self._treat(draft, class_key, told, rest)]
        else:
            untold = Disposition(fate=told.fate, status=0, when=told.when)
            treated = [self._treat(draft, host, told), self._treat(draft, class_key, untold, rest)]
        entry = JournalEntry(Step.ROBOTS, told.spans, told.wire_bytes, authority=record.authority)
        tails = self._journal.add(draft, entry)
        draft.commit()
        self._records.forget(record.authority)
        self._journal.added(tails)
        for queue, treatment in filter(None, treated):
            self._hosts.treated(queue, treatment)
        self.abandon_robots(record.authority)

    def _treat(
        self, draft: Draft, class_key: ClassKey, told: Disposition, rest: float = 0.0
    ) -> tuple[WorkQueue, Treatment] | None:
        """Have a host rest after what was asked of it, and `rest` seconds at least; None if its queue is not active."""
        queue = self._turns.active(class_key)
        if queue is None:
            return None
        row = draft.row(class_key)
        treatment = self._hosts.treat(row, queue, told)
        if rest > 0.0:
            treatment.rest_until = max(treatment.rest_until, treatment.now + rest)
        self._hosts.place(draft, queue, row, treatment)
        return queue, treatment

    def abandon_robots(self, authority: str) -> None:
        """End the claim, if there is one."""
        for class_key in self.claims.pop(authority, ()):
            queue = self._turns.active(class_key)
            if queue is not None:
                self._free(queue, authority)

    def note_capture(self, spans: Sequence[Span]) -> None:
        """Store the spans of records that belong to no URI."""
        draft = self._ledger.draft()
        tails = self._journal.add(draft, JournalEntry(Step.CAPTURE, tuple(spans)))
        draft.commit()
        self._journal.added(tails)
