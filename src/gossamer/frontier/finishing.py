"""Finishing: one attempt becomes one batch.

In this order: what the host is charged and how long it rests, what becomes of the URI, what was discovered on it, and
last where the queue stands now; with them the journal entry that tells the ends of the files and can undo it all. When
the batch is written, and not before, the queue in memory follows.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from gossamer.frontier.hosts import Hosts
from gossamer.frontier.journal import Journal
from gossamer.frontier.keys import FAILED, QUEUE, SEEN, queue_suffix, suffix_of
from gossamer.frontier.ledger import Draft, Ledger
from gossamer.frontier.queue_state import FINISHED
from gossamer.frontier.records import (
    JournalEntry,
    QueueRow,
    Step,
    encode_curi,
    encode_outcome,
)
from gossamer.frontier.scheduling import Scheduler, remove_from_row
from gossamer.frontier.turns import Turns
from gossamer.frontier.workqueue import WorkQueue
from gossamer.model.crawluri import CrawlURI
from gossamer.model.disposition import Charge, Disposition, Fate

_RETRY, _FAILED, _FINISH = Fate.RETRY, Fate.FAILED, Step.FINISH


class Finisher:
    """Settles attempts."""

    def __init__(self, ledger: Ledger, turns: Turns, hosts: Hosts, scheduler: Scheduler, journal: Journal) -> None:
        self._ledger = ledger
        self._turns = turns
        self._hosts = hosts
        self._scheduler = scheduler
        self._journal = journal

    def finish(self, curi: CrawlURI, told: Disposition, discovered: Sequence[CrawlURI]) -> None:
        """Settle one attempt, or count it as a stray if the URI is not in process (any more)."""
        class_key, suffix, turns, hosts = curi.class_key, suffix_of(curi), self._turns, self._hosts
        queue = turns.active(class_key)
        taken = None if queue is None else queue.out.get(suffix)
        if queue is None or taken is None:
            self._finish_stray(suffix, told, discovered, queue)
            return
        draft, before, fate, wire_bytes = Draft(self._ledger), queue.row, told.fate, told.wire_bytes
        row = draft.rows[class_key] = replace(before)
        treatment = hosts.treat(row, queue, told, taken)
        draft.counters.count_fate(fate)
        draft.counters.wire_bytes += wire_bytes
        row.bound = queue.bound_without(suffix)
        back = None
        if fate is _RETRY:
            back = _requeue(draft, queue, row, curi, suffix, told)
        else:
            _settle(draft, queue, row, curi, suffix, told)
        additions = self._scheduler.plan(draft, discovered) if discovered else None
        hosts.place(draft, queue, row, treatment)
        entry = JournalEntry(
            _FINISH,
            told.spans,
            wire_bytes,
            class_key,
            suffix,
            taken.value,
            fate,
            told.status,
            told.is_page,
            told.reason,
            back[0] if back else b"",
            before.failures,
            before.throttles,
            before.is_unreachable,
        )
        tails = self._journal.add(draft, entry)
        draft.commit()
        self._journal.added(tails)
        queue.settle(suffix)
        turns.in_process -= 1
        if back is not None:
            queue.insert(*back)
        hosts.treated(queue, treatment)
        if additions is not None:
            self._scheduler.apply(additions, besides=queue)
        turns.settle(queue, FINISHED, treatment.now)

    def _finish_stray(
        self, suffix: bytes, told: Disposition, discovered: Sequence[CrawlURI], queue: WorkQueue | None
    ) -> None:
        """The URI was deleted, or settled or given back before: only what was archived and discovered counts."""
        draft = self._ledger.draft()
        draft.counters.strays += 1
        draft.counters.wire_bytes += told.wire_bytes
        additions = self._scheduler.plan(draft, discovered)
        entry = JournalEntry(step=Step.CAPTURE, spans=told.spans, wire_bytes=told.wire_bytes)
        tails = self._journal.add(draft, entry)
        draft.commit()
        self._journal.added(tails)
        if queue is None or suffix not in queue.ghosts:
            self._scheduler.apply(additions)
            return
        queue.settle(suffix)
        self._turns.in_process -= 1
        if told.requested:
            queue.rest_until = max(queue.rest_until, told.started + self._turns.gap(queue.row))
        self._scheduler.apply(additions, besides=queue)
        self._turns.settle(queue, FINISHED)


def _settle(draft: Draft, queue: WorkQueue, row: QueueRow, curi: CrawlURI, suffix: bytes, told: Disposition) -> None:
    """Take a URI out of its queue for good, and keep what became of it."""
    batch, key, fate, reason = draft.batch, queue.prefix + suffix, told.fate, told.reason
    batch.delete(QUEUE, key)
    outcome = encode_outcome(curi.docid, fate, told.status, told.when, reason, curi.attempts + told.requested)
    batch.put(SEEN, curi.identity, outcome)
    if fate is _FAILED:
        batch.put(FAILED, key, queue.out[suffix].value)
    remove_from_row(draft, row)
    if told.is_page:
        draft.counters.pages += 1
    if reason:
        draft.counters.add_reason(reason)


def _requeue(
    draft: Draft, queue: WorkQueue, row: QueueRow, curi: CrawlURI, suffix: bytes, told: Disposition
) -> tuple[bytes, bytes]:
    """Put a URI that is tried again where its charge puts it: (new suffix, value)."""
    target = told.requeued or curi
    attempts = target.attempts + (told.charge in (Charge.URI, Charge.THROTTLED))
    new_suffix = queue_suffix(target.priority, attempts, target.depth, curi.docid)
    value = queue.out[suffix].value if told.requeued is None else encode_curi(told.requeued)
    if new_suffix != suffix:
        draft.batch.delete(QUEUE, queue.prefix + suffix)
    if new_suffix != suffix or told.requeued is not None:
        draft.batch.put(QUEUE, queue.prefix + new_suffix, value)
    row.bound = min(row.bound, new_suffix)
    return new_suffix, value
