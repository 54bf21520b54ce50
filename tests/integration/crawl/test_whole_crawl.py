"""One crawl, end to end: what the site has is in the archive, once, byte for byte; and the crawl ends by itself."""

from __future__ import annotations

import collections
import http.server
import threading
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from gossamer.control import CrawlController, ExitStatus
from gossamer.demosite import DemoPlan, DemoThread, largest_concurrency, smallest_gap
from gossamer.demosite.answer import Answer, redirect
from gossamer.demosite.arrival import MISREADING
from gossamer.demosite.requestlog import Request
from gossamer.errors import JobInUse
from gossamer.model.events import CrawlStateChanged
from gossamer.storage import FolderLock
from gossamer.warc import check_folder

from .conftest import Crawls


class SelfRedirecting:
    """Answers every path with 302 to itself without its query, and robots.txt with 404."""

    def __enter__(self) -> SelfRedirecting:
        targets = self.targets = list[str]()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                targets.append(self.path)
                self.send_response(404 if self.path == "/robots.txt" else 302)
                self.send_header("Location", self.path.partition("?")[0])
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.origin = f"http://127.0.0.1:{self._server.server_port}"
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def responses(folder: Path) -> collections.Counter[tuple[str, int]]:
    """(URL, status) of every http response record in the archive, read by another program."""
    found: collections.Counter[tuple[str, int]] = collections.Counter()
    for path in sorted((folder / "warcs").iterdir()):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, check_digests="raise"):
                if record.rec_type == "response":
                    target = record.rec_headers.get_header("WARC-Target-URI")
                    found[target, int(record.http_headers.get_statuscode())] += 1
    return found


def test_a_crawl_archives_what_the_site_has_and_nothing_it_must_not_ask_for(crawls: Crawls, site: DemoThread) -> None:
    outcome = crawls.run(site.seeds)

    assert outcome.exit_status is ExitStatus.FINISHED
    expected = site.site.expected()
    archived = responses(crawls.directory.path)
    last = {(url, answer.status) for url, answer in expected.items()}
    of_robots = {(url, status) for url, status in archived if url.endswith("/robots.txt")}
    assert {pair for pair in last if archived[pair] != 1} == set(), "missing or twice"
    first_tries = {pair for pair in archived if pair not in last} - of_robots
    assert {url for url, _ in first_tries} == {url for url, answer in expected.items() if answer.tries > 1}
    assert not {request.url for request in site.requests} & site.site.forbidden()
    assert outcome.progress.counts.pages == len(site.site.expected_pages())
    assert outcome.progress.counts.queued == outcome.progress.counts.in_process == 0


def test_log_archive_and_server_agree_on_every_answer(crawls: Crawls, site: DemoThread) -> None:
    crawls.run(site.seeds)
    logged = collections.Counter((words[3], int(words[1])) for words in crawls.log_lines() if int(words[1]) > 0)
    served = collections.Counter((request.url, request.status) for request in site.requests)
    assert logged == responses(crawls.directory.path) == served
    assert check_folder(crawls.directory.warcs).is_good


def test_every_state_is_announced_once_and_in_order(crawls: Crawls, site: DemoThread) -> None:
    """S7: a state event to all listeners, repeats suppressed."""
    states: list[str] = []

    def watch(controller: CrawlController) -> None:
        controller.bus.subscribe(CrawlStateChanged, lambda event: states.append(event.state))

    crawls.run(site.seeds, watch=watch)
    assert states == ["PREPARING", "RUNNING", "EMPTY", "STOPPING", "FINISHED"]


def test_robots_txt_is_fetched_once_and_before_any_page(crawls: Crawls, site: DemoThread) -> None:
    crawls.run(site.seeds)
    targets = [request.target for request in site.requests]
    assert targets[0] == "/robots.txt"
    assert targets.count("/robots.txt") == 1


def test_a_job_that_finished_does_nothing_when_run_again(crawls: Crawls, site: DemoThread) -> None:
    first = crawls.run(site.seeds)
    asked = len(site.requests)
    again = crawls.run(site.seeds)
    assert (first.was_finished, again.was_finished) == (False, True)
    assert len(site.requests) == asked
    assert again.progress.counts.pages == first.progress.counts.pages


@pytest.mark.parametrize("limits", [(1, 2, 5, 100_000), (7, 100_000)])
def test_max_pages_is_never_exceeded_and_a_higher_limit_goes_on_and_misses_nothing(
    crawls: Crawls, site: DemoThread, limits: tuple[int, ...]
) -> None:
    """S14."""
    pages = len(site.site.expected_pages())
    for limit in limits:
        outcome = crawls.run(site.seeds, max_pages=limit)
        assert outcome.progress.counts.pages == min(limit, pages)
        expected = ExitStatus.DOCUMENT_LIMIT if limit < pages else ExitStatus.FINISHED
        assert outcome.exit_status is expected
    archived = responses(crawls.directory.path)
    assert {url for url, answer in site.site.expected().items() if archived[url, answer.status] != 1} == set()


def is_kept(delay: float, requests: list[Request]) -> bool:
    """Whether no two requests came closer than that."""
    gap = smallest_gap(requests)
    assert gap is not None
    if any(request.arrived is None for request in requests):
        # The server shares this process, and reads a request when it gets its turn: half is for that.
        return gap >= delay / 2
    return gap >= delay - MISREADING


@pytest.mark.parametrize("connections", [1, 4])
def test_the_gap_between_two_requests_to_a_host_is_never_below_the_delay(crawls: Crawls, connections: int) -> None:
    """P9: start to start, robots.txt included; a crawl that is stopped and resumed in between keeps it as well."""
    delay = 0.04
    with DemoThread(DemoPlan(pages=6, oddities=False)) as demo:
        crawls.run(demo.seeds, delay=delay, connections=connections, max_pages=3)
        crawls.run(demo.seeds, delay=delay, connections=connections)
        assert crawls.smallest_gap_sent() >= delay - 0.001
        assert is_kept(delay, demo.requests)
        if connections == 1:
            assert largest_concurrency(demo.requests) == 1


def test_robots_txt_of_three_hosts_that_lead_to_a_fourth_keep_its_gap(crawls: Crawls) -> None:
    """P9: start to start, as that host sees it, its own pages among them."""
    delay = 0.04
    with DemoThread(DemoPlan(pages=12, hosts=4, oddities=False)) as demo:
        respond = demo.server.respond
        shared = demo.site.authorities[0]

        def moved(request: Request, host: int) -> Answer:
            if host > 0 and request.target == "/robots.txt":
                return redirect(302, f"http://{shared}/robots.txt")
            return respond(request, host)

        demo.server.respond = moved  # type: ignore[method-assign]
        outcome = crawls.run(demo.seeds, delay=delay, connections=1, toes=8)
        assert outcome.exit_status is ExitStatus.FINISHED
        requests = [request for request in demo.requests if request.authority == shared]
    assert [request.target for request in requests].count("/robots.txt") == 4
    assert {request.url for request in demo.requests} >= set(demo.site.expected_pages())
    assert crawls.smallest_gap_sent(f"http://{shared}/") >= delay - 0.001
    assert is_kept(delay, requests)
    assert largest_concurrency(requests) == 1


def test_never_more_requests_at_once_than_connections_per_host(crawls: Crawls, site: DemoThread) -> None:
    crawls.run(site.seeds, connections=3, toes=20)
    assert largest_concurrency(site.requests) <= 3


def test_the_target_of_a_seeds_redirect_is_a_seed_and_stays_one_in_the_next_run(crawls: Crawls) -> None:
    with DemoThread(DemoPlan(pages=12, hosts=2, oddities=False, root_redirect=True)) as demo:
        seed = demo.seeds[1]
        crawls.run([seed], max_pages=1)
        crawls.run([seed])
        archived = {url for url, _ in responses(crawls.directory.path)}
    host = seed.removesuffix("/")
    expected = {url for url in demo.site.expected() if url.startswith(host)}
    assert expected <= archived


def test_a_redirect_to_itself_is_asked_for_again_five_times_and_then_fails(crawls: Crawls) -> None:
    """A cookie wall answers so, with the same URL or with one that means the same page."""
    with SelfRedirecting() as server:
        outcome = crawls.run([f"{server.origin}/x", f"{server.origin}/y?sid=0123456789abcdef0123456789abcdef"])
        assert outcome.progress.counts.failed == 2
        assert outcome.progress.counts.reasons == {"TOO_MANY_REDIRECTS": 2}
        assert server.targets.count("/x") == 6
        assert len(server.targets) == 1 + 6 + 6, "robots.txt, and six tries of each seed"


def test_a_host_that_cannot_be_reached_ends_the_crawl_by_itself_and_says_so(crawls: Crawls) -> None:
    outcome = crawls.run(["http://127.0.0.1:9/"])
    assert outcome.exit_status is ExitStatus.FINISHED
    assert not outcome.has_fetched_seed
    assert outcome.progress.counts.failed == 1
    assert outcome.seeds[0].reason == "CONNECT_FAILED", "the cause, and not only that robots.txt was missing"


def test_a_second_crawl_of_a_job_in_use_is_refused_with_the_pid(crawls: Crawls, site: DemoThread) -> None:
    crawls.directory.create()
    with FolderLock(crawls.directory.path), pytest.raises(JobInUse, match=r"process \d+"):
        crawls.run(site.seeds)


def test_after_a_crawl_the_folder_can_be_moved_and_crawled_again(
    crawls: Crawls, site: DemoThread, tmp_path: Path
) -> None:
    """S4: nothing holds on to a file once the run has returned."""
    crawls.run(site.seeds, max_pages=5)
    moved = tmp_path / "elsewhere"
    crawls.directory.path.rename(moved)
    elsewhere = Crawls(moved)
    outcome = elsewhere.run(site.seeds)
    assert outcome.progress.counts.pages == len(site.site.expected_pages())
    assert not list(elsewhere.directory.warcs.glob("*.open"))
