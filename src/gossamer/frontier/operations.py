"""Operations: what the operator does to queues: take one out of the crawl, bring it back, delete URIs.

Each is made of batches of at most 500 URIs, each of them complete in itself, so one that is interrupted has done a part
and can be called again. URIs in process are not waited for: one that was deleted meanwhile is a stray when it comes
back.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import NamedTuple

from gossamer.frontier.keys import (
    FAILED,
    QUEUE,
    SEEN,
    SUFFIX_BYTES,
    parse_queue_key,
    parse_suffix,
    queue_prefix,
    queue_stop,
    queue_suffix,
    suffix_of,
)
from gossamer.frontier.ledger import Draft, Ledger
from gossamer.frontier.queue_state import QueueEvent
from gossamer.frontier.records import decode_curi, decode_seen, encode_outcome, encode_waiting, identity_in
from gossamer.frontier.scheduling import add_to_row, remove_from_row
from gossamer.frontier.turns import Turns
from gossamer.model.crawluri import ClassKey, CrawlURI
from gossamer.model.disposition import Fate
from gossamer.model.fetchstatus import FetchStatus

BATCH = 500
DELETED_REASON = "deleted"


class _Revived(NamedTuple):
    suffix: bytes
    value: bytes


class Operations:
    """The operator's commands on one frontier."""

    def __init__(self, ledger: Ledger, turns: Turns) -> None:
        self._ledger = ledger
        self._turns = turns
        self._store = ledger.store

    # ---- out and back

    def retire(self, class_key: ClassKey) -> bool:
        """Take a queue out of the crawl, keeping its URIs; False if it is out, or there is none."""
        draft = self._ledger.draft()
        row = draft.find_row(class_key)
        if row is None or row.is_retired:
            return False
        draft.unplace(class_key, row)
        row.is_retired = True
        draft.counters.retired += row.queued
        draft.commit()
        self._settle(class_key, QueueEvent.RETIRED)
        return True

    def revive(self, class_key: ClassKey) -> int:
        """Bring a queue back, and every URI of it that FAILED; how many those were.

        Its host counts as one that was never tried.
        """
        draft = self._ledger.draft()
        row = draft.find_row(class_key)
        if row is None:
            return 0
        if row.is_retired:
            row.is_retired = False
            draft.counters.retired -= row.queued
            if row.queued:
                draft.place_inactive(class_key, row)
        row.is_unreachable = False
        row.failures = row.throttles = 0
        draft.commit()
        self._settle(class_key, QueueEvent.REVIVED)
        return self._requeue_failed(class_key)

    def _requeue_failed(self, class_key: ClassKey) -> int:
        prefix = queue_prefix(class_key)
        count = 0
        while page := self._store.scan(FAILED, prefix, queue_stop(prefix), BATCH):
            draft = self._ledger.draft()
            revived = [entry for key, value in page if (entry := self._revive_one(draft, class_key, key, value))]
            draft.commit()
            queue = self._turns.active(class_key)
            if queue is not None:
                for suffix, value in revived:
                    queue.insert(suffix, value)
            self._settle(class_key, QueueEvent.SCHEDULED)
            count += len(revived)
        return count

    def _revive_one(self, draft: Draft, class_key: ClassKey, key: bytes, value: bytes) -> _Revived | None:
        """Put one back with its tries forgotten, unless it was scheduled again meanwhile."""
        draft.batch.delete(FAILED, key)
        identity = identity_in(value)
        record = self._store.get(SEEN, identity)
        if record is None or decode_seen(record).fate is not Fate.FAILED:
            return None
        priority, _, depth, docid = parse_suffix(key[-SUFFIX_BYTES:])
        suffix = queue_suffix(priority, 0, depth, docid)
        draft.batch.put(QUEUE, queue_prefix(class_key) + suffix, value)
        draft.batch.put(SEEN, identity, encode_waiting(docid))
        add_to_row(draft, class_key, draft.row(class_key), suffix)
        draft.counters.discovered += 1
        return _Revived(suffix, value)

    def _settle(self, class_key: ClassKey, event: QueueEvent) -> None:
        queue = self._turns.active(class_key)
        if queue is not None:
            self._turns.settle(queue, event)

    # ---- deletion

    async def delete_matching(
        self, is_doomed: Callable[[CrawlURI], bool], class_key: ClassKey | None, when: float
    ) -> AsyncIterator[int]:
        """Delete URIs batch by batch; yields how many each batch took, also 0, so that others can work between."""
        prefix = b"" if class_key is None else queue_prefix(class_key)
        start, stop = prefix, b"\xff" if class_key is None else queue_stop(prefix)
        while page := self._store.scan(QUEUE, start, stop, BATCH):
            start = page[-1][0] + b"\x00"
            doomed = [curi for key, value in page if is_doomed(curi := decode_curi(*parse_queue_key(key), value))]
            if doomed:
                self._delete(doomed, when)
            yield len(doomed)

    def _delete(self, doomed: list[CrawlURI], when: float) -> None:
        draft = self._ledger.draft()
        for curi in doomed:
            draft.batch.delete(QUEUE, queue_prefix(curi.class_key) + suffix_of(curi))
            code = FetchStatus.DELETED.code
            outcome = encode_outcome(curi.docid, Fate.DISREGARDED, code, when, DELETED_REASON, curi.attempts)
            draft.batch.put(SEEN, curi.identity, outcome)
            row = draft.row(curi.class_key)
            remove_from_row(draft, row)
            if row.queued == 0:
                draft.unplace(curi.class_key, row)
            draft.counters.count_fate(Fate.DISREGARDED)
            draft.counters.add_reason(DELETED_REASON)
        draft.commit()
        self._forget(doomed)

    def _forget(self, doomed: list[CrawlURI]) -> None:
        touched = set()
        for curi in doomed:
            queue = self._turns.active(curi.class_key)
            if queue is not None:
                queue.delete(suffix_of(curi))
                touched.add(queue)
        for queue in touched:
            self._turns.settle(queue, QueueEvent.PURGED)
