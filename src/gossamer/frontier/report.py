"""Report: every queue in one sentence, for the operator who asks why it waits."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from gossamer.config import Politeness
from gossamer.frontier.base import QueueReport, RobotsRecord
from gossamer.frontier.keys import QUEUES, ROBOTS
from gossamer.frontier.politeness import tries_allowed
from gossamer.frontier.queue_state import QueueState
from gossamer.frontier.records import Place, QueueRow, decode_robots, decode_row
from gossamer.frontier.times import Times
from gossamer.frontier.workqueue import WorkQueue
from gossamer.model.crawluri import ClassKey
from gossamer.model.fetchstatus import FetchStatus
from gossamer.storage.kv import KV, scan_all


def stored_queues(store: KV, after: str = "") -> Iterator[tuple[ClassKey, QueueRow]]:
    """Every queue there ever was, in key order; with `after`, those behind that key."""
    for key, value in scan_all(store, QUEUES, after.encode() + b"\x00" if after else b""):
        yield ClassKey(key.decode()), decode_row(value)


class Reporter:
    """Reports on the queues of one store, by the settings of one job."""

    def __init__(self, store: KV, times: Times, politeness: Politeness) -> None:
        self._store = store
        self._times = times
        self.politeness = politeness

    def report(self, class_key: ClassKey, row: QueueRow, queue: WorkQueue | None, now: float) -> QueueReport:
        """`queue` is the active one, if it is; `now` is monotonic."""
        state = queue.state if queue is not None else resting_state(row)
        moment = queue.rest_until if queue is not None else self._times.moment(row.wake, now)
        is_resting = moment > now and state in (QueueState.SNOOZED, QueueState.INACTIVE)
        if is_resting and not (row.is_retired or row.is_unreachable):
            why = self._resting(class_key, row, moment - now, self._times.wall(now))
        else:
            why = _sentence(state, row, queue)
            if state is QueueState.EXHAUSTED and (record := self._robots(class_key, "gave_up")) and record.detail:
                why = f"{why} {_why_not_had(record)}."
        return QueueReport(
            class_key=class_key,
            state=state.value,
            queued=row.queued,
            in_process=queue.in_process if queue is not None else 0,
            wake=self._times.wall(moment) if is_resting else None,
            why=why,
            failures=row.failures,
        )

    def _resting(self, class_key: ClassKey, row: QueueRow, seconds: float, now_wall: float) -> str:
        rest = f"{seconds:.0f} s" if seconds >= 1 else "less than a second"
        if row.failures:
            of = tries_allowed(self.politeness, row.has_answered)
            return f"The host could not be reached (try {row.failures} of {of}); next try in {rest}."
        if row.throttles:
            return f"The server asked for fewer requests (429 or 503, {row.throttles} in a row); next try in {rest}."
        record = self._missing_robots(class_key, now_wall)
        if record is not None:
            of = tries_allowed(self.politeness, record.has_answered)
            return f"{_why_not_had(record)} (try {record.tries} of {of}); next try in {rest}."
        return f"The host rests between two requests, {rest} more."

    def _missing_robots(self, class_key: ClassKey, now_wall: float) -> RobotsRecord | None:
        """What is known of a robots.txt of the host that could not be had and is waited for."""
        record = self._robots(class_key, "unreachable")
        return record if record is not None and record.next_try > now_wall else None

    def _robots(self, class_key: ClassKey, outcome: str) -> RobotsRecord | None:
        """The latest record of a host's robots.txt, http or https, that has this outcome."""
        found = []
        for scheme in ("http", "https"):
            value = self._store.get(ROBOTS, f"{scheme}://{class_key}".encode("utf-8", "replace"))
            if value is not None and (record := decode_robots(value)).outcome == outcome:
                found.append(record)
        return max(found, key=lambda record: record.next_try, default=None)


def held_up(report: QueueReport, cause: str) -> QueueReport:
    """The report while the whole crawl stands still, for which `cause` is the sentence."""
    if report.state in (QueueState.RETIRED.value, QueueState.EXHAUSTED.value):
        return report
    says_more = report.wake is not None or report.state == QueueState.BUSY.value
    return replace(report, why=f"{cause} {report.why}" if says_more else cause)


def _why_not_had(record: RobotsRecord) -> str:
    sentence = next((one.sentence.rstrip(".") for one in FetchStatus if one.code == record.status), "")
    if sentence and not record.has_answered:
        return f"{sentence}: {record.detail}" if record.detail else sentence
    answer = f"HTTP {record.status}" if record.status > 0 else sentence or "no answer"
    return f"The robots.txt of {record.authority} could not be had: {answer}"


def resting_state(row: QueueRow) -> QueueState:
    """The state of a queue that is not in memory."""
    if row.is_retired:
        return QueueState.RETIRED
    return {
        Place.NOWHERE: QueueState.EXHAUSTED,
        Place.INACTIVE: QueueState.INACTIVE,
        Place.SNOOZED: QueueState.SNOOZED,
    }[row.place]


def _sentence(state: QueueState, row: QueueRow, queue: WorkQueue | None) -> str:
    if state is QueueState.RETIRED:
        return "It was taken out of the crawl; revive it to go on."
    if row.is_unreachable:
        return f"The host could not be reached in {row.failures} tries; its URIs are being given up."
    if state is QueueState.BUSY and queue is not None:
        return _busy(queue)
    return {
        QueueState.READY: "Its next URI goes to the next free toe.",
        QueueState.BUSY: "It is being crawled.",
        QueueState.SNOOZED: "Its rest is over; it is woken now.",
        QueueState.INACTIVE: "It waits for its turn behind other queues.",
        QueueState.EXHAUSTED: "It has no URIs.",
    }[state]


def _busy(queue: WorkQueue) -> str:
    if queue.claims:
        return f"The robots.txt of {', '.join(sorted(queue.claims))} is being fetched."
    if queue.awaiting_start is not None:
        return "Its last request is about to be sent; the next may follow its delay after that."
    rest = "no more may be at the same time" if queue.items else "it has no others"
    return f"Of its URIs {queue.in_process} are being fetched; {rest}."
