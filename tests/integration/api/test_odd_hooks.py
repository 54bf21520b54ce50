"""Hooks that cancel themselves, interrupt, or throw what is no Exception: the crawl outlives them, or ends in order."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer import CrawlConfig, CrawlController, ExitStatus, HookFailed, Page, WebCrawler
from gossamer.hooks import loopcall

Eager = Callable[..., CrawlConfig]
HOOKS = ("on_start", "visit", "on_fetch_failed", "on_finish")


class OwnKind(BaseException):
    """No Exception, like what pytest.fail raises."""


async def cancel_and_await() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


async def cancel_and_return() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()


async def give_up() -> None:
    raise GeneratorExit


async def throw_own_kind() -> None:
    await asyncio.sleep(0)
    raise OwnKind


async def exit_() -> None:
    raise SystemExit(3)


class Crawled:
    """A crawl whose hook of this name does something odd at every call."""

    def __init__(self, site: Any, config: CrawlConfig, hook: str, odd: Callable[[], Any]) -> None:
        site.page("/", "/a", "/missing")
        site.page("/a")
        self.failed: list[HookFailed] = []
        self.controller = CrawlController(config)
        self.controller.add_seed(site("/"))
        self.controller.subscribe(HookFailed, self.failed.append)

        async def call_async(*_: object) -> None:
            await odd()

        def call(*_: object) -> None:
            odd()

        is_async = asyncio.iscoroutinefunction(odd)
        self.crawler = type("Odd", (WebCrawler,), {hook: call_async if is_async else call})

    def run(self) -> gossamer.CrawlOutcome:
        return self.controller.start(self.crawler)


def raising(error: type[BaseException]) -> Callable[[], None]:
    def raise_() -> None:
        raise error

    return raise_


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("odd", [cancel_and_await, cancel_and_return, give_up, throw_own_kind, exit_])
def test_whatever_an_async_hook_does_to_its_task_is_a_failure_of_that_hook(
    site, eager: Eager, hook: str, odd: Callable[[], Coroutine[Any, Any, None]]
) -> None:
    crawl = Crawled(site, eager(toes=2), hook, odd)
    outcome = crawl.run()
    assert {event.hook for event in crawl.failed} == {hook}
    if hook == "on_start":
        assert outcome.exit_status is ExitStatus.FAILED
        return
    assert outcome.exit_status is ExitStatus.FINISHED
    assert outcome.progress.counts.pages == 2
    assert sorted(site.asked) == ["/", "/a", "/missing", "/robots.txt"]


def test_a_page_whose_hook_cancelled_itself_is_annotated_and_comes_no_more(site, eager: Eager, tmp_path: Path) -> None:
    Crawled(site, eager(folder=tmp_path / "job"), "visit", cancel_and_await).run()
    lines = (tmp_path / "job" / "logs" / "crawl.log").read_text().splitlines()
    assert len([line for line in lines if line.endswith("visitErr=CancelledError")]) == 2
    assert len(lines) == 4


def test_with_halt_on_error_a_hook_that_cancels_itself_ends_the_crawl(site, eager: Eager) -> None:
    outcome = Crawled(site, eager(halt_on_error=True), "visit", cancel_and_await).run()
    assert outcome.exit_status is ExitStatus.FAILED
    assert "visit failed" in outcome.reason


def test_a_should_visit_that_cancels_the_task_it_runs_in_is_a_failed_hook(site, eager: Eager) -> None:
    def cancel() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()

    crawl = Crawled(site, eager(toes=1), "should_visit", cancel)
    outcome = crawl.run()
    assert outcome.exit_status is ExitStatus.FINISHED
    assert [(event.hook, type(event.error)) for event in crawl.failed] == [("should_visit", asyncio.CancelledError)]
    assert sorted(site.asked) == ["/", "/robots.txt"]


def test_a_task_that_a_hook_keeps_and_cancels_later_is_not_the_toe(site, eager: Eager) -> None:
    site.pages(10)
    kept: list[asyncio.Task[Any]] = []

    class Keeping(WebCrawler):
        async def visit(self, page: Page) -> None:
            for task in kept:
                task.cancel()
            task = asyncio.current_task()
            assert task is not None
            kept.append(task)

    controller = CrawlController(eager())
    controller.add_seed(site("/"))
    assert controller.start(Keeping).progress.counts.pages == 11
    assert controller.progress is not None
    assert controller.progress.statistics.hook_errors == {}


async def test_in_the_callers_loop_a_hook_that_cancels_its_task_cancels_nothing_else(site, eager: Eager) -> None:
    crawl = Crawled(site, eager(), "visit", cancel_and_await)
    outcome = await crawl.controller.run(crawl.crawler)
    assert outcome.exit_status is ExitStatus.FINISHED
    assert outcome.progress.counts.pages == 2


def test_a_hook_that_swallows_its_cancellation_hangs_neither_the_crawl_nor_its_end(
    site, eager: Eager, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(loopcall, "CUT_OFF_SECONDS", 0.05)
    monkeypatch.setattr("gossamer.api.loopthread.LEFT_TASKS_SECONDS", 0.05)
    site.page("/", "/a")
    site.page("/a")

    async def visit(page: Page) -> None:
        while page.url == site("/"):
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(60)

    outcome = gossamer.crawl(site("/"), visit=visit, config=eager(hooks=gossamer.Hooks(max_time=0.1)))
    assert outcome.exit_status is ExitStatus.FINISHED
    assert outcome.progress.counts.pages == 2
    assert "although it was cancelled" in caplog.text


# ---- KeyboardInterrupt


async def interrupt_in_the_loop() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("hook", "odd"),
    [
        *((hook, raising(KeyboardInterrupt)) for hook in (*HOOKS, "should_visit")),
        *((hook, interrupt_in_the_loop) for hook in HOOKS),
    ],
)
def test_a_hook_that_raises_keyboard_interrupt_ends_the_crawl_as_ctrl_c_does(
    site, eager: Eager, hook: str, odd: Callable[[], Any], tmp_path: Path
) -> None:
    crawl = Crawled(site, eager(toes=1, folder=tmp_path / "job"), hook, odd)
    with pytest.raises(KeyboardInterrupt):
        crawl.run()
    assert crawl.controller.outcome is not None
    is_over = hook == "on_finish"
    assert crawl.controller.outcome.exit_status is (ExitStatus.FINISHED if is_over else ExitStatus.ABORTED)
    if is_over:
        return
    visited: list[str] = []
    failed: list[str] = []
    again = gossamer.crawl(
        visit=lambda page: visited.append(page.url),
        on_fetch_failed=lambda url, failure: failed.append(url),
        config=eager(folder=tmp_path / "job"),
    )
    assert again.exit_status is ExitStatus.FINISHED
    assert sorted(visited) == ([] if hook == "on_fetch_failed" else [site("/"), site("/a")])
    assert failed == [site("/missing")]


@pytest.mark.parametrize("thrown", [SystemExit, KeyboardInterrupt])
def test_what_a_task_of_a_hooks_own_throws_through_the_loop_ends_the_crawl_in_order_and_is_raised(
    site, eager: Eager, thrown: type[BaseException], tmp_path: Path
) -> None:
    site.pages(20)
    tasks: list[asyncio.Task[None]] = []

    async def throw() -> None:
        raise thrown

    async def visit(page: Page) -> None:
        if page.url == site("/3"):
            tasks.append(asyncio.create_task(throw()))
        await asyncio.sleep(0.01)

    with pytest.raises(thrown):
        gossamer.crawl(site("/"), visit=visit, config=eager(folder=tmp_path / "job", toes=1))
    assert "ABORTED" in (tmp_path / "job" / "reports" / "launches.jsonl").read_text()
    again = gossamer.crawl(config=eager(folder=tmp_path / "job"))
    assert again.exit_status is ExitStatus.FINISHED
    assert again.progress.counts.pages == 21
    assert isinstance(tasks[0].exception(), thrown)


def test_a_cancelled_hook_may_clean_up_before_the_crawl_ends(site, eager: Eager) -> None:
    site.page("/")
    begun = threading.Event()
    cleaned: list[str] = []

    class Slow(WebCrawler):
        async def visit(self, page: Page) -> None:
            begun.set()
            try:
                await asyncio.sleep(60)
            finally:
                await asyncio.sleep(0.01)
                cleaned.append(page.url)

    controller = CrawlController(eager())
    controller.add_seed(site("/"))
    controller.start(Slow, blocking=False)
    begun.wait()
    controller.shutdown()
    controller.shutdown()
    controller.wait()
    assert cleaned == [site("/")]
    assert controller.counts.queued == 1


def test_a_hook_that_stops_the_loop_stops_nothing(site, eager: Eager, caplog: pytest.LogCaptureFixture) -> None:
    site.pages(3)

    async def visit(page: Page) -> None:
        asyncio.get_running_loop().stop()

    outcome = gossamer.crawl(site("/"), visit=visit, config=eager())
    assert outcome.exit_status is ExitStatus.FINISHED
    assert outcome.progress.counts.pages == 4
    assert "stopped the loop" in caplog.text


def test_a_hook_that_cancels_every_task_it_finds_leaves_everything_closed(site, eager: Eager, tmp_path: Path) -> None:
    site.pages(3)

    async def visit(page: Page) -> None:
        for task in asyncio.all_tasks():
            task.cancel()

    with pytest.raises(gossamer.StateError, match="cancelled; the next one in its folder goes on"):
        gossamer.crawl(site("/"), visit=visit, config=eager(folder=tmp_path / "job"))
    again = gossamer.crawl(config=eager(folder=tmp_path / "job"))
    assert again.progress.counts.pages == 4


def test_an_exception_whose_text_cannot_be_told_halts_the_crawl_like_any_other(site, eager: Eager) -> None:
    class Untold(Exception):
        def __str__(self) -> str:
            raise KeyError

    outcome = Crawled(site, eager(halt_on_error=True), "visit", raising(Untold)).run()
    assert outcome.exit_status is ExitStatus.FAILED
    assert "Untold: (its text cannot be told: KeyError)" in outcome.reason


@pytest.mark.parametrize("odd", [cancel_and_await, cancel_and_return, give_up])
def test_a_resolver_that_does_odd_things_costs_its_uris_their_tries_and_no_more(
    site, eager: Eager, odd: Callable[[], Coroutine[Any, Any, None]]
) -> None:
    class Odd:
        async def resolve(self, host: str) -> Any:
            await odd()

        async def close(self) -> None:
            raise AssertionError

    controller = CrawlController(eager(), resolver=Odd())
    controller.add_seed(f"http://somewhere.test:{site.root.rpartition(':')[2]}/")
    outcome = controller.start(WebCrawler)
    assert outcome.exit_status is ExitStatus.FINISHED
    assert outcome.progress.counts.failed == 1


def test_a_second_crawl_of_this_program_in_the_same_folder_is_told_who_is_there(
    site, eager: Eager, tmp_path: Path
) -> None:
    site.page("/")
    told: list[str] = []

    class Second(WebCrawler):
        def visit(self, page: Page) -> None:
            with pytest.raises(gossamer.JobInUse, match="another crawl of this program") as refused:
                gossamer.crawl(site("/"), config=eager(folder=tmp_path / "job"))
            told.append(str(refused.value))

    gossamer.crawl(site("/"), visit=Second().visit, config=eager(folder=tmp_path / "job"))
    assert len(told) == 1


@pytest.mark.parametrize("order", ["wait", "close"])
def test_on_finish_is_inside_the_crawl_like_every_hook_and_cannot_wait_for_its_end(
    site, eager: Eager, order: str
) -> None:
    class Impatient(WebCrawler):
        def on_finish(self) -> None:
            getattr(controller, order)()

    site.page("/")
    controller = CrawlController(eager(toes=2))
    controller.add_seed(site("/"))
    failed: list[HookFailed] = []
    controller.subscribe(HookFailed, failed.append)
    assert controller.start(Impatient).exit_status is ExitStatus.FINISHED
    expected = ["a crawl cannot be waited for from inside; its hooks must return for it to end"] * 2
    assert [str(event.error) for event in failed] == (expected if order == "wait" else [])
