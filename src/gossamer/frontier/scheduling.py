"""Scheduling: candidates become URIs of their queues, in a draft.

Each identity is looked up once, with one read of the store for all, unless it was lately found to be unknown. A new one
gets the next doc id. One that is known is dropped, unless it is forced: then it is queued again under its old
doc id, but not while it waits already.
"""

from __future__ import annotations

from collections.abc import Sequence

from gossamer.frontier.keys import META, PROMOTED_PREFIX, QUEUE, SEEN, number_key, queue_prefix, queue_suffix
from gossamer.frontier.ledger import Draft
from gossamer.frontier.precedence import QueuePrecedence
from gossamer.frontier.queue_state import SCHEDULED
from gossamer.frontier.records import NOWHERE, QueueRow, docid_in, encode_curi, encode_waiting, is_waiting
from gossamer.frontier.seen import SeenIndex, rising
from gossamer.frontier.turns import Turns
from gossamer.frontier.workqueue import WorkQueue
from gossamer.model.crawluri import ClassKey, CrawlURI, Identity


class Additions:
    """The URIs that a draft puts into queues."""

    __slots__ = ("entries", "identities")

    def __init__(self) -> None:
        self.identities: list[Identity] = []
        self.entries: dict[ClassKey, list[tuple[bytes, bytes]]] = {}
        """By queue: (suffix, value)."""

    def __len__(self) -> int:
        return len(self.identities)


class Scheduler:
    """Plans additions and takes them over; the same for `schedule` and for the discoveries of a finish."""

    def __init__(self, seen: SeenIndex, turns: Turns, precedence: QueuePrecedence) -> None:
        self._seen = seen
        self._turns = turns
        self._precedence = precedence

    def plan(self, draft: Draft, candidates: Sequence[CrawlURI], *, force: bool = False) -> Additions:
        """Put what is new into the draft."""
        additions = Additions()
        chosen = self._choose(draft, candidates, force) if candidates else []
        if not chosen:
            return additions
        entries = additions.entries
        for docid, candidate in chosen:
            if candidate.is_seed and candidate.via is not None:
                draft.batch.put(META, PROMOTED_PREFIX + number_key(docid), candidate.url.encode())
            suffix = queue_suffix(candidate.priority, candidate.attempts, candidate.depth, docid)
            entry = suffix, encode_curi(candidate)
            added = entries.get(candidate.class_key)
            if added is None:
                entries[candidate.class_key] = [entry]
            else:
                added.append(entry)
        additions.identities = [candidate.identity for _, candidate in chosen]
        draft.batch.put_all(SEEN, [(candidate.identity, encode_waiting(docid)) for docid, candidate in chosen])
        self._plan_queues(draft, entries)
        draft.counters.discovered += len(chosen)
        return additions

    def _plan_queues(self, draft: Draft, entries: dict[ClassKey, list[tuple[bytes, bytes]]]) -> None:
        """The part of `plan` that is done once per queue, not once per URI."""
        draft.load_rows(entries, self._precedence)
        rows, stored = draft.rows, []
        for class_key, added in entries.items():
            prefix = queue_prefix(class_key)
            for suffix, value in added:
                stored.append((prefix + suffix, value))
            first = added[0] if len(added) == 1 else min(added)
            add_to_row(draft, class_key, rows[class_key], first[0], len(added))
        draft.batch.put_all(QUEUE, stored)

    def _choose(self, draft: Draft, candidates: Sequence[CrawlURI], force: bool) -> list[tuple[int, CrawlURI]]:
        asked = _firsts(candidates)
        records = self._seen.records(list(asked))
        # Force is for what is known, and mostly nothing is: who found these links has asked before.
        is_any_known = any(records)
        forced = _firsts([one for one in candidates if force or one.force]) if is_any_known else {}
        chosen: list[tuple[int, CrawlURI]] = []
        last = draft.counters.last_docid
        for candidate, record in zip(asked.values(), records, strict=True):
            if record is None:
                last = rising(candidate.docid, last) if candidate.docid else last + 1
                chosen.append((last, candidate))
            elif candidate.identity in forced and not is_waiting(record):
                chosen.append((docid_in(record), forced[candidate.identity]))
        draft.counters.last_docid = last
        return chosen

    def apply(self, additions: Additions, besides: WorkQueue | None = None) -> None:
        """The draft was written: tell the active queues. `besides` is one that the caller settles himself."""
        if not additions.identities:
            return
        self._seen.added(additions.identities)
        active = self._turns.active
        for class_key, added in additions.entries.items():
            queue = active(class_key)
            if queue is not None:
                for suffix, value in added:
                    queue.insert(suffix, value)
                if queue is not besides:
                    self._turns.settle(queue, SCHEDULED)


def _firsts(candidates: Sequence[CrawlURI]) -> dict[Identity, CrawlURI]:
    """By identity, in order; of several with one identity the first."""
    firsts = {candidate.identity: candidate for candidate in candidates}
    if len(firsts) < len(candidates):
        firsts.update({candidate.identity: candidate for candidate in reversed(candidates)})
    return firsts


def add_to_row(draft: Draft, class_key: ClassKey, row: QueueRow, suffix: bytes, count: int = 1) -> None:
    """Count URIs that are put into a queue, the first of them at `suffix`; give the queue a place if it had none."""
    if row.queued == 0 or suffix < row.bound:
        row.bound = suffix
    row.queued += count
    draft.counters.queued += count
    if row.is_retired:
        draft.counters.retired += count
    elif row.place is NOWHERE:
        draft.place_inactive(class_key, row)


def remove_from_row(draft: Draft, row: QueueRow) -> None:
    """Count a URI that leaves a queue; whether an emptied one keeps its place is the caller's to see to."""
    row.queued -= 1
    draft.counters.queued -= 1
    if row.is_retired:
        draft.counters.retired -= 1
