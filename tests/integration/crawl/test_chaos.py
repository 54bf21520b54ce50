"""S2, S5, S8: toes killed or resized and commands given at any moment lose nothing; it ends as if nothing had happened."""

from __future__ import annotations

import asyncio
import contextlib
import random

import pytest

from gossamer.control import CrawlController, CrawlState
from gossamer.demosite import DemoThread
from gossamer.errors import StateError
from gossamer.model.events import CrawlStateChanged, UriFinished

from .conftest import Crawls
from .test_whole_crawl import responses


class Trouble:
    """Does something to the toes after every so many URIs, at a random tick."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.done = 0
        self.seed_url = ""
        self.tasks: set[asyncio.Task[None]] = set()

    def watch(self, controller: CrawlController) -> None:
        self.controller = controller
        controller.bus.subscribe(UriFinished, lambda event: self.begin())

    def begin(self) -> None:
        task = asyncio.get_running_loop().create_task(self.later())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def later(self) -> None:
        for _ in range(self.random.randrange(30)):
            await asyncio.sleep(0)
        if self.controller.state is CrawlState.RUNNING and self.controller.crawl is not None:
            self.strike()

    def strike(self) -> None:
        raise NotImplementedError


class Killing(Trouble):
    def strike(self) -> None:
        assert self.controller.crawl is not None
        toes = self.controller.crawl.toes
        victim = self.random.choice(toes.reports()).serial
        toes.kill(victim)
        self.done += 1


class Resizing(Trouble):
    def strike(self) -> None:
        assert self.controller.crawl is not None
        self.controller.crawl.toes.set_size(self.random.randrange(1, 20))
        self.done += 1


class Commanding(Trouble):
    """Everything an operator can do to a crawl that runs, and a pause that is taken back at a random tick."""

    def strike(self) -> None:
        self.done += 1
        command = self.random.choice([self.pause, self.resize, self.checkpoint, self.hurry, self.add])
        task = asyncio.get_running_loop().create_task(command())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def pause(self) -> None:
        self.controller.request_pause()
        for _ in range(self.random.randrange(60)):
            await asyncio.sleep(0)
        if self.controller.state in (CrawlState.PAUSING, CrawlState.PAUSED):
            self.controller.request_resume()

    async def resize(self) -> None:
        self.controller.set_toes(self.random.randrange(1, 51))

    async def checkpoint(self) -> None:
        with contextlib.suppress(StateError):  # one is being taken, or the crawl has come to its end
            await self.controller.request_checkpoint()

    async def hurry(self) -> None:
        self.controller.change_settings({"delay": self.random.choice([0.0, 0.001])})

    async def add(self) -> None:
        added = await self.controller.request_add([self.seed_url])
        assert added.known == 1


@pytest.mark.parametrize("trouble", [Killing, Resizing, Commanding])
@pytest.mark.parametrize("seed", range(3))
def test_a_crawl_whose_toes_are_killed_or_resized_at_random_is_complete(
    crawls: Crawls, site: DemoThread, trouble: type[Trouble], seed: int
) -> None:
    troubled = trouble(seed)
    troubled.seed_url = site.seeds[0]
    outcome = crawls.run(site.seeds, watch=troubled.watch)
    assert troubled.done > 10
    assert outcome.progress.counts.queued == 0
    archived = responses(crawls.directory.path)
    assert {url for url, answer in site.site.expected().items() if archived[url, answer.status] != 1} == set()
    assert outcome.progress.counts.pages == len(site.site.expected_pages())


def test_pause_reaches_paused_with_nothing_in_process_and_resume_goes_on(crawls: Crawls, site: DemoThread) -> None:
    """S8, S9: PAUSE is reached only with nothing in process; a pause while paused is ignored."""
    seen: list[tuple[str, int]] = []

    def watch(controller: CrawlController) -> None:
        def on_state(event: CrawlStateChanged) -> None:
            if event.state == "PAUSED":
                assert controller.crawl is not None
                seen.append((event.state, controller.crawl.frontier.counts().in_process))
                controller.request_pause()
                controller.request_resume()
                with pytest.raises(StateError, match="RUNNING"):
                    controller.request_resume()

        def on_uri(event: UriFinished) -> None:
            if event.curi.docid in (5, 50) and controller.state is CrawlState.RUNNING:
                controller.request_pause()

        controller.bus.subscribe(CrawlStateChanged, on_state)
        controller.bus.subscribe(UriFinished, on_uri)

    outcome = crawls.run(site.seeds, watch=watch)
    assert seen == [("PAUSED", 0), ("PAUSED", 0)]
    assert outcome.progress.counts.pages == len(site.site.expected_pages())
