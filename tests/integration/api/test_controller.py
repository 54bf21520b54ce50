"""S1, S4, S11, S14, S15: the controller that a program commands."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer import (
    ConfigError,
    CrawlConfig,
    CrawlController,
    CrawlStateChanged,
    ExitStatus,
    JobInUse,
    Page,
    StateError,
    UriFinished,
    WebCrawler,
)
from gossamer.api.loopthread import LoopThread
from gossamer.storage import RocksKV

Eager = Callable[..., CrawlConfig]


class Remembering(WebCrawler):
    def on_start(self) -> None:
        self.local_data = []

    def visit(self, page: Page) -> None:
        self.local_data.append(page.url)


def visited(controller: CrawlController) -> list[str]:
    return sorted(url for data in controller.local_data for url in data)


# ---- with and without a folder


def test_without_a_folder_the_crawl_leaves_nothing_behind(site, eager: Eager, temporary: Path) -> None:
    site.pages(3)
    inside: list[set[str]] = []

    class Looking(WebCrawler):
        def visit(self, page: Page) -> None:
            (folder,) = temporary.iterdir()
            inside.append(set(os.listdir(folder)))
            inside.append(set(os.listdir(folder / "warcs")))

    controller = CrawlController(eager(toes=1))
    controller.add_seed(site("/"))
    outcome = controller.start(Looking)
    assert outcome.exit_status is ExitStatus.FINISHED and outcome.archive_files == ()
    assert list(temporary.iterdir()) == []
    assert "control.sock" not in inside[0] and inside[1] == set()


def test_with_a_folder_it_is_a_job_like_any_other_and_goes_on_where_it_was(site, eager: Eager, tmp_path: Path) -> None:
    """S15: resuming is the default, starting over explicit."""
    site.pages(6)
    folder = tmp_path / "job"
    first = CrawlController(eager(folder=folder, max_pages=3, toes=1))
    first.add_seed(site("/"))
    assert first.start(Remembering).exit_status is ExitStatus.DOCUMENT_LIMIT
    assert first.counts.pages == 3
    assert list((folder / "warcs").glob("*.warc.gz")) and (folder / "gossamer.toml").exists()

    second = CrawlController(eager(folder=folder, max_pages=100, toes=1))
    outcome = second.start(Remembering)  # the folder knows its seeds
    assert outcome.exit_status is ExitStatus.FINISHED
    assert sorted(visited(first) + visited(second)) == sorted([site("/"), *(site(f"/{n}") for n in range(6))])

    third = CrawlController(eager(folder=folder, max_pages=100, toes=1))
    third.add_seed(site("/"))
    assert third.start(Remembering).was_finished
    assert visited(third) == []

    fresh = CrawlController(eager(folder=folder, toes=1), fresh=True)
    fresh.add_seed(site("/0"))
    fresh.start(Remembering)
    assert visited(fresh) == [site("/0"), site("/2"), site("/4")]
    assert any(path.name.startswith("state.") for path in folder.iterdir())


def test_a_run_in_which_nothing_is_done_says_so(
    site, eager: Eager, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    site.pages(6)
    folder = tmp_path / "docs-crawl"

    def run(**settings: Any) -> gossamer.CrawlOutcome:
        controller = CrawlController(eager(folder=folder, toes=1, **settings))
        controller.add_seed(site("/"))
        return controller.start(WebCrawler)

    assert str(run(max_pages=3)).startswith("DOCUMENT_LIMIT: 3 pages were fetched (3 pages, 0 failed, ")
    assert caplog.messages == []
    run(max_pages=3)
    assert len(caplog.messages) == 1 and "had reached limits.max_pages before; no page was fetched" in caplog.text
    run()
    assert len(caplog.messages) == 1
    outcome = run()
    assert caplog.messages[1].endswith("docs-crawl has finished before; nothing was done; fresh=True starts over")
    assert str(outcome).startswith("FINISHED: The job had finished before; nothing was done (7 pages, 0 failed, ")


def test_a_crawl_none_of_whose_seeds_was_fetched_says_so(site, eager: Eager) -> None:
    outcome = gossamer.crawl(site("/nothing"), site("/none"), config=eager())
    assert outcome.exit_status is ExitStatus.FINISHED
    assert outcome.reason == f"No seed could be fetched; {site('/nothing')}: HTTP 404 (and 1 more)."


def test_a_crawler_whose_hooks_cannot_be_called_begins_no_crawl(site, eager: Eager) -> None:
    site.pages(3)
    with pytest.raises(TypeError, match=r"^visit must take \(page\); it takes \(\)$"):
        gossamer.crawl(site("/"), visit=lambda: 1, config=eager())  # type: ignore[misc, arg-type]
    assert site.asked == []


def test_a_crawl_with_a_folder_can_be_commanded_through_its_control_socket(site, eager: Eager, tmp_path: Path) -> None:
    from gossamer.cli.client import ControlClient

    site.pages(3)
    told: list[dict[str, Any]] = []

    class Asking(WebCrawler):
        def visit(self, page: Page) -> None:
            if not told:
                client = ControlClient(tmp_path / "job")
                told.extend([client.get("/"), client.get("/toes")])

    controller = CrawlController(eager(folder=tmp_path / "job"))
    controller.add_seed(site("/"))
    controller.start(Asking)
    assert told[0]["state"] == "RUNNING"
    assert "in a processor" in {toe["step"] for toe in told[1]["toes"]}
    assert "visit" in {toe["processor"] for toe in told[1]["toes"]}
    assert told[1]["abandoned"] == []
    assert not (tmp_path / "job" / "control.sock").exists()


def test_a_scope_that_does_not_fit_what_was_crawled_is_refused_with_a_hint(site, eager: Eager, tmp_path: Path) -> None:
    site.pages(1)
    gossamer.crawl(site("/"), config=eager(folder=tmp_path / "job"))
    with pytest.raises(ConfigError, match=r"scope\.kind") as refused:
        gossamer.crawl(site("/"), config=eager(folder=tmp_path / "job", scope="any"))
    assert "fresh=True" in str(refused.value)


def test_a_folder_in_use_is_refused_and_the_controller_can_be_used_no_more(site, eager: Eager, tmp_path: Path) -> None:
    site.pages(2)
    errors: list[Exception] = []

    class Second(WebCrawler):
        def visit(self, page: Page) -> None:
            with pytest.raises(JobInUse, match=str(os.getpid())) as refused:
                gossamer.crawl(site("/"), config=eager(folder=tmp_path / "job"))
            errors.append(refused.value)

    gossamer.crawl(site("/"), visit=Second().visit, config=eager(folder=tmp_path / "job", toes=1))
    assert len(errors) == 3


# ---- seeds and doc ids


def test_seeds_that_are_none_are_refused_where_they_are_given(tmp_path: Path) -> None:
    controller = CrawlController()
    with pytest.raises(ConfigError, match="ftp"):
        controller.add_seed("ftp://example.org/")
    with pytest.raises(ConfigError, match="is a URL"):
        controller.add_seeds("https://example.org/")
    with pytest.raises(ConfigError, match="cannot be read"):
        controller.add_seeds(tmp_path / "none.txt")
    with pytest.raises(ConfigError, match="line 2") as refused:
        controller.add_seeds(io.BytesIO(b"https://example.org/\nmailto:me\n\nx y\n"))
    assert "line 4" in str(refused.value)
    with pytest.raises(ConfigError) as refused:
        controller.add_seeds(["https://example.org/", "ftp://example.org/", "http://"])
    assert str(refused.value).splitlines() == [
        "'ftp://example.org/' is not a seed: only http and https can be crawled, not ftp",
        "'http://' is not a seed: not a URL",
    ]
    for bad in (None, 5):
        with pytest.raises(TypeError, match=f"a URL is a str, not {bad}"):
            controller.add_seed(bad)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="seeds are a file or a list of URLs"):
            controller.add_seeds(bad)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="no seed was given"):
        controller.start(WebCrawler)


def test_without_a_folder_files_are_those_of_the_working_directory(
    site, eager: Eager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages(1)
    monkeypatch.chdir(tmp_path)
    Path("mine.txt").write_text("# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tname\tvalue\n")
    gossamer.crawl(site("/"), config=eager(cookies=gossamer.Cookies(load="mine.txt", save="after.txt")))  # type: ignore[arg-type]
    assert "name\tvalue" in Path("after.txt").read_text()


def test_seeds_come_from_files_lists_and_a_running_crawl(site, eager: Eager, tmp_path: Path) -> None:
    for number in range(5):
        site.page(f"/{number}")
    (tmp_path / "seeds.txt").write_text(f"# mine\n{site('/0')}\n{site('/1')}\n")

    class Adding(Remembering):
        def visit(self, page: Page) -> None:
            super().visit(page)
            if page.url == site("/0"):
                self.controller.add_seed(site("/3"))
                self.controller.add_seeds([site("/4"), site("/0")])

    controller = CrawlController(eager())
    controller.add_seeds(str(tmp_path / "seeds.txt"))
    controller.add_seeds(url for url in [site("/2")])
    controller.start(Adding)
    assert visited(controller) == [site(f"/{number}") for number in range(5)]


def test_doc_ids_rise_are_asked_for_without_side_effect_and_may_be_ones_own(site, eager: Eager, tmp_path: Path) -> None:
    """S11."""
    site.page("/", "/a")
    site.page("/a")
    found: dict[str, int | None] = {}

    class Numbering(WebCrawler):
        def visit(self, page: Page) -> None:
            found[page.url] = page.docid
            assert self.controller.docid_of(page.url) == page.docid
            if page.url == site("/a"):
                found["parent"] = page.parent_docid
                found["unknown"] = self.controller.docid_of(site("/unknown"))
                found["noted"] = self.controller.note_seen(site("/noted"))
                found["noted again"] = self.controller.note_seen(site("/noted"), 5000)
                with pytest.raises(ValueError, match="does not rise above"):
                    self.controller.note_seen(site("/other"), 7)
                with pytest.raises(ValueError, match="does not rise above"):
                    self.controller.add_seed(site("/other"), 7)

    folder = tmp_path / "job"
    controller = CrawlController(eager(folder=folder, toes=1))
    controller.note_seen(site("/before"), 1000)
    controller.add_seed(site("/"), docid=2000)
    with pytest.raises(ValueError, match="does not rise above 2000"):
        controller.add_seed(site("/x"), docid=2000)
    for bad in (0, -1, True, 2**63, "7"):
        with pytest.raises(ValueError, match="a doc id is a whole number"):
            controller.add_seed(site("/x"), docid=bad)  # type: ignore[arg-type]
    controller.start(Numbering)
    assert found == {
        site("/"): 2000,
        site("/a"): 2001,
        "parent": 2000,
        "unknown": None,
        "noted": 2002,
        "noted again": 2002,
    }
    again = CrawlController(eager(folder=folder, toes=1))
    again.add_seed(site("/late"), docid=1500)
    with pytest.raises(ValueError, match="does not rise above 2002"):
        again.start(WebCrawler)


def test_a_doc_id_that_was_asked_for_during_another_crawl_of_the_folder_is_told_when_that_has_ended(
    site, eager: Eager, tmp_path: Path
) -> None:
    site.pages(3)
    beside = CrawlController(eager(folder=tmp_path / "job"))
    early: list[int | None] = []

    class Asking(WebCrawler):
        def on_start(self) -> None:
            early.append(beside.docid_of(site("/0")))

    controller = CrawlController(eager(folder=tmp_path / "job", toes=1))
    controller.add_seed(site("/"))
    controller.start(Asking)
    assert early == [None] and site("/0") in {site(path) for path in site.asked}
    assert beside.docid_of(site("/0")) == controller.docid_of(site("/0")) is not None
    beside.close()


def test_doc_ids_are_told_before_the_crawl_and_after_it_where_there_is_a_folder(
    site, eager: Eager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages(3)
    monkeypatch.chdir(tmp_path)
    found: dict[str, int | None] = {}

    class Noting(WebCrawler):
        def visit(self, page: Page) -> None:
            found[page.url] = self.controller.docid_of(page.url)

    first = CrawlController(eager(folder=Path("job")))
    assert first.docid_of(site("/")) is None
    first.add_seed(site("/"))
    first.start(Noting)
    asked = sorted(site.asked)
    for controller in (first, CrawlController(eager(folder=Path("job")))):
        assert {url: controller.docid_of(url) for url in found} == found
        assert controller.docid_of(site("/unknown")) is None
    assert len(found) == 4 and sorted(site.asked) == asked

    second = CrawlController(eager(folder=Path("job")))
    second.add_seed(site("/late"))
    second.start(WebCrawler)
    assert first.docid_of(site("/late")) == second.docid_of(site("/late")) == max(filter(None, found.values())) + 1
    first.close()
    assert first.docid_of(site("/late")) is not None

    fresh = CrawlController(eager(folder=Path("job")), fresh=True)
    assert fresh.docid_of(site("/late")) is None
    fresh.add_seed(site("/late"))
    fresh.start(WebCrawler)
    assert (fresh.docid_of(site("/late")), fresh.docid_of(site("/"))) == (1, None)
    assert (first.docid_of(site("/late")), first.docid_of(site("/"))) == (1, None)

    nowhere = CrawlController(eager())
    nowhere.add_seed(site("/"))
    nowhere.start(WebCrawler)
    with pytest.raises(StateError, match=r"has ended; what was found is kept in a folder only: .*folder="):
        nowhere.docid_of(site("/"))


def test_what_is_noted_as_seen_is_never_fetched(site, eager: Eager) -> None:
    site.page("/", "/a", "/b")
    site.page("/b", "/a")
    controller = CrawlController(eager())
    controller.note_seen(site("/a"))
    controller.add_seed(site("/"))
    controller.start(Remembering)
    assert visited(controller) == [site("/"), site("/b")]
    assert "/a" not in site.asked


# ---- commands


def test_a_crawl_beside_the_program_can_be_waited_for_paused_and_shut_down(site, eager: Eager) -> None:
    site.pages(50)
    gate = threading.Event()
    begun = threading.Event()

    class Slow(Remembering):
        def visit(self, page: Page) -> None:
            super().visit(page)
            begun.set()
            gate.wait()

    states: list[str] = []
    paused, resumed = threading.Event(), threading.Event()

    def note(event: CrawlStateChanged) -> None:
        states.append(event.state)
        {"PAUSED": paused, "RUNNING": resumed}.get(event.state, threading.Event()).set()

    controller = CrawlController(eager(toes=2))
    assert controller.state == "NASCENT" and not controller.is_finished and controller.counts.pages == 0
    controller.add_seed(site("/"))
    controller.subscribe(CrawlStateChanged, note)
    assert controller.start(Slow, blocking=False) is None
    begun.wait()
    assert controller.wait(0.01) is False
    assert controller.state == "RUNNING" and not controller.is_finished
    controller.pause()
    assert controller.state == "PAUSING"
    gate.set()
    paused.wait()
    resumed.clear()
    controller.resume()
    resumed.wait()
    controller.shutdown()
    controller.shutdown()
    assert controller.wait() is True
    assert controller.is_finished and controller.state == "FINISHED"
    assert controller.outcome.exit_status is ExitStatus.ABORTED
    assert states[:5] == ["PREPARING", "RUNNING", "PAUSING", "PAUSED", "RUNNING"]
    assert states[-2:] == ["STOPPING", "FINISHED"]
    # The second shutdown may come between a page's visit and its settling: it would be visited again.
    assert controller.counts.pages <= len(visited(controller)) < 51


def test_a_controller_crawls_once_and_says_so(site, eager: Eager) -> None:
    site.pages(1)
    controller = CrawlController(eager())
    for command in (controller.wait, controller.pause, controller.resume, lambda: controller.docid_of(site("/"))):
        with pytest.raises(StateError, match="was not started"):
            command()
    controller.add_seed(site("/"))
    controller.start(WebCrawler)
    for command in (
        controller.pause,
        controller.resume,
        lambda: controller.docid_of(site("/")),
        lambda: controller.add_seed(site("/1")),
        lambda: controller.note_seen(site("/1")),
        lambda: controller.subscribe(UriFinished, print),
    ):
        with pytest.raises(StateError, match="has ended"):
            command()
    with pytest.raises(StateError, match="started before"):
        controller.start(WebCrawler)
    controller.shutdown()
    assert controller.wait() is True

    unused = CrawlController(eager())
    unused.shutdown()
    for command in (lambda: unused.start(WebCrawler), lambda: unused.add_seed(site("/"))):
        with pytest.raises(StateError, match="was shut down"):
            command()


def test_settings_may_be_given_flat_and_mistakes_are_told() -> None:
    assert CrawlController(max_pages=3).config.limits.max_pages == 3
    assert CrawlController(CrawlConfig(toes=4), delay=0).config.toes == 4
    with pytest.raises(ConfigError, match="max_page"):
        CrawlController(max_page=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="CrawlConfig"):
        CrawlController({"max_pages": 3})  # type: ignore[arg-type]


def test_a_hook_cannot_wait_for_its_own_crawl(site, eager: Eager) -> None:
    site.pages(1)
    refused: list[StateError] = []

    class Waiting(WebCrawler):
        def visit(self, page: Page) -> None:
            self.wait()

        async def on_finish(self) -> None:
            self.wait()

        def wait(self) -> None:
            with pytest.raises(StateError, match="from inside") as error:
                self.controller.wait()  # type: ignore[attr-defined]
            refused.append(error.value)

    gossamer_controller = CrawlController(eager(toes=1))
    gossamer_controller.add_seed(site("/"))
    gossamer_controller.start(Waiting)
    assert len(refused) == 3


def test_a_crawler_may_shut_its_crawl_down(site, eager: Eager, tmp_path: Path) -> None:
    site.pages(30)

    class Enough(Remembering):
        def visit(self, page: Page) -> None:
            super().visit(page)
            if len(self.local_data) == 3:
                self.controller.shutdown()

    controller = CrawlController(eager(folder=tmp_path / "job", toes=1))
    controller.add_seed(site("/"))
    assert controller.start(Enough).exit_status is ExitStatus.ABORTED
    assert len(visited(controller)) == 3
    rest = CrawlController(eager(folder=tmp_path / "job"))
    rest.start(Remembering)
    assert len({*visited(controller), *visited(rest)}) == 31
    assert len(visited(rest)) == 28


def test_a_subscriber_that_blocks_or_raises_harms_nobody(site, eager: Eager) -> None:
    site.pages(10)
    gate = threading.Event()
    heard: list[str] = []

    def slow(event: UriFinished) -> None:
        gate.wait()
        heard.append(event.curi.url)

    def failing(event: UriFinished) -> None:
        raise RuntimeError("deaf")

    controller = CrawlController(eager())
    controller.add_seed(site("/"))
    controller.subscribe(UriFinished, slow)
    controller.subscribe(UriFinished, failing)
    unsubscribe = controller.subscribe(UriFinished, lambda event: heard.append("never"))
    unsubscribe()
    late: list[str] = []

    class Opening(WebCrawler):
        def visit(self, page: Page) -> None:
            if page.url == site("/"):
                self.controller.subscribe(UriFinished, lambda event: late.append(event.curi.url))

        def on_finish(self) -> None:
            gate.set()

    controller.start(Opening)
    assert sorted(heard) == sorted([site("/"), *(site(f"/{n}") for n in range(10))])
    assert len(late) == 11


@pytest.mark.parametrize("is_followed", [True, False])
def test_of_each_redirect_it_is_told_where_it_leads_followed_or_not(site, eager: Eager, is_followed: bool) -> None:
    """crawler4j's onRedirectedStatusCode, and onRedirectedToInvalidUrl."""
    site.page("/", "/moved", "/away", "/nowhere", "/bad", "/itself")
    site.answer("/moved", 301, Location="new?a=1#part")
    site.answer("/away", 307, Location="http://elsewhere.example/x")
    site.answer("/nowhere", 302)
    site.answer("/bad", 308, Location="http://:80:80/")
    site.answer("/itself", 302, Location="/itself")
    site.page("/new?a=1")
    told: dict[str, str | None] = {}

    def note(event: UriFinished) -> None:
        if 300 <= event.status < 400:
            told[event.curi.url.removeprefix(site.root)] = event.redirected_to
        else:
            assert event.redirected_to is None

    controller = CrawlController(eager(scope=gossamer.Scope(follow_redirects=is_followed)))
    controller.add_seed(site("/"))
    controller.subscribe(UriFinished, note)
    controller.start(WebCrawler)
    assert told == {
        "/moved": site("/new?a=1"),
        "/away": "http://elsewhere.example/x",
        "/nowhere": None,
        "/bad": None,
        "/itself": site("/itself"),
    }
    assert ("/new?a=1" in site.asked) is is_followed


# ---- beside loops, and several at once


def test_leaving_the_with_block_shuts_down_what_still_runs(site, eager: Eager) -> None:
    site.pages(30)
    begun = threading.Event()

    class Slow(WebCrawler):
        async def visit(self, page: Page) -> None:
            begun.set()
            await asyncio.sleep(0.01)

    with pytest.raises(KeyError), CrawlController(eager(toes=1)) as controller:
        controller.add_seed(site("/"))
        controller.start(Slow, blocking=False)
        begun.wait()
        raise KeyError
    assert controller.is_finished and controller.outcome.exit_status is ExitStatus.ABORTED


async def test_inside_a_running_loop_start_blocks_and_has_a_loop_of_its_own(site, eager: Eager) -> None:
    site.pages(3)
    loops: set[int] = set()

    async def visit(page: Page) -> None:
        loops.add(id(asyncio.get_running_loop()))

    outcome = gossamer.crawl(site("/"), visit=visit, config=eager())
    assert outcome.progress.counts.pages == 4
    assert len(loops) == 1 and id(asyncio.get_running_loop()) not in loops


async def test_run_uses_the_callers_loop(site, eager: Eager) -> None:
    site.pages(3)
    loops: list[object] = []

    class Async(WebCrawler):
        async def visit(self, page: Page) -> None:
            loops.append(asyncio.get_running_loop())

        def on_finish(self) -> None:
            self.local_data = self.controller.docid_of(site("/"))  # from another thread into the caller's loop

    controller = CrawlController(eager())
    controller.add_seed(site("/"))
    outcome = await controller.run(Async)
    assert outcome.exit_status is ExitStatus.FINISHED
    assert set(loops) == {asyncio.get_running_loop()} and len(loops) == 4
    assert controller.local_data == [1, 1, 1]
    assert len(asyncio.all_tasks()) == 1


async def test_what_takes_long_at_the_end_is_done_in_a_thread_where_the_loop_is_the_callers(
    site, eager: Eager, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    site.pages(3)
    threads: list[str] = []
    flush = RocksKV.flush

    def watched(store: RocksKV) -> None:
        threads.append(threading.current_thread().name)
        flush(store)

    monkeypatch.setattr(RocksKV, "flush", watched)
    controller = CrawlController(eager(folder=tmp_path / "job"))
    controller.add_seed(site("/"))
    await controller.run(WebCrawler)
    assert len(threads) == 1 and threads[0] != threading.current_thread().name
    assert list((tmp_path / "job" / "state").glob("*.sst"))


async def test_async_with_runs_in_the_callers_loop_and_ends_with_the_block(site, eager: Eager) -> None:
    site.pages(30)
    begun = asyncio.Event()

    class Async(WebCrawler):
        async def visit(self, page: Page) -> None:
            begun.set()
            await asyncio.sleep(0.01)

    async with CrawlController(eager(toes=1)) as controller:
        controller.add_seed(site("/"))
        with pytest.raises(StateError, match="async with"):
            controller.start(Async)
        controller.start(Async, blocking=False)
        await begun.wait()
        controller.add_seed(site("/late"))
        with pytest.raises(StateError, match="from inside"):
            controller.wait()
    assert controller.outcome.exit_status is ExitStatus.ABORTED
    assert len(asyncio.all_tasks()) == 1

    async with CrawlController(eager()) as whole:
        whole.add_seed(site("/"))
        whole.start(WebCrawler, blocking=False)
        outcome = await whole.finished()
    assert outcome.exit_status is ExitStatus.FINISHED and outcome.progress.counts.pages == 31


async def test_what_keeps_a_crawl_from_beginning_is_raised_where_it_is_awaited(
    site, eager: Eager, tmp_path: Path
) -> None:
    (tmp_path / "job").write_text("a file")
    controller = CrawlController(eager(folder=tmp_path / "job"))
    controller.add_seed(site("/"))
    with pytest.raises(ConfigError, match="not a folder"):
        await controller.run(WebCrawler)
    async with CrawlController(eager(folder=tmp_path / "job")) as other:
        other.add_seed(site("/"))
        other.start(WebCrawler, blocking=False)
        with pytest.raises(ConfigError, match="not a folder"):
            await other.finished()


async def test_a_run_that_is_cancelled_is_closed_before_the_cancellation_comes_back(
    site, eager: Eager, temporary: Path
) -> None:
    site.pages(30)
    begun = asyncio.Event()

    async def visit(page: Page) -> None:
        begun.set()
        await asyncio.sleep(60)

    class Stuck(WebCrawler):
        async def visit(self, page: Page) -> None:
            await visit(page)

    controller = CrawlController(eager())
    controller.add_seed(site("/"))
    task = asyncio.create_task(controller.run(Stuck))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert controller.is_finished
    assert len(asyncio.all_tasks()) == 1
    assert list(temporary.iterdir()) == []


def test_several_controllers_crawl_at_once_and_do_not_know_each_other(site, eager: Eager) -> None:
    site.pages(20)
    together = threading.Barrier(2, timeout=20)

    class Meeting(Remembering):
        def visit(self, page: Page) -> None:
            super().visit(page)
            if page.url == site("/"):
                together.wait()

    controllers = [CrawlController(eager()) for _ in range(2)]
    for controller in controllers:
        controller.add_seed(site("/"))
        controller.start(Meeting, blocking=False)
    for controller in controllers:
        controller.wait()
        assert len(visited(controller)) == 21
    assert Counter(site.asked)["/5"] == 2


# ---- scripts


SCRIPT = """
import os, sys, threading, time
import gossamer
from gossamer import Politeness

class Crawler(gossamer.WebCrawler):
    def visit(self, page):
        os.write(1, f"visit {{page.url}}\\n".encode())  # in one piece: print's pieces mix between threads
        {visit}

controller = gossamer.CrawlController(
    gossamer.CrawlConfig(folder={folder!r}, toes=2, politeness=Politeness(delay=0, delay_factor=0, connections_per_host=4))
)
controller.add_seed({seed!r})
{start}
print("outcome", controller.outcome.exit_status.name if controller.is_finished else None, flush=True)
"""


class Script:
    """A program of a user's own, in a process."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def run(self, folder: Path | None, seed: str, *, start: str, visit: str = "") -> subprocess.Popen[str]:
        text = SCRIPT.format(folder=str(folder) if folder else None, seed=seed, start=start, visit=visit)
        self._path.write_text(text)
        # What is started in a shell's background ignores Ctrl-C, and so does what that starts.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            return self._start()
        finally:
            signal.signal(signal.SIGINT, before)

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-W", "error", str(self._path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )


@pytest.fixture
def script(tmp_path: Path) -> Script:
    return Script(tmp_path / "script.py")


def test_ctrl_c_ends_a_blocking_start_after_what_is_in_flight_and_is_raised_then(
    site, script: Script, tmp_path: Path
) -> None:
    site.pages(50)
    start = "try:\n    controller.start(Crawler)\nexcept KeyboardInterrupt:\n    print('interrupted')"
    process = script.run(tmp_path / "job", site("/"), start=start, visit="time.sleep(0.1)")
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0 and err == ""
    assert out.splitlines()[-2:] == ["interrupted", "outcome ABORTED"]


def test_a_script_that_does_not_wait_ends_when_its_crawl_has(site, script: Script, tmp_path: Path) -> None:
    site.pages(5)
    process = script.run(None, site("/"), start="controller.start(Crawler, blocking=False)", visit="time.sleep(0.05)")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0 and err == ""
    assert out.count("visit") == 6
    assert "outcome None" in out


def test_a_thread_that_is_stuck_keeps_no_script_from_ending(site, script: Script, tmp_path: Path) -> None:
    site.pages(5)
    start = (
        "controller.config.hooks\ncontroller.config = controller.config.replace(hooks=gossamer.Hooks(max_time=0.2))\n"
    )
    process = script.run(None, site("/"), start=start + "controller.start(Crawler)", visit="threading.Event().wait()")
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out.splitlines()[-1] == "outcome FINISHED"


def test_after_kill_9_in_visit_each_page_was_visited_at_least_once(site, script: Script, tmp_path: Path) -> None:
    site.pages(8)
    stop = "if page.url.endswith('/3'): time.sleep(60)"
    process = script.run(tmp_path / "job", site("/"), start="controller.start(Crawler)", visit=stop)
    assert process.stdout is not None
    seen = []
    while not (line := process.stdout.readline()).endswith("/3\n"):
        seen.append(line)
    process.kill()
    rest, _ = process.communicate(timeout=60)
    again = script.run(tmp_path / "job", site("/"), start="controller.start(Crawler)")
    out, err = again.communicate(timeout=60)
    assert again.returncode == 0 and err == ""
    counts = Counter(
        line.split()[1] for line in [*seen, line, *rest.splitlines(), *out.splitlines()] if "visit" in line
    )
    assert set(counts) == {site("/"), *(site(f"/{number}") for number in range(8))}
    assert counts[site("/3")] == 2
    assert sum(counts.values()) <= len(counts) + 2  # as many as there are toes


def test_a_seed_that_a_hook_added_outlives_kill_9_after_the_call_returned(
    site, script: Script, eager: Eager, tmp_path: Path
) -> None:
    site.page("/")
    site.page("/added")
    visit = f"self.controller.add_seed({site('/added')!r}); os.kill(os.getpid(), 9)"
    process = script.run(tmp_path / "job", site("/"), start="controller.start(Crawler)", visit=visit)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert (tmp_path / "job" / "seeds.txt").read_text().splitlines() == [site("/"), site("/added")]
    controller = CrawlController(eager(folder=tmp_path / "job"))
    controller.start(Remembering)
    assert visited(controller) == [site("/"), site("/added")]


def test_whenever_a_shutdown_comes_after_the_start_the_caller_gets_an_outcome(site, eager) -> None:
    site.pages(5)
    moments: list[CrawlController] = []

    class Meddling(LoopThread):
        """Shuts down before the crawl's loop has run at all."""

        def start(self) -> None:
            moments[-1].shutdown()
            super().start()

    def on_attach(controller: CrawlController) -> None:
        attach = controller._attach

        def attach_and_shut_down(commanded: Any) -> None:
            attach(commanded)
            controller.shutdown()

        controller._attach = attach_and_shut_down  # type: ignore[method-assign]

    for is_earlier in (True, False):
        controller = CrawlController(eager())
        controller.add_seed(site("/"))
        moments.append(controller)
        if not is_earlier:
            on_attach(controller)
        with pytest.MonkeyPatch.context() as patch:
            if is_earlier:
                patch.setattr("gossamer.api.controller.LoopThread", Meddling)
            outcome = controller.start(WebCrawler)
        assert outcome is not None
        assert outcome.exit_status is ExitStatus.ABORTED


def test_a_question_between_the_call_of_start_and_the_beginning_of_the_loop_is_answered(site, eager) -> None:
    site.page("/")
    answers: list[object] = []

    class Asking(LoopThread):
        def start(self) -> None:
            answers.extend((controller.progress, controller.counts.pages, controller.state))
            super().start()

    controller = CrawlController(eager())
    controller.add_seed(site("/"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gossamer.api.controller.LoopThread", Asking)
        controller.start(WebCrawler)
    assert answers == [None, 0, "NASCENT"]


async def test_a_task_that_is_cancelled_before_its_first_step_has_ended(site, eager) -> None:
    async with CrawlController(eager()) as controller:
        controller.add_seed(site("/"))
        controller.start(WebCrawler, blocking=False)
        assert controller.task is not None
        controller.task.cancel()
    assert controller.is_finished
    assert await asyncio.to_thread(controller._session.has_ended.wait, 5)  # type: ignore[union-attr]
    with pytest.raises(StateError, match="cancelled"):
        controller.wait()


def test_ending_a_subscription_twice_or_after_the_crawl_does_nothing(site, eager) -> None:
    site.page("/")
    controller = CrawlController(eager())
    controller.add_seed(site("/"))
    early = controller.subscribe(gossamer.UriFinished, print)
    early()
    early()
    controller.start(WebCrawler, blocking=False)
    late = controller.subscribe(gossamer.CrawlStateChanged, lambda event: None)
    controller.wait()
    late()


def test_what_is_no_event_no_function_and_no_url_is_refused_in_the_callers_own_line() -> None:
    controller = CrawlController()
    for event, subscriber in ((gossamer.UriFinished, None), ("UriFinished", print), (None, print)):
        with pytest.raises(TypeError, match="subscribe takes"):
            controller.subscribe(event, subscriber)  # type: ignore[arg-type]
    for url in (None, 5, b"http://example.org/"):
        for call in (controller.add_seed, controller.note_seen, lambda one: controller.add_seeds([one])):
            with pytest.raises(TypeError, match="a URL is a str"):
                call(url)  # type: ignore[operator]


def test_a_relative_folder_stays_where_it_was_when_a_hook_changes_the_working_directory(
    site, eager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages(5)
    monkeypatch.chdir(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    class Wandering(WebCrawler):
        def visit(self, page: Page) -> None:
            os.chdir(elsewhere)

    controller = CrawlController(eager(folder=Path("crawl")))
    controller.add_seed(site("/"))
    outcome = controller.start(Wandering)
    assert outcome is not None
    assert outcome.exit_status is ExitStatus.FINISHED
    assert controller.counts.pages == 6
    assert not any(elsewhere.iterdir())
