"""Finishing: one attempt becomes a change of the store, in a draft.

The order is: what the host is charged and how long it rests, what becomes of the URI, what was discovered on it, and
last where the queue stands now. All of it, with the tails of the files and the journal entry that can undo it, is one
batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gossamer.config import Politeness
from gossamer.frontier.keys import FAILED, QUEUE, SEEN, queue_suffix
from gossamer.frontier.ledger import Draft
from gossamer.frontier.politeness import gap_seconds, throttled_seconds, unreachable_seconds
from gossamer.frontier.records import (
    JournalEntry,
    QueueRow,
    Step,
    encode_curi,
    encode_outcome,
    store_spans,
)
from gossamer.frontier.scheduling import remove_from_row
from gossamer.frontier.workqueue import Taken, WorkQueue
from gossamer.model.crawluri import CrawlURI
from gossamer.model.disposition import Charge, Disposition, Fate


@dataclass(slots=True)
class Host:
    """What an attempt does to its host."""

    rest_until: float
    """Monotonic."""
    has_stumbled: bool = False
    """It was charged a failure or throttling."""


class Luck(NamedTuple):
    """The moment and the chance that a decision is made with."""

    now: float
    """Monotonic."""
    random: float
    """In [0, 1)."""


def treat_host(
    row: QueueRow, queue: WorkQueue, told: Disposition, taken: Taken | None, politeness: Politeness, luck: Luck
) -> Host:
    """Note in the row what the attempt showed, and say until when the host rests.

    URIs that were out together when the host stumbled charge it once.
    """
    host = Host(queue.rest_until)
    if told.requested:
        row.gap = gap_seconds(politeness, told.fetch_seconds, told.crawl_delay_seconds)
        host.rest_until = max(host.rest_until, told.started + row.gap)
    if told.status > 0:
        row.has_answered, row.is_unreachable, row.failures = True, False, 0
        if told.fate is Fate.SUCCEEDED:
            row.throttles = 0
    if told.charge in (Charge.HOST, Charge.THROTTLED) and (taken is None or taken.at > queue.stumbled_at):
        host.has_stumbled = True
        host.rest_until = max(host.rest_until, luck.now + _charge(row, told, politeness, luck))
    return host


def _charge(row: QueueRow, told: Disposition, politeness: Politeness, luck: Luck) -> float:
    """Seconds of rest for a fault of the host."""
    if told.charge is Charge.THROTTLED:
        row.throttles = min(row.throttles + 1, 255)
        return throttled_seconds(politeness, row.throttles, told.retry_after_seconds, luck.random)
    row.failures = min(row.failures + 1, 255)
    rest = unreachable_seconds(politeness, row.failures, row.has_answered)
    row.is_unreachable = rest is None
    return rest or 0.0


def settle_uri(draft: Draft, queue: WorkQueue, row: QueueRow, curi: CrawlURI, suffix: bytes, told: Disposition) -> None:
    """Take a URI out of its queue for good, and keep what became of it."""
    draft.batch.delete(QUEUE, queue.prefix + suffix)
    attempts = curi.attempts + 1 if told.requested else curi.attempts
    draft.batch.put(
        SEEN,
        curi.identity,
        encode_outcome(curi.docid, told.fate, told.status, told.when, told.reason, attempts),
    )
    if told.fate is Fate.FAILED:
        draft.batch.put(FAILED, queue.prefix + suffix, queue.out[suffix].value)
    remove_from_row(draft, queue.class_key, row)
    draft.counters.pages += told.is_page
    draft.counters.add_reason(told.reason)


def requeue_uri(
    draft: Draft, queue: WorkQueue, curi: CrawlURI, suffix: bytes, told: Disposition
) -> tuple[bytes, bytes]:
    """Put a URI that is tried again where its charge puts it: (new suffix, value)."""
    target = told.requeued or curi
    attempts = target.attempts + (told.charge in (Charge.URI, Charge.THROTTLED))
    new_suffix = queue_suffix(target.priority, attempts, target.depth, curi.docid)
    value = encode_curi(told.requeued) if told.requeued is not None else queue.out[suffix].value
    if new_suffix != suffix:
        draft.batch.delete(QUEUE, queue.prefix + suffix)
    if new_suffix != suffix or told.requeued is not None:
        draft.batch.put(QUEUE, queue.prefix + new_suffix, value)
    return new_suffix, value


def finish_entry(queue: WorkQueue, suffix: bytes, told: Disposition, new_suffix: bytes) -> JournalEntry:
    """How to undo the finish of a URI."""
    return JournalEntry(
        step=Step.FINISH,
        spans=store_spans(told.spans),
        wire_bytes=told.wire_bytes,
        class_key=queue.class_key,
        suffix=suffix,
        value=queue.out[suffix].value,
        fate=told.fate.value,
        status=told.status,
        is_page=told.is_page,
        reason=told.reason,
        new_suffix=new_suffix,
        failures=queue.row.failures,
        throttles=queue.row.throttles,
        is_unreachable=queue.row.is_unreachable,
    )
