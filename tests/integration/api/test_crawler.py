"""S1, S2, S4: crawlers and their hooks, seen from a program that uses them."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer import CrawlConfig, CrawlController, ExitStatus, Failure, Link, Page, WebCrawler

Eager = Callable[..., CrawlConfig]


def crawl(crawler: Any, seeds: list[str], config: CrawlConfig) -> CrawlController:
    """A controller that has crawled."""
    controller = CrawlController(config)
    controller.add_seeds(seeds)
    controller.start(crawler)
    return controller


def log_lines(folder: Path) -> dict[str, list[str]]:
    """The words of crawl.log by URL."""
    return {words[3]: words for words in map(str.split, (folder / "logs" / "crawl.log").read_text().splitlines())}


def test_each_toe_has_a_crawler_of_its_own_with_an_id_from_one(site, eager: Eager) -> None:
    """S1: n crawlers, each an instance of its own that knows who it is; S4: their local data is the list."""
    site.pages(30)

    class Counting(WebCrawler):
        def on_start(self) -> None:
            self.local_data = {"id": self.id, "visited": 0, "finished": 0}

        def visit(self, page: Page) -> None:
            self.local_data["visited"] += 1

        def on_finish(self) -> None:
            self.local_data["finished"] += 1

    data = crawl(Counting, [site("/")], eager(toes=5)).local_data
    assert [one["id"] for one in data] == [1, 2, 3, 4, 5]
    assert sum(one["visited"] for one in data) == 31
    assert all(one["finished"] == 1 for one in data)


def test_every_def_hook_of_a_crawler_runs_in_one_thread_that_is_its_own(site, eager: Eager) -> None:
    site.pages(20)
    site.page("/", *(f"/{number}" for number in range(20)), "/missing")
    threads: dict[int, set[str]] = {}

    class Threaded(WebCrawler):
        def on_start(self) -> None:
            self.note()
            self.database = sqlite3.connect(":memory:")  # refuses to be used in another thread
            self.database.execute("CREATE TABLE page (url TEXT)")

        def visit(self, page: Page) -> None:
            self.note()
            self.database.execute("INSERT INTO page VALUES (?)", (page.url,))

        def on_fetch_failed(self, url: Link, failure: Failure) -> None:
            self.note()

        def on_finish(self) -> None:
            self.note()
            self.local_data = self.database.execute("SELECT count(*) FROM page").fetchone()[0]
            self.database.close()

        def note(self) -> None:
            threads.setdefault(self.id, set()).add(threading.current_thread().name)

    controller = crawl(Threaded, [site("/")], eager())
    assert threads == {1: {"crawler 1"}, 2: {"crawler 2"}, 3: {"crawler 3"}}
    assert sum(controller.local_data) == 21


def test_async_hooks_run_in_the_loop_of_the_crawl(site, eager: Eager) -> None:
    site.pages(5)
    site.page("/", *(f"/{number}" for number in range(5)), "/missing")
    seen: list[tuple[str, object]] = []

    class Async(WebCrawler):
        async def on_start(self) -> None:
            await self.note("on_start")

        async def visit(self, page: Page) -> None:
            await self.note("visit")

        async def on_fetch_failed(self, url: Link, failure: Failure) -> None:
            await self.note("on_fetch_failed")

        async def on_finish(self) -> None:
            await self.note("on_finish")

        async def note(self, hook: str) -> None:
            await asyncio.sleep(0)
            seen.append((hook, asyncio.get_running_loop()))

    crawl(Async, [site("/")], eager())
    assert Counter(hook for hook, _ in seen) == {"on_start": 3, "visit": 6, "on_fetch_failed": 1, "on_finish": 3}
    assert len({id(loop) for _, loop in seen}) == 1


def test_a_def_hook_that_gives_back_a_coroutine_has_it_awaited(site, eager: Eager) -> None:
    site.pages(3)
    seen: list[str] = []

    async def remember(page: Page) -> None:
        seen.append(page.url)

    gossamer.crawl(site("/"), visit=lambda page: remember(page), config=eager())
    assert len(seen) == 4


def test_should_visit_is_asked_of_each_new_link_in_scope_and_again_on_another_page(site, eager: Eager) -> None:
    site.page("/", "/a", "/a", "/b", "/no", "http://elsewhere.example/")
    site.page("/a", "/", "/b", "/no", "/c")
    asked: list[tuple[str, str, str]] = []

    class Asking(WebCrawler):
        def should_visit(self, page: Page, url: Link) -> bool:
            assert threading.current_thread().name == "gossamer"
            asked.append((page.url, url.path, url.anchor))
            return url.path != "/no" and not url.endswith("/c")

    crawl(Asking, [site("/")], eager(toes=1))
    assert asked == [
        (site("/"), "/a", "to /a"),
        (site("/"), "/b", "to /b"),
        (site("/"), "/no", "to /no"),
        (site("/a"), "/no", "to /no"),
        (site("/a"), "/c", "to /c"),
    ]
    assert sorted(site.asked) == ["/", "/a", "/b", "/robots.txt"]


def test_should_visit_is_asked_of_redirects_and_embeds_and_told_what_they_are(site, eager: Eager) -> None:
    site.page("/", "/moved", body="<img src=/picture.png><link rel=next href=/next>")
    site.answer("/moved", 301, Location="/new")
    asked: dict[str, Link] = {}
    pages: dict[str, int] = {}

    class Asking(WebCrawler):
        def should_visit(self, page: Page, url: Link) -> bool:
            asked[url.path] = url
            pages[url.path] = page.status
            return url.path == "/moved"

    crawl(Asking, [site("/")], eager())
    assert {path: (link.hop, link.element, link.rel) for path, link in asked.items()} == {
        "/moved": ("L", "a@href", None),
        "/picture.png": ("E", "img@src", None),
        "/next": ("L", "link@href", "next"),
        "/new": ("R", "header@location", None),
    }
    assert pages["/moved"] == 200 and pages["/new"] == 301
    assert asked["/moved"].depth == 1 and asked["/new"].host == "127.0.0.1"


def test_a_seed_and_what_it_redirects_to_are_not_asked_about(site, eager: Eager) -> None:
    """crawler4j asks, and a seed whose target is refused ends the whole crawl."""
    site.answer("/", 301, Location="/home")
    site.page("/home", "/a")

    class Refusing(WebCrawler):
        def should_visit(self, page: Page, url: Link) -> bool:
            return False

    crawl(Refusing, [site("/")], eager())
    assert sorted(site.asked) == ["/", "/home", "/robots.txt"]


def test_visit_is_for_pages_that_were_answered_and_may_be_indexed(site, eager: Eager) -> None:
    site.page("/", "/noindex", "/text", "/picture", "/missing", "/header")
    site.page("/noindex", "/behind", head='<meta name="robots" content="noindex">')
    site.page("/header", X_Robots_Tag="noindex")
    site.page("/behind")
    site.answer("/text", 200, b"plain", Content_Type="text/plain; charset=utf-8")
    site.answer("/picture", 200, b"\x89PNG", Content_Type="image/png")

    def visited(**settings: Any) -> list[str]:
        found: list[str] = []
        gossamer.crawl(
            site("/"), visit=lambda page: found.append(page.url.removeprefix(site.root)), config=eager(**settings)
        )
        return sorted(found)

    assert visited() == ["/", "/behind", "/text"]
    assert visited(visit_types=("*/*",)) == ["/", "/behind", "/picture", "/text"]
    disobedient = visited(robots=gossamer.Robots(obey_noindex=False))
    assert disobedient == ["/", "/behind", "/header", "/noindex", "/text"]


def test_a_page_is_visited_once_though_a_cut_body_was_fetched_twice(site, eager: Eager) -> None:
    site.page("/", "/flaky")
    answers = [(503, {}, b"later"), (200, {}, b"now")]
    site.answers["/flaky"] = lambda: answers.pop(0)
    seen: list[int] = []
    failed: list[str] = []
    gossamer.crawl(
        site("/flaky"),
        visit=lambda page: seen.append(page.status),
        on_fetch_failed=lambda url, failure: failed.append(url),
        config=eager(),
    )
    assert (seen, failed) == ([200], [])


def test_follow_keeps_links_out_and_add_link_brings_others_in(site, eager: Eager) -> None:
    site.page("/", "/a", "/b")
    site.page("/hidden")
    errors: list[Exception] = []

    class Choosing(WebCrawler):
        def visit(self, page: Page) -> None:
            if page.url == site("/"):
                page.follow = False
                page.add_link("hidden", text="by hand")
                page.add_link("http://elsewhere.example/")
                try:
                    page.add_link("http://:80/")
                except ValueError as error:
                    errors.append(error)
            else:
                self.local_data = (page.url, page.anchor, page.parent_url, page.depth)

    controller = crawl(Choosing, [site("/")], eager(toes=1))
    assert controller.local_data == [(site("/hidden"), "by hand", site("/"), 1)]
    assert sorted(site.asked) == ["/", "/hidden", "/robots.txt"]
    assert len(errors) == 1


def test_on_fetch_failed_is_told_of_each_url_that_is_given_up_and_why(site, eager: Eager) -> None:
    site.page("/", "/missing", "/broken", "/forbidden", "/loop", "http://127.0.0.1:1/", "/moved")
    site.answer("/robots.txt", 200, b"User-agent: *\nDisallow: /forbidden", Content_Type="text/plain")
    site.answer("/broken", 500)
    site.answer("/loop", 302, Location="/loop")
    site.answer("/moved", 302, Location="/")
    failures: dict[str, Failure] = {}

    class Failing(WebCrawler):
        def on_fetch_failed(self, url: Link, failure: Failure) -> None:
            assert url.host == "127.0.0.1"
            failures[url.removeprefix(site.root)] = failure

    scope = gossamer.Scope(kind="any")
    crawl(Failing, [site("/")], eager(scope=scope, allow_private=["127.0.0.1:1"]))
    assert {url: (failure.status, failure.reason, failure.tries) for url, failure in failures.items()} == {
        "/missing": (404, "HTTP 404", 1),
        "/broken": (500, "HTTP 500", 2),
        "/loop": (302, "TOO_MANY_REDIRECTS", 1),
        "http://127.0.0.1:1/": (-2, "CONNECT_FAILED", 1),
    }
    assert failures["/missing"].sentence == "The server answered 404 (Not Found)."
    assert failures["/missing"].parent_url == site("/") and failures["/missing"].depth == 1


def test_an_exception_in_a_hook_is_noted_counted_and_logged_and_the_crawl_goes_on(
    site, eager: Eager, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    site.page("/", "/bad", "/good", "/missing", "/exit")
    site.page("/bad", "/behind")
    site.page("/behind", "/no")
    site.page("/good")
    site.page("/exit")
    visited: list[str] = []

    class Clumsy(WebCrawler):
        def should_visit(self, page: Page, url: Link) -> bool:
            return bool(1 / (url.path != "/no"))

        def visit(self, page: Page) -> None:
            visited.append(page.url.removeprefix(site.root))
            if page.url.endswith("/bad"):
                raise RuntimeError("the disk of the dog was full")
            if page.url.endswith("/exit"):
                raise SystemExit(3)

        async def on_fetch_failed(self, url: Link, failure: Failure) -> None:
            raise KeyError("who")

    controller = crawl(Clumsy, [site("/")], eager(folder=tmp_path / "job"))
    assert sorted(visited) == ["/", "/bad", "/behind", "/exit", "/good"]
    assert controller.outcome.exit_status is ExitStatus.FINISHED
    assert controller.progress.statistics.hook_errors == {"visit": 2, "should_visit": 1, "on_fetch_failed": 1}
    lines = log_lines(tmp_path / "job")
    assert "visitErr=RuntimeError" in lines[site("/bad")][-1]
    assert "visitErr=SystemExit" in lines[site("/exit")][-1]
    assert "should_visitErr=ZeroDivisionError" in lines[site("/behind")][-1]
    assert "on_fetch_failedErr=KeyError" in lines[site("/missing")][-1]
    record = next(record for record in caplog.records if "visit failed" in record.message and "/bad" in record.message)
    assert record.exc_info is not None and "test_crawler.py" in str(
        record.exc_info[2].tb_next.tb_frame.f_code.co_filename
    )


def test_halt_on_error_ends_the_crawl_and_the_page_comes_again(site, eager: Eager, tmp_path: Path) -> None:
    site.pages(5)
    config = eager(folder=tmp_path / "job", halt_on_error=True, toes=1)

    def fail(page: Page) -> None:
        if page.url.endswith("/2"):
            raise ValueError("not this one")

    outcome = gossamer.crawl(site("/"), visit=fail, config=config)
    assert outcome.exit_status is ExitStatus.FAILED
    assert "visit failed" in outcome.reason and "/2" in outcome.reason and "ValueError: not this one" in outcome.reason
    seen: list[str] = []
    again = gossamer.crawl(site("/"), visit=lambda page: seen.append(page.url), config=config)
    assert again.exit_status is ExitStatus.FINISHED
    assert site("/2") in seen


@pytest.mark.parametrize("hook", ["should_visit", "on_fetch_failed"])
def test_halt_on_error_holds_for_every_hook(site, eager: Eager, hook: str) -> None:
    site.page("/", "/missing")

    def fail(*_: object) -> bool:
        raise ValueError(hook)

    outcome = gossamer.crawl(site("/"), config=eager(halt_on_error=True), **{hook: fail})
    assert outcome.exit_status is ExitStatus.FAILED
    assert f"{hook} failed" in outcome.reason


def test_a_crawler_whose_on_start_fails_ends_the_crawl_with_nothing_done(site, eager: Eager) -> None:
    site.pages(3)

    class Unready(WebCrawler):
        def on_start(self) -> None:
            raise OSError("no database")

        def visit(self, page: Page) -> None:
            self.local_data = "visited"

    controller = crawl(Unready, [site("/")], eager())
    assert controller.outcome.exit_status is ExitStatus.FAILED
    assert "on_start failed: OSError: no database" in controller.outcome.reason
    assert controller.local_data == [None, None, None]
    assert controller.counts.pages == 0


def test_a_thread_that_does_not_come_back_is_abandoned_and_its_crawler_replaced(
    site, eager: Eager, caplog: pytest.LogCaptureFixture
) -> None:
    """S2: n are always at work; what the replaced one had is kept."""
    site.pages(10)
    release = threading.Event()
    reports: list[Any] = []
    made: list[WebCrawler] = []

    class Sticky(WebCrawler):
        def __init__(self) -> None:
            made.append(self)
            self.local_data = []

        def visit(self, page: Page) -> None:
            self.local_data.append(page.url.removeprefix(site.root))
            if page.url.endswith("/3"):
                release.wait()
            else:
                time.sleep(0.02)

        def on_finish(self) -> None:
            crew = self.controller._session.controller.crew
            reports.extend(crew.abandoned)

    config = eager(toes=2, hooks=gossamer.Hooks(max_time=0.3))
    try:
        controller = crawl(Sticky, [site("/")], config)
        assert controller.outcome.exit_status is ExitStatus.FINISHED
        assert len(made) == 3
        assert sorted(path for data in controller.local_data for path in data) == sorted(
            ["/", *(f"/{number}" for number in range(10))]
        )
        assert controller.progress.stuck_toes == 1
        assert controller.progress.statistics.hook_errors == {"visit": 1}
        assert {(one.hook, one.url) for one in reports} == {("visit", site("/3"))}
        assert reports[0].name in ("crawler 1", "crawler 2")
        assert any("does not come back from visit" in record.message for record in caplog.records)
    finally:
        release.set()
        for one in reports:
            one.thread._thread.join()


def test_an_operator_sees_failed_hooks_and_lost_threads(site, eager: Eager, tmp_path: Path) -> None:
    from gossamer.cli.client import ControlClient

    shown: list[Any] = []
    site.page("/", "/stuck")
    site.page("/stuck")
    release = threading.Event()

    class Sticky(WebCrawler):
        def visit(self, page: Page) -> None:
            if page.url.endswith("/stuck"):
                release.wait()

        def on_finish(self) -> None:
            command = [sys.executable, "-m", "gossamer", "status", str(tmp_path / "job")]
            shown.append(subprocess.run(command, capture_output=True, text=True).stdout)
            shown.append(ControlClient(tmp_path / "job").get("/toes")["abandoned"])
            release.set()

    config = eager(folder=tmp_path / "job", toes=1, hooks=gossamer.Hooks(max_time=0.3))
    crawl(Sticky, [site("/")], config)
    assert "hook errors  1 in visit" in shown[0]
    (lost,) = shown[1]
    assert (lost["name"], lost["hook"], lost["uri"]) == ("crawler 1", "visit", site("/stuck"))
    assert lost["seconds"] >= 0.3


def test_an_async_hook_that_takes_too_long_is_cut_off(site, eager: Eager) -> None:
    site.pages(3)
    cut: list[str] = []

    async def visit(page: Page) -> None:
        try:
            await asyncio.sleep(30 if page.url.endswith("/1") else 0)
        except asyncio.CancelledError:
            cut.append(page.url)
            raise

    outcome = gossamer.crawl(site("/"), visit=visit, config=eager(hooks=gossamer.Hooks(max_time=0.2)))
    assert outcome.exit_status is ExitStatus.FINISHED
    assert cut == [site("/1")]
    assert outcome.progress.counts.succeeded == 4


def test_one_instance_is_shared_by_all_toes_and_begins_and_ends_once(site, eager: Eager) -> None:
    site.pages(20)
    lock = threading.Lock()
    calls: Counter[str] = Counter()
    threads: set[str] = set()

    class Shared(WebCrawler):
        def on_start(self) -> None:
            calls["on_start"] += 1
            self.local_data = "shared"

        def visit(self, page: Page) -> None:
            assert self.local_data == "shared"
            with lock:
                calls["visit"] += 1
                threads.add(threading.current_thread().name)
            time.sleep(0.005)

        def on_finish(self) -> None:
            calls["on_finish"] += 1

    controller = crawl(Shared(), [site("/")], eager())
    assert calls == {"on_start": 1, "visit": 21, "on_finish": 1}
    assert controller.local_data == ["shared"]
    assert threads == {"crawler 1", "crawler 2", "crawler 3"}


def test_a_factory_hands_each_crawler_what_it_needs(site, eager: Eager) -> None:
    site.pages(3)

    class Needy(WebCrawler):
        def __init__(self, service: list[str]) -> None:
            self.service = service

        def visit(self, page: Page) -> None:
            self.service.append(page.url)

    service: list[str] = []
    crawl(lambda: Needy(service), [site("/")], eager())
    assert len(service) == 4


def test_more_toes_in_a_running_crawl_get_crawlers_of_their_own(site, eager: Eager) -> None:
    """S5: the size may be changed while it runs."""
    site.pages(10)
    started: list[int] = []

    class Growing(WebCrawler):
        def on_start(self) -> None:
            started.append(self.id)

        async def visit(self, page: Page) -> None:
            if page.url == site("/"):
                self.controller.set_toes(4)

    controller = crawl(Growing, [site("/")], eager(toes=1))
    assert sorted(started) == [1, 2, 3, 4]
    assert len(controller.local_data) == 4


class NotOne:
    pass


class NeedsMore(WebCrawler):
    def __init__(self, what: object) -> None:
        self.what = what


class AsksAsync(WebCrawler):
    async def should_visit(self, page: Page, url: Link) -> bool:  # type: ignore[override]
        return True


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (NotOne, "NotOne is not a WebCrawler"),
        (NotOne(), "a crawler is a WebCrawler class"),
        (NotOne, r"class NotOne\(gossamer.WebCrawler\)"),
        (lambda: NotOne(), "which is no WebCrawler"),
        (NeedsMore, "what"),
        (AsksAsync, "should_visit must be def"),
    ],
)
def test_what_is_no_crawler_is_refused_before_anything_begins(site, eager: Eager, source: Any, words: str) -> None:
    controller = CrawlController(eager())
    controller.add_seed(site("/"))
    with pytest.raises(TypeError, match=words):
        controller.start(source)
    assert site.asked == []


class OwnKind(BaseException):
    """No Exception, like what pytest.fail raises."""


@pytest.mark.parametrize("kind", [OSError, OwnKind])
def test_a_factory_that_fails_while_the_crawl_runs_ends_it(site, eager: Eager, kind: type[BaseException]) -> None:
    site.pages(3)
    made: list[WebCrawler] = []

    class Growing(WebCrawler):
        async def visit(self, page: Page) -> None:
            self.controller.set_toes(2)

    def factory() -> WebCrawler:
        if made:
            raise kind("no more of them")
        made.append(Growing())
        return made[-1]

    outcome = crawl(factory, [site("/")], eager(toes=1)).outcome
    assert outcome.exit_status is ExitStatus.FAILED
    assert f"{kind.__name__}: no more of them" in outcome.reason


def test_a_visit_that_blocks_holds_up_its_own_toe_only(site, eager: Eager, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    site.pages(12)
    done: list[str] = []
    gate = threading.Barrier(3, timeout=20)

    def visit(page: Page) -> None:
        if page.url != site("/"):
            gate.wait()  # passes only when three are in it at once
        done.append(page.url)

    gossamer.crawl(site("/"), visit=visit, config=eager(toes=3))
    assert len(done) == 13


@pytest.mark.parametrize("hook", ["visit", "should_visit", "on_fetch_failed"])
@pytest.mark.parametrize("raised", [OwnKind, asyncio.CancelledError, SystemExit])
def test_no_kind_of_exception_in_the_loop_costs_a_page_or_hangs_the_crawl(
    site, eager: Eager, hook: str, raised: type[BaseException]
) -> None:
    site.page("/", "/a", "/missing")
    site.page("/a")

    def refuse(*_: object) -> None:
        raise raised

    async def refuse_later(*_: object) -> None:
        raise raised

    crawler = type("Raising", (WebCrawler,), {hook: refuse if hook == "should_visit" else refuse_later})
    failed: list[gossamer.HookFailed] = []
    controller = CrawlController(eager(toes=2))
    controller.add_seed(site("/"))
    controller.subscribe(gossamer.HookFailed, failed.append)
    outcome = controller.start(crawler)
    assert outcome is not None
    assert outcome.exit_status is ExitStatus.FINISHED
    assert controller.counts.pages == (1 if hook == "should_visit" else 2)
    assert {one.hook for one in failed} == {hook}


@pytest.mark.parametrize("is_async", [False, True])
def test_a_hook_that_closes_its_controller_ends_the_crawl_without_waiting_for_itself(
    site, eager: Eager, is_async: bool
) -> None:
    site.pages(20)

    class Closing(WebCrawler):
        def visit(self, page: Page) -> None:
            with controller:
                pass  # leaving the block closes it

    class ClosingInTheLoop(WebCrawler):
        async def visit(self, page: Page) -> None:
            controller.close()

    controller = CrawlController(eager(toes=1))
    controller.add_seed(site("/"))
    outcome = controller.start(ClosingInTheLoop if is_async else Closing)
    assert outcome is not None
    assert outcome.exit_status is ExitStatus.ABORTED
    assert controller.counts.pages == 1


def test_what_a_hook_does_wrong_with_the_links_of_a_page_is_its_own_failure_and_the_page_stays_whole(
    site, eager: Eager
) -> None:
    site.page("/", "/a")
    site.page("/a")
    wrongs: list[Callable[[Page], object]] = [
        lambda page: page.links.append(site("/b")),  # type: ignore[attr-defined]
        lambda page: page.added_links.append(site("/b")),  # type: ignore[attr-defined]
        lambda page: page.add_link("/b", hop="LL"),
        lambda page: page.add_link("/b", hop=None),  # type: ignore[arg-type]
        lambda page: page.add_link("/b", text=b"x"),  # type: ignore[arg-type]
        lambda page: page.add_link(None),  # type: ignore[arg-type]
    ]
    refused: list[str] = []

    class Wrong(WebCrawler):
        def visit(self, page: Page) -> None:
            for wrong in wrongs:
                try:
                    wrong(page)
                except (AttributeError, TypeError, ValueError) as error:
                    refused.append(str(error))
            page.add_link("/with-half-a-character", text="\ud800")
            page.links = None  # type: ignore[assignment]

    controller = crawl(Wrong, [site("/")], eager(toes=1))
    assert len(refused) == 2 * len(wrongs)
    assert controller.counts.pages == 2
    assert "/with-half-a-character" in site.asked
    assert "/b" not in site.asked
