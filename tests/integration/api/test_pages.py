"""`pages()`: a crawl as a loop over its pages, in the caller's own event loop."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvloop

import gossamer
from gossamer import ConfigError, CrawlConfig, CrawlFailed

Eager = Callable[..., CrawlConfig]
Runs = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture(params=[None, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def runs(request: pytest.FixtureRequest) -> Iterator[Runs]:
    """Runs a program to its end in a fresh loop, and checks that it left no thread."""
    before = set(threading.enumerate())

    def run(main: Coroutine[Any, Any, Any]) -> Any:
        with asyncio.Runner(loop_factory=request.param) as runner:
            return runner.run(main)

    yield run
    left = [thread.name for thread in threading.enumerate() if thread not in before]
    assert [name for name in left if "process_request" not in name] == []  # those are the site's


async def others_gone() -> None:
    """Return when no other task is left."""
    while len(asyncio.all_tasks()) > 1:
        await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})  # type: ignore[arg-type]


def test_every_page_comes_once(site, eager: Eager, runs: Runs) -> None:
    site.pages(20)

    async def main() -> list[str]:
        urls = [page.url async for page in gossamer.pages(site("/"), config=eager())]
        await others_gone()
        return urls

    assert sorted(runs(main())) == sorted([site("/"), *(site(f"/{number}") for number in range(20))])


def test_settings_may_be_flat_and_links_may_be_refused(site, runs: Runs) -> None:
    site.pages(3)
    site.page("/2", "/deeper")

    async def main() -> list[str]:
        found = gossamer.pages(
            site("/"), max_depth=1, delay=0, toes=2, should_visit=lambda page, url: not url.endswith("/1")
        )
        return [page.url async for page in found]

    assert sorted(runs(main())) == [site("/"), site("/0"), site("/2")]


def test_a_slow_loop_slows_the_crawl(site, eager: Eager, runs: Runs) -> None:
    """Backpressure: no more pages are fetched than there are toes to hold them."""
    site.pages(40)
    ahead: list[int] = []

    async def main() -> None:
        taken = 0
        async for _ in gossamer.pages(site("/"), config=eager(toes=4)):
            taken += 1
            if taken % 10 == 0:
                await asyncio.sleep(0.2)  # time enough to fetch all of them
            ahead.append(len(site.asked) - 1 - taken)

    runs(main())
    assert len(ahead) == 41
    assert max(ahead) <= 4


def test_a_loop_left_by_break_ends_the_crawl(site, eager: Eager, runs: Runs) -> None:
    site.pages(40)

    async def main() -> None:
        async for _ in gossamer.pages(site("/"), config=eager()):
            break
        await others_gone()

    runs(main())
    assert len(site.asked) < 20


def test_a_program_that_ends_right_after_a_break_is_clean_too(site, eager: Eager, runs: Runs) -> None:
    site.pages(40)

    async def main() -> None:
        async for _ in gossamer.pages(site("/"), config=eager()):
            break

    runs(main())


def test_aclosing_closes_there_and_then(site, eager: Eager, runs: Runs) -> None:
    site.pages(40)

    async def main() -> int:
        async with contextlib.aclosing(gossamer.pages(site("/"), config=eager())) as found:
            async for _ in found:
                break
        return len(asyncio.all_tasks())

    assert runs(main()) == 1


def test_an_exception_in_the_body_ends_the_crawl_and_comes_through(site, eager: Eager, runs: Runs) -> None:
    site.pages(40)

    async def main() -> None:
        async for _ in gossamer.pages(site("/"), config=eager()):
            raise KeyError("body")

    with pytest.raises(KeyError, match="body"):
        runs(main())


@pytest.mark.parametrize("is_waited_for", [True, False])
def test_cancellation_ends_the_crawl(site, eager: Eager, runs: Runs, is_waited_for: bool) -> None:
    site.pages(40)

    async def main() -> None:
        got_one = asyncio.Event()

        async def eat() -> None:
            async with contextlib.aclosing(gossamer.pages(site("/"), config=eager())) as found:
                async for _ in found:
                    got_one.set()
                    await asyncio.sleep(60)

        task = asyncio.create_task(eat())
        await got_one.wait()
        task.cancel()
        if is_waited_for:
            with pytest.raises(asyncio.CancelledError):
                await task
            assert len(asyncio.all_tasks()) == 1

    runs(main())


def test_cancellation_while_it_waits_for_a_page_ends_the_crawl(site, eager: Eager, runs: Runs) -> None:
    gate, asked = threading.Event(), threading.Event()

    def slow() -> tuple[int, dict[str, str], bytes]:
        asked.set()
        gate.wait()
        return 200, {}, b"late"

    site.answers["/"] = slow

    async def main() -> None:
        async def eat() -> None:
            async for _ in gossamer.pages(site("/"), config=eager()):
                pass

        task = asyncio.create_task(eat())
        await asyncio.to_thread(asked.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(asyncio.all_tasks()) == 1

    try:
        runs(main())
    finally:
        gate.set()


def test_what_was_not_taken_comes_when_the_folder_is_gone_on_with(
    site, eager: Eager, runs: Runs, tmp_path: Path
) -> None:
    site.pages(10)

    async def main() -> list[str]:
        first = []
        async with contextlib.aclosing(gossamer.pages(site("/"), config=eager(folder=tmp_path / "job"))) as found:
            async for page in found:
                first.append(page.url)
                if len(first) == 4:
                    break
        rest = [page.url async for page in gossamer.pages(config=eager(folder=tmp_path / "job"))]
        return first + rest

    assert sorted(runs(main())) == sorted([site("/"), *(site(f"/{number}") for number in range(10))])


def test_two_loops_over_pages_run_beside_each_other(site, eager: Eager, runs: Runs) -> None:
    site.pages(10)

    async def main() -> list[int]:
        async def count() -> int:
            return len([page async for page in gossamer.pages(site("/"), config=eager())])

        return await asyncio.gather(count(), count())

    assert runs(main()) == [11, 11]


def test_what_keeps_the_crawl_from_beginning_is_raised_at_the_first_page(
    eager: Eager, runs: Runs, tmp_path: Path
) -> None:
    async def main(*seeds: str, **settings: Any) -> None:
        async for _ in gossamer.pages(*seeds, **settings):
            pass

    with pytest.raises(ConfigError, match="ftp"):
        runs(main("ftp://example.org/"))
    with pytest.raises(ConfigError, match="no seed"):
        runs(main())
    with pytest.raises(ConfigError, match="max_page"):
        runs(main("http://127.0.0.1:1/", max_page=1))
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="not a folder"):
        runs(main("http://127.0.0.1:1/", config=eager(folder=tmp_path / "file")))


def test_a_crawl_that_fails_ends_the_loop_with_its_reason(site, eager: Eager, runs: Runs) -> None:
    site.pages(3)

    def fail(*_: object) -> bool:
        raise ValueError("no idea")

    async def main() -> None:
        async for _ in gossamer.pages(site("/"), config=eager(halt_on_error=True), should_visit=fail):
            pass

    with pytest.raises(CrawlFailed, match="ValueError: no idea"):
        runs(main())
