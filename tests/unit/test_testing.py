"""The public test kit keeps its own promises."""

from __future__ import annotations

import asyncio

from gossamer.testing import FakeClock, MemoryFrontier, MemoryKV


def test_a_fake_clock_stands_still_until_it_is_turned() -> None:
    clock = FakeClock(monotonic=10.0, wall=1000.0)
    assert (clock.monotonic(), clock.wall()) == (10.0, 1000.0)
    clock.advance(2.5)
    assert (clock.monotonic(), clock.wall()) == (12.5, 1002.5)


def test_calls_are_made_in_order_each_at_its_own_time() -> None:
    clock = FakeClock(monotonic=0.0)
    made: list[tuple[str, float]] = []

    def note(name: str) -> None:
        made.append((name, clock.monotonic()))

    clock.call_at(3.0, lambda: note("late"))
    clock.call_at(1.0, lambda: clock.call_at(2.0, lambda: note("put off twice")))
    clock.call_at(9.0, lambda: note("never"))
    clock.call_at(2.5, lambda: note("called off")).cancel()
    clock.advance(5.0)
    assert made == [("put off twice", 2.0), ("late", 3.0)]
    assert clock.next_call == 9.0


def test_the_wall_clock_can_be_set_apart() -> None:
    clock = FakeClock(monotonic=10.0, wall=1000.0)
    clock.set_wall(50.0)
    clock.advance(1.0)
    assert (clock.monotonic(), clock.wall()) == (11.0, 51.0)


async def test_a_sleeper_wakes_when_the_hands_get_there_and_leaves_nothing_behind_when_cancelled() -> None:
    clock = FakeClock()
    sleeper, cancelled = asyncio.ensure_future(clock.sleep(5)), asyncio.ensure_future(clock.sleep(7))
    await asyncio.sleep(0)
    cancelled.cancel()
    clock.advance(4.9)
    await asyncio.sleep(0)
    assert not sleeper.done()
    clock.advance(0.2)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert sleeper.done()
    assert clock.next_call is None


def test_the_doubles_are_there() -> None:
    assert MemoryFrontier.__doc__ and MemoryKV.__doc__
