from __future__ import annotations

import asyncio
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from gossamer.util.tasks import blocking, blocking_in, cancel_and_wait


async def _forever() -> None:
    await asyncio.Event().wait()


# ---- blocking calls


async def test_a_blocking_call_runs_in_another_thread_and_returns() -> None:
    assert await blocking(threading.get_ident) != threading.get_ident()
    assert await blocking(int, "ff", base=16) == 255


async def test_an_exception_of_a_blocking_call_reaches_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        await blocking(divmod, 1, 0)


async def test_context_variables_go_along_into_the_thread() -> None:
    name = contextvars.ContextVar("name", default="nobody")
    name.set("somebody")
    assert await blocking(name.get) == "somebody"


async def test_a_cancelled_caller_waits_until_the_thread_has_let_go() -> None:
    began, release = threading.Event(), threading.Event()
    ended: list[bool] = []

    def work() -> None:
        began.set()
        release.wait()
        ended.append(True)

    with ThreadPoolExecutor(1) as pool:
        caller = asyncio.create_task(blocking_in(pool, work))
        await blocking(began.wait)
        for _ in range(3):
            caller.cancel()
            await asyncio.sleep(0)
        assert not caller.done()
        release.set()
        with pytest.raises(asyncio.CancelledError):
            await caller
    assert ended == [True]


async def test_a_failure_behind_a_cancellation_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    began, release = threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        release.wait()
        raise OSError("disk on fire")

    caller = asyncio.create_task(blocking(work))
    await blocking(began.wait)
    caller.cancel()
    await asyncio.sleep(0)
    release.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert "disk on fire" in caplog.text


async def test_a_call_still_queued_is_waited_for_as_well() -> None:
    release = threading.Event()
    ran: list[str] = []
    with ThreadPoolExecutor(1) as pool:
        first = asyncio.create_task(blocking_in(pool, release.wait))
        second = asyncio.create_task(blocking_in(pool, ran.append, "second"))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.sleep(0)
        release.set()
        with pytest.raises(asyncio.CancelledError):
            await second
        assert ran == ["second"]
        assert await first


# ---- cancel_and_wait


async def test_cancelled_tasks_have_ended_when_it_returns() -> None:
    cleaned: list[int] = []

    async def work(number: int) -> None:
        try:
            await _forever()
        finally:
            for _ in range(number):
                await asyncio.sleep(0)
            cleaned.append(number)

    tasks = [asyncio.create_task(work(number)) for number in range(5)]
    await asyncio.sleep(0)
    await cancel_and_wait(*tasks)
    assert all(task.cancelled() for task in tasks)
    assert cleaned == [0, 1, 2, 3, 4]


async def test_tasks_that_are_done_or_fail_while_cancelled_do_no_harm(caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        try:
            await _forever()
        finally:
            raise ValueError("could not clean up")

    done = asyncio.create_task(asyncio.sleep(0))
    failing = asyncio.create_task(fail(), name="failing")
    await done
    await asyncio.sleep(0)
    await cancel_and_wait(done, failing)
    assert "failing failed while it was cancelled" in caplog.text


async def test_cancelled_itself_it_still_waits_for_all_and_then_says_so() -> None:
    release = asyncio.Event()

    async def stubborn() -> None:
        try:
            await _forever()
        finally:
            await release.wait()

    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    canceller = asyncio.create_task(cancel_and_wait(task))
    await asyncio.sleep(0)
    canceller.cancel()
    await asyncio.sleep(0)
    assert not canceller.done()
    release.set()
    with pytest.raises(asyncio.CancelledError):
        await canceller
    assert task.done()


async def test_nothing_to_cancel_is_fine() -> None:
    await cancel_and_wait()
