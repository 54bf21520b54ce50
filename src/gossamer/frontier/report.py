"""Report: every queue in one sentence, for the operator who asks why it waits."""

from __future__ import annotations

from collections.abc import Iterator

from gossamer.frontier.base import QueueReport
from gossamer.frontier.keys import QUEUES
from gossamer.frontier.queue_state import QueueState
from gossamer.frontier.records import Place, QueueRow, decode_row
from gossamer.frontier.times import Times
from gossamer.frontier.workqueue import WorkQueue
from gossamer.model.crawluri import ClassKey
from gossamer.storage.kv import KV, scan_all


def stored_queues(store: KV, after: str = "") -> Iterator[tuple[ClassKey, QueueRow]]:
    """Every queue there ever was, in key order; with `after`, those behind that key."""
    for key, value in scan_all(store, QUEUES, after.encode() + b"\x00" if after else b""):
        yield ClassKey(key.decode()), decode_row(value)


def queue_report(class_key: ClassKey, row: QueueRow, queue: WorkQueue | None, times: Times, now: float) -> QueueReport:
    """`queue` is the active one, if it is; `now` is monotonic."""
    state = queue.state if queue is not None else resting_state(row)
    moment = queue.rest_until if queue is not None else times.moment(row.wake, now)
    is_resting = moment > now and state in (QueueState.SNOOZED, QueueState.INACTIVE)
    return QueueReport(
        class_key=class_key,
        state=state.value,
        queued=row.queued,
        in_process=queue.in_process if queue is not None else 0,
        wake=times.wall(moment) if is_resting else None,
        why=_sentence(state, row, queue, max(0.0, moment - now)),
        failures=row.failures,
    )


def resting_state(row: QueueRow) -> QueueState:
    """The state of a queue that is not in memory."""
    if row.is_retired:
        return QueueState.RETIRED
    return {
        Place.NOWHERE: QueueState.EXHAUSTED,
        Place.INACTIVE: QueueState.INACTIVE,
        Place.SNOOZED: QueueState.SNOOZED,
    }[row.place]


def _sentence(state: QueueState, row: QueueRow, queue: WorkQueue | None, seconds: float) -> str:
    if state is QueueState.RETIRED:
        return "It was taken out of the crawl; revive it to go on."
    if row.is_unreachable:
        return f"The host could not be reached in {row.failures} tries; its URIs are being given up."
    if state is QueueState.SNOOZED:
        return _resting(row, seconds)
    if state is QueueState.BUSY and queue is not None:
        return _busy(queue)
    return {
        QueueState.READY: "Its next URI goes to the next free toe.",
        QueueState.BUSY: "It is being crawled.",
        QueueState.INACTIVE: "It waits for its turn behind other queues.",
        QueueState.EXHAUSTED: "It has no URIs.",
    }[state]


def _resting(row: QueueRow, seconds: float) -> str:
    rest = f"{seconds:.0f} s more" if seconds >= 1 else "less than a second more"
    if row.failures:
        return f"The host could not be reached {row.failures} times in a row; it is tried again in {rest}."
    if row.throttles:
        return f"The server asked for fewer requests {row.throttles} times in a row; it rests {rest}."
    return f"The host rests between two requests, {rest}."


def _busy(queue: WorkQueue) -> str:
    if queue.claims:
        return f"The robots.txt of {', '.join(sorted(queue.claims))} is being fetched."
    if queue.awaiting_start is not None:
        return "Its last request is about to be sent; the next may follow its delay after that."
    rest = "no more may be at the same time" if queue.items else "it has no others"
    return f"Of its URIs {queue.in_process} are being fetched; {rest}."
