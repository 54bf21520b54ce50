"""Parts of a crew's life that a whole crawl does not show by itself."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, cast

import pytest

from gossamer.config import Hooks
from gossamer.hooks import CrawlCommands, CrawlerSource, Crew, GivenBack, Recruits, WebCrawler
from gossamer.model.events import HookFailed
from gossamer.util.bus import EventBus
from gossamer.util.clock import SystemClock

NOBODY = cast(CrawlCommands, None)


class Life:
    """A crew and what it published."""

    def __init__(self, source: CrawlerSource, **settings: Any) -> None:
        self.bus = EventBus()
        self.failed: list[HookFailed] = []
        self.bus.subscribe(HookFailed, self.failed.append)
        self.crew = Crew(Recruits(source, NOBODY), Hooks(**settings), self.bus, SystemClock())

    @property
    def told(self) -> list[tuple[str, str]]:
        return [(event.hook, type(event.error).__name__) for event in self.failed]


async def test_a_visit_waits_for_on_start_and_a_second_toe_of_the_same_number_changes_nothing() -> None:
    order: list[str] = []

    class Slow(WebCrawler):
        async def on_start(self) -> None:
            await asyncio.sleep(0.01)
            order.append("started")

        async def visit(self, page: object) -> None:
            order.append("visited")

    life = Life(Slow)
    life.crew.enlist(1)
    life.crew.enlist(1)
    assert await life.crew.call(1, "visit", "u", None) is None
    assert order == ["started", "visited"]
    await life.crew.close(1.0)
    assert len(life.crew.local_data) == 1


async def test_without_a_crawler_or_with_one_that_did_not_start_nothing_is_done_with() -> None:
    class Unready(WebCrawler):
        def on_start(self) -> None:
            raise OSError

        def visit(self, page: object) -> None:
            raise AssertionError

        def on_finish(self) -> None:
            raise AssertionError

    life = Life(Unready)
    life.crew.enlist(1)
    assert isinstance(await life.crew.call(1, "visit", "u", None), GivenBack)
    assert isinstance(await life.crew.call(2, "visit", "u", None), GivenBack)
    await life.crew.close(1.0)
    assert life.told == [("on_start", "OSError")]


async def test_a_cancelled_toe_leaves_its_crawler_to_the_next_one_which_waits_for_the_thread() -> None:
    gate, begun = threading.Event(), threading.Event()
    seen: list[str] = []

    class Blocking(WebCrawler):
        def visit(self, page: str) -> None:
            begun.set()
            gate.wait()
            seen.append(page)

    life = Life(Blocking)
    life.crew.enlist(1)
    toe = asyncio.create_task(life.crew.call(1, "visit", "u", "first"))
    await asyncio.to_thread(begun.wait)
    toe.cancel()
    await asyncio.wait({toe})
    assert toe.cancelled()
    life.crew.enlist(1)
    again = asyncio.create_task(life.crew.call(1, "visit", "u", "second"))
    await asyncio.sleep(0)
    gate.set()
    assert await again is None
    assert seen == ["first", "second"]
    await life.crew.close(1.0)
    assert life.failed == [] and len(life.crew.local_data) == 1


async def test_closing_is_not_held_up_by_a_visit_or_an_on_finish_that_never_ends() -> None:
    gate, begun = threading.Event(), threading.Event()

    class Stuck(WebCrawler):
        def on_start(self) -> None:
            self.local_data = self.id

        def visit(self, page: object) -> None:
            begun.set()
            gate.wait()

        def on_finish(self) -> None:
            gate.wait()

    life = Life(Stuck)
    for number in (1, 2):
        life.crew.enlist(number)
    toe = asyncio.create_task(life.crew.call(1, "visit", "u", None))
    await asyncio.to_thread(begun.wait)
    toe.cancel()
    await asyncio.wait({toe})
    await life.crew.close(0.05)
    assert life.told == [("on_finish", "TurnNeverCame"), ("on_finish", "HookStuck")]
    assert [one.name for one in life.crew.abandoned] == ["crawler 1", "crawler 2"]
    assert life.crew.local_data == [1, 2]
    await life.crew.close(0.05)
    threads = [one.thread for one in life.crew.abandoned]
    gate.set()
    for thread in threads:
        assert await thread.end(5.0)
    assert life.crew.abandoned == []


async def test_an_end_that_is_wanted_at_once_waits_for_stuck_hooks_no_longer_than_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gossamer.hooks.crew.HURRY_SECONDS", 0.05)
    gate, hurry = threading.Event(), asyncio.Event()

    class Stuck(WebCrawler):
        def on_finish(self) -> None:
            asyncio_loop.call_soon_threadsafe(hurry.set)
            gate.wait()

    class StuckInTheLoop(WebCrawler):
        async def on_finish(self) -> None:
            await asyncio.Event().wait()

    asyncio_loop = asyncio.get_running_loop()
    made = iter((Stuck(), StuckInTheLoop()))
    life = Life(lambda: next(made))
    for number in (1, 2):
        life.crew.enlist(number)
    await life.crew.close(3600.0, hurry)
    (abandoned,) = life.crew.abandoned
    assert abandoned.name == "crawler 1"
    gate.set()
    assert await abandoned.thread.end(5.0)


async def test_a_page_whose_turn_never_came_is_given_back_and_goes_to_a_fresh_crawler() -> None:
    gate, begun = threading.Event(), threading.Event()
    seen: list[str] = []

    class Blocking(WebCrawler):
        def visit(self, page: str) -> None:
            seen.append(page)
            if page == "first":
                begun.set()
                gate.wait()

    life = Life(Blocking, max_time=0.1)
    life.crew.enlist(1)
    toe = asyncio.create_task(life.crew.call(1, "visit", "u", "first"))
    await asyncio.to_thread(begun.wait)
    toe.cancel()
    await asyncio.wait({toe})
    assert isinstance(await life.crew.call(1, "visit", "u", "second"), GivenBack)
    assert await life.crew.call(1, "visit", "u", "second") is None
    assert seen == ["first", "second"]
    (abandoned,) = life.crew.abandoned
    gate.set()
    assert await abandoned.thread.end(5.0)
    assert (life.failed, life.crew.replaced) == ([], 1)
    await life.crew.close(1.0)


async def test_what_a_hook_itself_had_cancelled_is_its_own_failure() -> None:
    class Odd(WebCrawler):
        async def visit(self, page: object) -> None:
            task = asyncio.create_task(asyncio.sleep(60))
            task.cancel()
            await task

        async def on_fetch_failed(self, url: object, failure: object) -> None:
            async with asyncio.timeout(0):
                await asyncio.sleep(60)

    life = Life(Odd)
    life.crew.enlist(1)
    assert isinstance(await life.crew.call(1, "visit", "u", None), asyncio.CancelledError)
    assert isinstance(await life.crew.call(1, "on_fetch_failed", "u", None, None), TimeoutError)
    assert life.told == [("visit", "CancelledError"), ("on_fetch_failed", "TimeoutError")]
    await life.crew.close(1.0)


async def test_a_page_that_is_given_back_is_no_failure() -> None:
    class Later(WebCrawler):
        async def visit(self, page: object) -> None:
            raise GivenBack

    life = Life(Later)
    life.crew.enlist(1)
    assert isinstance(await life.crew.call(1, "visit", "u", None), GivenBack)
    assert life.failed == []


async def test_a_crawler_without_hooks_makes_no_thread() -> None:
    before = threading.active_count()
    life = Life(WebCrawler)
    life.crew.enlist(1)
    assert await life.crew.call(1, "visit", "u", None) is None
    assert threading.active_count() == before
    await life.crew.close(1.0)


async def test_a_factory_that_gives_the_same_one_again_shares_it(caplog: pytest.LogCaptureFixture) -> None:
    begun: list[int] = []

    class One(WebCrawler):
        async def on_start(self) -> None:
            begun.append(1)

        async def on_finish(self) -> None:
            begun.append(2)

    one = One()
    life = Life(lambda: one)
    for number in (1, 2, 3):
        life.crew.enlist(number)
        assert await life.crew.call(number, "visit", "u", None) is None
    await life.crew.close(1.0)
    assert begun == [1, 2]
    assert life.crew.local_data == [None]
