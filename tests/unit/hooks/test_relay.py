"""When calls begin that were given to a relay, and what becomes of those behind one that blocks, dies or is cancelled."""

from __future__ import annotations

import asyncio
import threading

from gossamer.hooks import HookThread
from gossamer.hooks.relay import MOST, Relay


async def quick(name: str, relay: Relay) -> HookThread:
    """A thread whose calls go to the relay, since its last one was quick."""
    thread = HookThread(name, relay)
    for _ in range(1000):
        await thread.call(int)
        if thread.is_quick:
            return thread
    raise AssertionError("no call was quick")


async def test_calls_of_several_threads_all_begin_although_the_first_ones_block() -> None:
    relay, all_begun = Relay(), threading.Barrier(MOST + 2, timeout=60)
    threads = [await quick(f"crawler {number}", relay) for number in range(MOST + 2)]
    calls = [thread.call(all_begun.wait) for thread in threads]
    assert [(await call).error for call in calls] == [None] * len(calls)
    assert all([await thread.end(60.0) for thread in threads])


async def test_a_call_begins_although_the_loop_never_comes_to_rest() -> None:
    relay, has_begun = Relay(), threading.Event()
    thread = await quick("crawler 1", relay)
    loop = asyncio.get_running_loop()

    def work() -> None:
        has_begun.wait(0.0001)
        if not has_begun.is_set():
            loop.call_soon(work)

    work()
    await thread.call(has_begun.set)
    assert await thread.end(60.0)


async def test_a_call_behind_one_that_does_not_come_back_leaves_those_of_other_threads_alone() -> None:
    relay, gate, begun = Relay(), threading.Event(), threading.Event()
    stuck, other = await quick("crawler 1", relay), await quick("crawler 2", relay)

    def block() -> None:
        begun.set()
        gate.wait()

    first = stuck.call(block)
    await asyncio.to_thread(begun.wait)
    behind = stuck.call(int)
    assert (await other.call(lambda: "goes on")).value == "goes on"
    gate.set()
    assert (await first).error is None and (await behind).value == 0
    assert await stuck.end(60.0) and await other.end(60.0)


async def test_a_thread_that_ends_or_is_abandoned_before_its_turn_passes_it_on() -> None:
    relay = Relay()
    ending, abandoned, last = [await quick(f"crawler {number}", relay) for number in range(3)]
    seen: list[str] = []
    calls = ending.call(seen.append, "first"), abandoned.call(seen.append, "never"), last.call(lambda: "goes on")
    calls[1].cancel()
    abandoned.abandon()
    assert await ending.end(60.0)
    assert (await calls[2]).value == "goes on"
    assert await abandoned.end(60.0) and await last.end(60.0)
    assert (await calls[0]).error is None and seen == ["first"]


async def test_a_call_that_is_made_after_a_held_one_was_given_up_does_not_block_those_held_behind_it() -> None:
    relay, gate = Relay(), threading.Event()
    given_up, other = await quick("crawler 1", relay), await quick("crawler 2", relay)
    held = given_up.call(int)
    behind = other.call(lambda: "goes on")
    held.cancel()
    blocking = given_up.call(gate.wait)
    relay.flush()
    outcome = await asyncio.wait_for(behind, 10.0)
    gate.set()
    assert outcome.value == "goes on"
    assert (await blocking).value
    assert await given_up.end(60.0) and await other.end(60.0)
