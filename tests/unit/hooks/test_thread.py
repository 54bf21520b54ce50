from __future__ import annotations

import asyncio
import logging
import threading

import pytest

from gossamer.hooks import HookThread


async def test_calls_run_one_after_the_other_in_one_daemon_thread_that_begins_with_the_first() -> None:
    thread = HookThread("crawler 7")
    assert not thread.is_alive
    seen: list[tuple[int, str, bool]] = []

    def note(number: int) -> int:
        current = threading.current_thread()
        assert thread.is_current
        seen.append((number, current.name, current.daemon))
        return number * 2

    outcomes = await asyncio.gather(*(thread.call(note, number) for number in range(5)))
    assert [outcome.value for outcome in outcomes] == [0, 2, 4, 6, 8]
    assert seen == [(number, "crawler 7", True) for number in range(5)]
    assert not thread.is_current and thread.is_alive
    assert await thread.end(1.0)
    assert not thread.is_alive


@pytest.mark.parametrize("error", [ValueError("x"), StopIteration(), SystemExit(3), KeyboardInterrupt()])
async def test_whatever_is_raised_comes_back_as_a_value(error: BaseException) -> None:
    thread = HookThread("crawler 1")

    def fail() -> None:
        raise error

    assert (await thread.call(fail)).error is error
    assert (await thread.call(lambda: "goes on")).value == "goes on"
    assert await thread.end(1.0)


async def test_a_call_nobody_waits_for_any_more_is_told_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    thread = HookThread("crawler 1")
    gate, begun = threading.Event(), threading.Event()

    def fail() -> None:
        begun.set()
        gate.wait()
        raise ValueError("late")

    future = thread.call(fail)
    await asyncio.to_thread(begun.wait)
    future.cancel()
    gate.set()
    assert (await thread.call(lambda: 1)).value == 1
    assert any("failed after nobody waited" in record.message for record in caplog.records)
    await thread.end(1.0)


async def test_a_thread_that_does_not_come_back_is_not_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    thread = HookThread("crawler 1")
    gate, begun = threading.Event(), threading.Event()

    def stuck() -> None:
        begun.set()
        gate.wait()

    future = thread.call(stuck)
    never: list[int] = []
    behind = thread.call(never.append, 1)
    await asyncio.to_thread(begun.wait)
    assert thread.is_busy
    assert not await thread.end(0.01)
    thread.abandon()
    future.cancel()
    behind.cancel()
    gate.set()
    assert await thread.end(5.0)
    assert never == []
    await asyncio.sleep(0)
    assert any("came back after it had been abandoned" in record.message for record in caplog.records)


async def test_ending_a_thread_that_was_never_called_is_nothing() -> None:
    thread = HookThread("crawler 1")
    assert await thread.end(1.0) and await thread.end(1.0)
