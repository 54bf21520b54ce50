from __future__ import annotations

import pytest

from gossamer.frontier.queue_state import QueueState
from gossamer.frontier.records import Place, QueueRow
from gossamer.frontier.report import queue_report, resting_state
from gossamer.frontier.times import Times
from gossamer.frontier.workqueue import Taken, WorkQueue
from gossamer.model.crawluri import ClassKey
from gossamer.testing import FakeClock

A = ClassKey("a")


@pytest.mark.parametrize(
    ("row", "state", "part"),
    [
        (QueueRow(queued=1, place=Place.INACTIVE), QueueState.INACTIVE, "waits for its turn"),
        (QueueRow(queued=1, place=Place.SNOOZED, wake=1090.0), QueueState.SNOOZED, "between two requests, 90 s more"),
        (QueueRow(queued=1, place=Place.SNOOZED, wake=1090.0, failures=2), QueueState.SNOOZED, "2 times in a row"),
        (QueueRow(queued=1, place=Place.SNOOZED, wake=1090.0, throttles=3), QueueState.SNOOZED, "fewer requests 3"),
        (QueueRow(queued=1, is_retired=True), QueueState.RETIRED, "revive"),
        (QueueRow(queued=1, place=Place.INACTIVE, is_unreachable=True, failures=5), QueueState.INACTIVE, "5 tries"),
        (QueueRow(), QueueState.EXHAUSTED, "no URIs"),
    ],
)
def test_a_queue_that_rests_says_why(row: QueueRow, state: QueueState, part: str) -> None:
    assert resting_state(row) is state
    report = queue_report(A, row, None, Times(FakeClock(10.0, 1000.0), 600.0), 10.0)
    assert report.state == state.value
    assert part in report.why
    assert report.wake == (1090.0 if state is QueueState.SNOOZED else None)


def test_an_active_queue_says_what_it_waits_for() -> None:
    queue = WorkQueue(A, QueueRow(queued=3), 0.0)
    queue.state = QueueState.BUSY
    queue.out[b"x"] = Taken(b"", 0.0)
    times = Times(FakeClock(10.0, 1000.0), 600.0)
    assert "Of its URIs 1 are being fetched; no more" in queue_report(A, queue.row, queue, times, 10.0).why
    queue.awaiting_start = b"x"
    assert "about to be sent" in queue_report(A, queue.row, queue, times, 10.0).why
    queue.claims = frozenset({"http://a"})
    assert "robots.txt of http://a" in queue_report(A, queue.row, queue, times, 10.0).why
    queue.state = QueueState.READY
    assert "next free toe" in queue_report(A, queue.row, queue, times, 10.0).why


def test_every_state_has_its_sentence() -> None:
    for state in QueueState:
        queue = WorkQueue(A, QueueRow(queued=1), 50.0)
        queue.state = state
        why = queue_report(A, queue.row, queue, Times(FakeClock(10.0, 1000.0), 600.0), 10.0).why
        assert why.endswith(".") and why[0].isupper()
