from __future__ import annotations

import pytest
from msgspec.structs import replace

from gossamer.config import Politeness
from gossamer.frontier.base import RobotsRecord
from gossamer.frontier.keys import FAMILIES, ROBOTS
from gossamer.frontier.queue_state import QueueState
from gossamer.frontier.records import Place, QueueRow, encode_robots
from gossamer.frontier.report import Reporter, held_up, resting_state
from gossamer.frontier.times import Times
from gossamer.frontier.workqueue import Taken, WorkQueue
from gossamer.model.crawluri import ClassKey
from gossamer.storage.memory import MemoryKV
from gossamer.testing import FakeClock

A = ClassKey("a")
POLITENESS = Politeness(first_contact_schedule=(5.0, 15.0))


def reporter(*known: RobotsRecord) -> Reporter:
    store = MemoryKV(FAMILIES)
    batch = store.batch()
    for record in known:
        batch.put(ROBOTS, record.authority.encode(), encode_robots(record))
    store.write(batch)
    return Reporter(store, Times(FakeClock(10.0, 1000.0), 600.0), POLITENESS)


@pytest.mark.parametrize(
    ("row", "state", "part"),
    [
        (QueueRow(queued=1, place=Place.INACTIVE), QueueState.INACTIVE, "waits for its turn"),
        (QueueRow(queued=1, place=Place.SNOOZED, wake=1090.0), QueueState.SNOOZED, "between two requests, 90 s more"),
        (QueueRow(queued=1, place=Place.SNOOZED, wake=1090.0, failures=2), QueueState.SNOOZED, "(try 2 of 3); next"),
        (
            QueueRow(queued=1, place=Place.SNOOZED, wake=1090.0, throttles=3),
            QueueState.SNOOZED,
            "503, 3 in a row); next try in 90 s",
        ),
        (QueueRow(queued=1, is_retired=True), QueueState.RETIRED, "revive"),
        (QueueRow(queued=1, place=Place.INACTIVE, is_unreachable=True, failures=5), QueueState.INACTIVE, "5 tries"),
        (QueueRow(), QueueState.EXHAUSTED, "no URIs"),
    ],
)
def test_a_queue_that_rests_says_why(row: QueueRow, state: QueueState, part: str) -> None:
    assert resting_state(row) is state
    report = reporter().report(A, row, None, 10.0)
    assert report.state == state.value
    assert part in report.why
    assert report.wake == (1090.0 if state is QueueState.SNOOZED else None)


def test_an_active_queue_says_what_it_waits_for() -> None:
    queue = WorkQueue(A, QueueRow(queued=3), 0.0)
    queue.state = QueueState.BUSY
    queue.out[b"x"] = Taken(b"", 0.0)
    assert "Of its URIs 1 are being fetched; no more" in reporter().report(A, queue.row, queue, 10.0).why
    queue.awaiting_start = b"x"
    assert "about to be sent" in reporter().report(A, queue.row, queue, 10.0).why
    queue.claims = frozenset({"http://a"})
    assert "robots.txt of http://a" in reporter().report(A, queue.row, queue, 10.0).why
    queue.state = QueueState.READY
    assert "next free toe" in reporter().report(A, queue.row, queue, 10.0).why


def test_every_state_has_its_sentence() -> None:
    for state in QueueState:
        queue = WorkQueue(A, QueueRow(queued=1), 50.0)
        queue.state = state
        why = reporter().report(A, queue.row, queue, 10.0).why
        assert why.endswith(".") and why[0].isupper()


@pytest.mark.parametrize(
    ("has_answered", "status", "part"),
    [
        (False, -2, "No connection to the host could be made (try 1 of 3); next try in 90 s."),
        (True, 503, "The robots.txt of https://a could not be had: HTTP 503 (try 1 of 5); next try in 90 s."),
    ],
)
def test_a_queue_that_waits_for_robots_txt_says_why_it_could_not_be_had(has_answered: bool, status: int, part: str):
    record = RobotsRecord(
        authority="https://a",
        fetched=1000.0,
        outcome="unreachable",
        status=status,
        tries=1,
        has_answered=has_answered,
        next_try=1090.0,
    )
    row = QueueRow(queued=1, place=Place.SNOOZED, wake=1090.0)
    assert reporter(record).report(A, row, None, 10.0).why == part


def test_why_a_host_could_not_be_connected_to_is_told_while_it_is_tried_and_when_it_is_given_up() -> None:
    why = "127.0.0.1:9: connection refused"
    record = RobotsRecord(
        authority="http://a", fetched=1000.0, outcome="unreachable", status=-2, tries=1, next_try=1090.0, detail=why
    )
    waiting = QueueRow(queued=1, place=Place.SNOOZED, wake=1090.0)
    sentence = f"No connection to the host could be made: {why}"
    assert reporter(record).report(A, waiting, None, 10.0).why == f"{sentence} (try 1 of 3); next try in 90 s."
    given_up = replace(record, outcome="gave_up")
    assert reporter(given_up).report(A, QueueRow(), None, 10.0).why == f"It has no URIs. {sentence}."


def test_a_crawl_that_stands_still_is_the_first_reason():
    waiting = reporter().report(A, QueueRow(queued=1, place=Place.INACTIVE), None, 10.0)
    assert held_up(waiting, "It is paused.").why == "It is paused."
    failing = reporter().report(A, QueueRow(queued=1, place=Place.INACTIVE, wake=1090.0, failures=1), None, 10.0)
    assert held_up(failing, "It is paused.").why.startswith("It is paused. The host could not be reached")
    retired = reporter().report(A, QueueRow(queued=1, is_retired=True), None, 10.0)
    assert held_up(retired, "It is paused.") == retired
