from __future__ import annotations

from gossamer.frontier.queue_state import QueueState
from gossamer.frontier.records import QueueRow
from gossamer.frontier.workbench import Workbench
from gossamer.frontier.workqueue import WorkQueue
from gossamer.model.crawluri import ClassKey


def add(bench: Workbench, name: str, rest_until: float = 0.0) -> WorkQueue:
    queue = WorkQueue(ClassKey(name), QueueRow(queued=1), rest_until)
    bench.add(queue)
    return queue


def test_ready_queues_take_turns() -> None:
    bench = Workbench()
    one, two = add(bench, "1"), add(bench, "2")
    for queue in (one, two):
        bench.move(queue, QueueState.READY)
    assert bench.first_ready() is one
    bench.move(one, QueueState.READY)
    assert bench.first_ready() is two


def test_snoozed_queues_come_up_when_they_are_due_and_in_order() -> None:
    bench = Workbench()
    late, early = add(bench, "late", 20.0), add(bench, "early", 10.0)
    for queue in (late, early):
        bench.move(queue, QueueState.SNOOZED)
    assert bench.wakes_at == 10.0
    assert bench.next_due(9.9) is None
    assert bench.next_due(10.0) is early
    bench.move(early, QueueState.READY)
    assert bench.next_due(10.0) is None
    assert bench.wakes_at == 20.0
    assert bench.snoozed == 1


def test_a_rest_that_grew_is_waited_for_and_leaves_no_trail() -> None:
    bench = Workbench()
    queue = add(bench, "1", 10.0)
    bench.move(queue, QueueState.SNOOZED)
    for rest_until in range(11, 1000):
        queue.rest_until = float(rest_until)
        bench.move(queue, QueueState.SNOOZED)
    assert len(bench._heap) == 1
    assert bench.next_due(10.0) is None
    assert bench.wakes_at == 999.0
    assert bench.next_due(999.0) is queue


def test_a_rest_that_shrank_is_not_overslept() -> None:
    bench = Workbench()
    queue = add(bench, "1", 100.0)
    bench.move(queue, QueueState.SNOOZED)
    queue.rest_until = 5.0
    bench.move(queue, QueueState.SNOOZED)
    assert bench.next_due(5.0) is queue
    bench.move(queue, QueueState.READY)
    assert bench.next_due(100.0) is None


def test_a_queue_with_nothing_to_do_leaves_memory() -> None:
    bench = Workbench()
    for state in (QueueState.INACTIVE, QueueState.EXHAUSTED, QueueState.RETIRED):
        queue = add(bench, state.value)
        bench.move(queue, state)
        assert queue.class_key not in bench.queues


def test_a_queue_that_left_is_not_woken_by_what_it_left_behind() -> None:
    bench = Workbench()
    gone = add(bench, "1", 10.0)
    bench.move(gone, QueueState.SNOOZED)
    bench.drop(gone)
    again = add(bench, "1", 30.0)
    bench.move(again, QueueState.SNOOZED)
    assert bench.next_due(20.0) is None
    assert bench.next_due(30.0) is again
    assert bench.snoozed == 1


def test_a_retired_queue_stays_while_something_of_it_is_in_process() -> None:
    bench = Workbench()
    queue = add(bench, "1")
    queue.ghosts = frozenset({b"x"})
    bench.move(queue, QueueState.RETIRED)
    assert bench.queues[queue.class_key] is queue
    queue.ghosts = frozenset()
    bench.move(queue, QueueState.RETIRED)
    assert queue.class_key not in bench.queues
