from __future__ import annotations

import logging
import threading
from dataclasses import dataclass

import pytest

from gossamer.util.bus import EventBus
from gossamer.util.delivery import Delivery


@dataclass(frozen=True)
class Rang:
    number: int


@dataclass(frozen=True)
class Knocked:
    number: int


class Hall:
    """A subscriber that stands still until it is let go."""

    def __init__(self) -> None:
        self.heard: list[int] = []
        self.entered, self.may_go = threading.Event(), threading.Event()

    def __call__(self, event: Rang) -> None:
        self.entered.set()
        assert self.may_go.wait(30)
        self.heard.append(event.number)


# ---- subscribers of our own


def test_every_subscriber_hears_each_event_of_its_type_once_in_order() -> None:
    bus = EventBus()
    first: list[Rang] = []
    second: list[Rang] = []
    bus.subscribe(Rang, first.append)
    unsubscribe = bus.subscribe(Rang, second.append)
    for number in range(3):
        bus.publish(Rang(number))
        bus.publish(Knocked(number))
    unsubscribe()
    unsubscribe()
    bus.publish(Rang(3))
    assert (first, second) == ([Rang(n) for n in range(4)], [Rang(n) for n in range(3)])


def test_one_that_raises_is_counted_and_logged_and_the_others_hear(caplog: pytest.LogCaptureFixture) -> None:
    bus = EventBus()
    heard: list[Rang] = []

    def fail(event: Rang) -> None:
        raise ZeroDivisionError

    bus.subscribe(Rang, fail)
    bus.subscribe(Rang, heard.append)
    bus.publish(Rang(1))
    assert heard == [Rang(1)]
    assert bus.errors == 1
    assert "a subscriber to Rang failed" in caplog.text


def test_what_a_subscriber_publishes_comes_after_what_it_was_called_for() -> None:
    bus = EventBus()
    heard: list[object] = []
    bus.subscribe(Rang, lambda event: bus.publish(Knocked(event.number)))
    bus.subscribe(Rang, heard.append)
    bus.subscribe(Knocked, heard.append)
    bus.publish(Rang(1))
    bus.publish(Rang(2))
    assert heard == [Rang(1), Knocked(1), Rang(2), Knocked(2)]


# ---- anybody's


async def test_a_delivery_brings_events_in_order_in_one_thread_that_is_not_the_publishers() -> None:
    bus = EventBus()
    heard: list[tuple[int, int]] = []
    bus.deliver(Rang, lambda event: heard.append((event.number, threading.get_ident())))
    for number in range(1000):
        bus.publish(Rang(number))
    bus.end()
    await bus.wait_ended(30, 30)
    assert [number for number, _ in heard] == list(range(1000))
    (thread,) = {ident for _, ident in heard}
    assert thread != threading.get_ident()
    assert (bus.errors, bus.dropped) == (0, 0)


async def test_one_that_blocks_holds_up_neither_the_publisher_nor_the_others() -> None:
    bus, hall = EventBus(), Hall()
    heard: list[int] = []
    bus.deliver(Rang, hall)
    bus.deliver(Rang, lambda event: heard.append(event.number))
    for number in range(100):
        bus.publish(Rang(number))
    assert hall.entered.wait(30)
    hall.may_go.set()
    bus.end()
    await bus.wait_ended(30, 30)
    assert hall.heard == heard == list(range(100))


async def test_whatever_one_raises_is_counted_and_the_next_event_comes(caplog: pytest.LogCaptureFixture) -> None:
    bus = EventBus()
    heard: list[int] = []

    def fail(event: Rang) -> None:
        heard.append(event.number)
        raise SystemExit if event.number == 0 else ZeroDivisionError

    bus.deliver(Rang, fail)
    bus.publish(Rang(0))
    bus.publish(Rang(1))
    bus.publish(Rang(2))
    bus.end()
    await bus.wait_ended(30, 30)
    assert heard == [0, 1, 2]
    assert bus.errors == 3
    assert caplog.text.count("a subscriber to Rang failed") == 3


async def test_what_does_not_fit_is_dropped_counted_and_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    bus, hall = EventBus(), Hall()
    bus.deliver(Rang, hall, at_most=3)
    bus.publish(Rang(0))
    assert hall.entered.wait(30)
    for number in range(1, 10):
        bus.publish(Rang(number))
    hall.may_go.set()
    bus.end()
    await bus.wait_ended(30, 30)
    assert hall.heard == [0, 1, 2, 3]
    assert bus.dropped == 6
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


async def test_an_ended_subscription_hears_what_was_published_before_and_leaves_its_counts() -> None:
    bus, hall = EventBus(), Hall()
    end = bus.deliver(Rang, hall, at_most=1)
    for number in range(3):
        bus.publish(Rang(number))
        assert hall.entered.wait(30)
    end()
    end()
    bus.publish(Rang(3))
    hall.may_go.set()
    bus.end()
    await bus.wait_ended(30, 30)
    assert hall.heard == [0, 1]
    bus.deliver(Rang, hall)
    assert bus.dropped == 1


def test_a_subscription_that_never_hears_anything_has_no_thread() -> None:
    bus = EventBus()
    before = threading.active_count()
    bus.deliver(Rang, lambda event: None)
    bus.publish(Knocked(1))
    assert threading.active_count() == before
    bus.end()


async def test_one_that_is_stuck_is_abandoned_named_and_brought_nothing_more(caplog: pytest.LogCaptureFixture) -> None:
    bus, hall = EventBus(), Hall()
    bus.deliver(Rang, hall)
    for number in range(5):
        bus.publish(Rang(number))
    assert hall.entered.wait(30)
    bus.end()
    await bus.wait_ended(0.0, 30)
    assert "a subscriber to Rang does not come to an end and was abandoned, 4 events were left" in caplog.text
    assert bus.dropped == 4
    (thread,) = [one for one in threading.enumerate() if one.name == "subscriber to Rang"]
    assert thread.daemon
    hall.may_go.set()
    thread.join(30)
    assert hall.heard == [0]


def test_one_that_is_slow_but_moves_is_waited_for_up_to_the_end_of_all_patience() -> None:
    steps = threading.Semaphore(0)
    delivery = Delivery(lambda event: steps.acquire(), "Rang")
    for number in range(3):
        delivery.put(Rang(number))
    delivery.end()
    assert not delivery.is_done
    steps.release(3)
    assert delivery.wait_done(30, float("inf"))
    assert delivery.is_done
