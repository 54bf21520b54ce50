"""What an operator asks of a crawl that runs: URLs, toes, settings, deletions, queues out and back, pause and stop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from gossamer.config import CrawlConfig, Limits, Scope, load
from gossamer.control import CrawlController, CrawlState, ExitStatus, new_controller
from gossamer.demosite import DemoThread
from gossamer.errors import ConfigError, StateError
from gossamer.model.attempt import Attempt
from gossamer.model.events import CrawlStateChanged, UriFinished
from gossamer.process import Fetching, Flow
from gossamer.seeds import Seed, parse_seed
from gossamer.util.clock import SystemClock

from .conftest import Crawls
from .test_whole_crawl import responses


class Operator:
    """Does one thing when the crawl gets into a state, once, in a task of its own."""

    def __init__(self, state: str, does: Callable[[CrawlController], Awaitable[object]]) -> None:
        self.state = state
        self.does = does
        self.states: list[str] = []
        self.result: object = None
        self.task: asyncio.Task[None] | None = None

    def watch(self, controller: CrawlController) -> None:
        self.controller = controller
        controller.bus.subscribe(CrawlStateChanged, self.on_state)

    def on_state(self, event: CrawlStateChanged) -> None:
        self.states.append(event.state)
        if event.state == self.state and self.task is None:
            self.task = asyncio.get_running_loop().create_task(self.act())

    async def act(self) -> None:
        try:
            self.result = await self.does(self.controller)
        except BaseException as error:
            self.result = error
            self.controller.request_stop()


# ---- URLs


def test_urls_added_to_an_empty_crawl_wake_it_and_it_runs_empty_again(crawls: Crawls, site: DemoThread) -> None:
    """S9: EMPTY <-> RUN as URIs run out or come; with run_while_empty it does not end."""
    first, *_ = sorted(site.site.expected_pages())

    async def add(controller: CrawlController) -> object:
        added = await controller.request_add([first, first, "https://elsewhere.example/", "mailto:x"], as_seeds=False)

        def stop(event: CrawlStateChanged) -> None:
            if event.state == "EMPTY":
                controller.request_stop()

        controller.bus.subscribe(CrawlStateChanged, stop)
        return added

    operator = Operator("EMPTY", add)
    outcome = crawls.run(
        [f"{site.seeds[0].rstrip('/')}/robots.txt"],
        watch=operator.watch,
        run_while_empty=True,
        scope=Scope(max_embed_hops=0, max_depth=0),
    )
    added = operator.result
    assert (added.added, added.known, added.refused, added.invalid) == (1, 1, {"out-of-scope": 1}, 1)  # type: ignore[attr-defined]
    assert operator.states == ["PREPARING", "RUNNING", "EMPTY", "RUNNING", "EMPTY", "STOPPING", "FINISHED"]
    assert outcome.exit_status is ExitStatus.ABORTED
    assert responses(crawls.directory.path)[first, 200] == 1


def test_seeds_added_widen_the_scope_and_are_seeds_in_the_next_run(crawls: Crawls, site: DemoThread) -> None:
    other = site.seeds[0].replace("127.0.0.1", "localhost")

    async def add(controller: CrawlController) -> object:
        return await controller.request_add([other], as_seeds=True)

    operator = Operator("RUNNING", add)
    outcome = crawls.run(site.seeds, watch=operator.watch)
    assert operator.result.added == 1  # type: ignore[attr-defined]
    assert [seed.url for seed in outcome.seeds] == [site.seeds[0], other]
    assert outcome.seeds[1].status == 200
    pages = len(site.site.expected_pages())
    assert outcome.progress.counts.pages == 2 * pages
    assert [one.text for one in crawls.directory.seeds() if isinstance(one, Seed)] == [other]


def test_a_forced_url_is_fetched_again_and_one_that_is_known_is_not(crawls: Crawls, site: DemoThread) -> None:
    page = sorted(site.site.expected_pages())[0]

    async def add(controller: CrawlController) -> object:
        known = await controller.request_add([page])
        forced = await controller.request_add([page], force=True)

        def stop(event: UriFinished) -> None:
            controller.request_stop()

        controller.bus.subscribe(UriFinished, stop)
        return known.added, known.known, forced.added

    operator = Operator("EMPTY", add)
    crawls.run(site.seeds, watch=operator.watch, run_while_empty=True)
    assert operator.result == (0, 1, 1)
    assert responses(crawls.directory.path)[page, 200] == 2


# ---- settings


def test_settings_change_at_once_and_for_the_runs_to_come(crawls: Crawls, site: DemoThread) -> None:
    async def change(controller: CrawlController) -> object:
        controller.change_settings({"toes": 2, "politeness.delay": 0.001, "max_pages": 7, "scope.exclude": ("odd",)})
        assert controller.crawl is not None
        return controller.crawl.toes.size

    operator = Operator("RUNNING", change)
    outcome = crawls.run(site.seeds, watch=operator.watch)
    assert operator.result == 2
    assert outcome.exit_status is ExitStatus.DOCUMENT_LIMIT
    assert outcome.progress.counts.pages == 7
    assert not {url for url, _ in responses(crawls.directory.path) if "/odd/" in url}
    written = load(crawls.directory.settings_file)
    assert (written.toes, written.politeness.delay, written.limits.max_pages) == (2, 0.001, 7)
    assert written.scope.exclude == ("odd",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"warc.level": 1}, "cannot be changed while the crawl runs"),
        ({"toes": 0}, "toes"),
        ({"toes": 3, "scope.exclude": ("(",)}, "exclude"),
        ({"politeness.dely": 3}, "did you mean delay"),
    ],
)
def test_a_change_that_cannot_be_made_changes_nothing(
    crawls: Crawls, site: DemoThread, changes: dict[str, object], message: str
) -> None:
    async def change(controller: CrawlController) -> object:
        with pytest.raises(ConfigError, match=message):
            controller.change_settings(changes)
        assert controller.crawl is not None
        return controller.crawl.toes.size, controller.config.toes

    operator = Operator("RUNNING", change)
    outcome = crawls.run(site.seeds, watch=operator.watch)
    assert operator.result == (8, 8)
    assert outcome.progress.counts.pages == len(site.site.expected_pages())
    assert not crawls.directory.settings_file.exists()


# ---- queues


def test_uris_that_match_are_deleted_and_a_queue_is_taken_out_and_brought_back(
    crawls: Crawls, site: DemoThread
) -> None:
    host = site.seeds[0].split("/")[2]

    async def operate(controller: CrawlController) -> object:
        await controller.request_add([f"{site.seeds[0]}extra/{number}" for number in range(1200)])
        with pytest.raises(ConfigError, match="not a regular expression"):
            await controller.delete_matching(uri_regex="(")
        deleted = await controller.delete_matching(queue_regex="^127", uri_regex="/extra/")
        out = controller.retire(host), controller.retire(host), controller.retire("nowhere.example")
        controller.request_resume()
        while controller.state is not CrawlState.EMPTY:
            await asyncio.sleep(0)
        back = controller.revive(host), controller.revive("nowhere.example")

        def stop(event: CrawlStateChanged) -> None:
            if event.state == "EMPTY":
                controller.request_stop()

        controller.bus.subscribe(CrawlStateChanged, stop)
        return deleted, out, back

    operator = Operator("PAUSED", operate)
    outcome = crawls.run(site.seeds, watch=operator.watch, pause_at_start=True, run_while_empty=True)
    assert operator.result == (1200, (True, False, False), (0, 0))
    assert outcome.progress.counts.reasons["deleted"] == 1200
    assert outcome.progress.counts.pages == len(site.site.expected_pages())
    assert operator.states[:5] == ["PREPARING", "PAUSED", "RUNNING", "EMPTY", "RUNNING"]


# ---- states


def test_a_pause_abandons_what_is_in_flight_when_its_grace_is_over(
    crawls: Crawls, site: DemoThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A download that never ends holds up no pause for long; its URI goes back and is fetched in the end."""
    fetch = Fetching.process
    hangs = iter([True] * 3)
    paused: list[int] = []

    async def hang_or_fetch(self: Fetching, attempt: Attempt) -> Flow:
        if attempt.curi.docid % 7 == 0 and next(hangs, False):
            controllers[0].request_pause()
            await asyncio.Event().wait()
        return await fetch(self, attempt)

    monkeypatch.setattr(Fetching, "process", hang_or_fetch)
    controllers: list[CrawlController] = []

    def watch(controller: CrawlController) -> None:
        def on_state(event: CrawlStateChanged) -> None:
            if event.state == "PAUSED":
                assert controller.crawl is not None
                paused.append(controller.crawl.frontier.counts().in_process)
                controller.request_resume()

        controllers.append(controller)
        controller.bus.subscribe(CrawlStateChanged, on_state)

    outcome = crawls.run(site.seeds, watch=watch, limits=Limits(pause_grace=0.0))
    assert paused and set(paused) == {0}
    assert outcome.progress.replaced_toes >= 3
    archived = responses(crawls.directory.path)
    assert {url for url, answer in site.site.expected().items() if archived[url, answer.status] != 1} == set()


async def test_a_stop_in_nascent_ends_it_before_anything_was_opened(crawls: Crawls) -> None:
    """S8: from NASCENT straight to FINISHED; FINISHED takes no further request."""
    crawls.directory.create()
    config = CrawlConfig(folder=crawls.directory.path)
    seeds = [parse_seed("http://127.0.0.1:9/")]
    controller = new_controller(config, seeds, crawls.directory.paths(), SystemClock())
    states: list[str] = []
    controller.bus.subscribe(CrawlStateChanged, lambda event: states.append(event.state))
    controller.request_stop()
    assert (controller.state, controller.exit_status) == (CrawlState.FINISHED, ExitStatus.ABORTED)
    for request in (controller.request_stop, controller.request_pause, controller.request_resume):
        with pytest.raises(StateError, match="FINISHED"):
            request()
    with pytest.raises(StateError, match="FINISHED"):
        await controller.run()
    assert states == ["FINISHED"]
    assert not crawls.directory.has_state()


@pytest.mark.parametrize("state", ["PREPARING", "RUNNING", "PAUSED"])
@pytest.mark.parametrize("stops", [10])
def test_a_stop_in_any_state_ends_it_and_more_of_them_change_nothing(
    crawls: Crawls, site: DemoThread, state: str, stops: int
) -> None:
    """S8: a second stop nudges the toes; a burst is no different; FINISHED and its status stay."""

    async def stop(controller: CrawlController) -> object:
        for number in range(stops):
            controller.request_stop(ExitStatus.ABORTED, f"stop {number}")
        with pytest.raises(StateError, match="STOPPING"):
            controller.request_stop(ExitStatus.TIME_LIMIT)
        return controller.state

    stopping = Operator(state, stop)
    outcome = crawls.run(site.seeds, watch=stopping.watch, pause_at_start=state == "PAUSED")
    assert stopping.result is CrawlState.STOPPING
    assert stopping.states[-2:] == ["STOPPING", "FINISHED"]
    assert (outcome.exit_status, outcome.reason) == (ExitStatus.ABORTED, "stop 0")
    assert outcome.progress.counts.in_process == 0
    if state != "RUNNING":
        assert not site.requests
    assert crawls.run(site.seeds).progress.counts.pages == len(site.site.expected_pages())


def test_a_finished_crawl_that_is_stopped_while_it_closes_stays_finished(crawls: Crawls, site: DemoThread) -> None:
    """S8: a status FINISHED is not overwritten."""

    async def stop(controller: CrawlController) -> object:
        controller.request_stop(ExitStatus.ABORTED)
        return None

    operator = Operator("STOPPING", stop)
    outcome = crawls.run(site.seeds, watch=operator.watch)
    assert operator.result is None
    assert outcome.exit_status is ExitStatus.FINISHED


def test_an_exception_inside_the_frontier_pauses_the_job_with_a_reason_and_it_can_be_resumed(
    crawls: Crawls, site: DemoThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S9."""
    from gossamer.frontier.turns import Turns

    take = Turns.take
    calls = iter(range(100_000))

    def failing(self: Turns) -> object:
        if next(calls) == 25:
            raise KeyError("a bug")
        return take(self)

    monkeypatch.setattr(Turns, "take", failing)
    reasons: list[str] = []

    def watch(controller: CrawlController) -> None:
        def on_state(event: CrawlStateChanged) -> None:
            if event.state == "PAUSED":
                reasons.append(event.reason)
                controller.request_resume()

        controller.bus.subscribe(CrawlStateChanged, on_state)

    outcome = crawls.run(site.seeds, watch=watch)
    assert reasons == ["error"]
    assert outcome.exit_status is ExitStatus.FINISHED
    assert outcome.progress.counts.pages == len(site.site.expected_pages())


def test_want_of_memory_in_a_toe_pauses_the_job_with_a_reason_and_it_can_be_resumed(
    crawls: Crawls, site: DemoThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S6."""
    fetch = Fetching.process
    calls = iter(range(100_000))

    async def failing(self: Fetching, attempt: Attempt) -> Flow:
        if next(calls) == 12:
            raise MemoryError
        return await fetch(self, attempt)

    monkeypatch.setattr(Fetching, "process", failing)
    reasons: list[str] = []

    def watch(controller: CrawlController) -> None:
        def on_state(event: CrawlStateChanged) -> None:
            if event.state == "PAUSED":
                reasons.append(event.reason)
                controller.request_resume()

        controller.bus.subscribe(CrawlStateChanged, on_state)

    outcome = crawls.run(site.seeds, watch=watch)
    assert reasons == ["memory"]
    archived = responses(crawls.directory.path)
    assert {url for url, answer in site.site.expected().items() if archived[url, answer.status] != 1} == set()
    assert outcome.exit_status is ExitStatus.FINISHED


def test_requests_on_a_crawl_that_is_not_open_are_refused_with_the_reason(crawls: Crawls, site: DemoThread) -> None:
    refused: list[str] = []

    def watch(controller: CrawlController) -> None:
        def on_state(event: CrawlStateChanged) -> None:
            for request in (
                lambda: controller.set_toes(2),
                lambda: controller.retire("x"),
                lambda: controller.revive("x"),
            ):
                try:
                    request()
                except StateError as error:
                    refused.append(str(error))

        controller.bus.subscribe(CrawlStateChanged, on_state)

    crawls.run(site.seeds, watch=watch)
    assert {text.partition(" in state ")[2] for text in refused} == {"PREPARING", "STOPPING", "FINISHED"}
