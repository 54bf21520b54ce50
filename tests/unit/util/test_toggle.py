from __future__ import annotations

import asyncio

from gossamer.util.toggle import Toggle


async def test_waiting_for_where_it_is_returns_at_once() -> None:
    await Toggle(True).wait_on()
    await Toggle(False).wait_off()


async def test_turning_wakes_everybody_who_waits_for_that_side() -> None:
    toggle = Toggle()
    woken: list[str] = []

    async def wait(name: str) -> None:
        await toggle.wait_on()
        woken.append(name)

    async with asyncio.TaskGroup() as group:
        for name in "abc":
            group.create_task(wait(name))
        await asyncio.sleep(0)
        assert woken == []
        toggle.turn_on()
    assert sorted(woken) == ["a", "b", "c"]


async def test_it_can_be_awaited_both_ways_again_and_again() -> None:
    toggle = Toggle()
    seen: list[bool] = []

    async def watch() -> None:
        for _ in range(3):
            await toggle.wait_on()
            seen.append(toggle.is_on)
            await toggle.wait_off()
            seen.append(toggle.is_on)

    watcher = asyncio.create_task(watch())
    for is_on in [True, False] * 3:
        toggle.turn(is_on)
        for _ in range(3):
            await asyncio.sleep(0)
    await watcher
    assert seen == [True, False] * 3


async def test_a_waiter_woken_too_late_waits_on() -> None:
    toggle = Toggle()
    waiter = asyncio.create_task(toggle.wait_on())
    await asyncio.sleep(0)
    toggle.turn_on()
    toggle.turn_off()
    for _ in range(3):
        await asyncio.sleep(0)
    assert not waiter.done()
    toggle.turn_on()
    await waiter


def test_exactly_one_side_is_true() -> None:
    toggle = Toggle()
    for turn in (toggle.turn_on, toggle.turn_on, toggle.turn_off, toggle.turn_off):
        turn()
        assert toggle.is_on is not toggle.is_off
    assert repr(toggle) == "Toggle(off)"
