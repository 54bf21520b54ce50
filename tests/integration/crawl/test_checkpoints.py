"""Checkpoints of a crawl that runs: taken, listed, refused when damaged, gone back to."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

import pytest

from gossamer.config import Durability
from gossamer.control import (
    Checkpoint,
    CrawlController,
    CrawlState,
    ExitStatus,
    find_checkpoint,
    list_checkpoints,
    restore,
)
from gossamer.control.restoring import finish_restoring
from gossamer.demosite import DemoThread
from gossamer.errors import ConfigError, StateError
from gossamer.model.events import CrawlStateChanged, UriFinished
from gossamer.warc import check_folder

from .conftest import Crawls
from .test_whole_crawl import responses

NOW = 1_700_000_000.0  # 2023-11-14 22:13:20 UTC


class Taking:
    """Takes a checkpoint after so many URIs, at full speed, and notes the counts when it is there."""

    def __init__(self, *after: int, names: tuple[str | None, ...] = (None, None, None), stops: bool = False) -> None:
        self.after = after
        self.names = iter(names)
        self.stops = stops
        self.taken: list[Checkpoint] = []
        self.errors: list[Exception] = []
        self.tasks: list[asyncio.Task[None]] = []
        self.finished = 0

    def watch(self, controller: CrawlController) -> None:
        self.controller = controller
        controller.bus.subscribe(UriFinished, self.on_uri)

    def on_uri(self, event: UriFinished) -> None:
        self.finished += 1
        if self.finished in self.after:
            self.tasks.append(asyncio.get_running_loop().create_task(self.take()))

    async def take(self) -> None:
        try:
            self.taken.append(await self.controller.request_checkpoint(next(self.names)))
        except Exception as error:
            self.errors.append(error)
        if self.stops and self.controller.state is CrawlState.RUNNING:
            self.controller.request_stop()


def digests(folder: Path) -> dict[str, str]:
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.rglob("*")}


def test_going_back_gives_the_counts_of_that_moment_and_the_crawl_then_misses_nothing(
    crawls: Crawls, site: DemoThread
) -> None:
    # Early: toes that are at work take more URIs before it is taken, and some must be left for after it.
    taking = Taking(10)
    whole = crawls.run(site.seeds, watch=taking.watch)
    assert taking.errors == []
    (taken,) = taking.taken
    assert taken.counts.queued > 0
    folder, job = crawls.directory.paths().checkpoints, crawls.directory
    assert [one.name for one in list_checkpoints(folder)] == [taken.name]
    archive, log = digests(job.warcs), job.crawl_log.read_bytes()

    restored = restore(job.paths(), "latest", NOW)
    assert restored.manifest.name == taken.name
    assert restored.moved == job.path / "state.20231114221320"
    again = crawls.run(site.seeds, pause_at_start=True, watch=(back := Looking()).watch)
    assert back.counts is not None
    expected = taken.counts
    for name in ("discovered", "queued", "succeeded", "failed", "disregarded", "retried", "pages", "wire_bytes"):
        assert getattr(back.counts, name) == getattr(expected, name), name
    assert back.counts.reasons == expected.reasons
    assert again.exit_status is ExitStatus.FINISHED
    assert again.progress.counts.pages == whole.progress.counts.pages == len(site.site.expected_pages())

    assert {name: digest for name, digest in digests(job.warcs).items() if name in archive} == archive
    assert job.crawl_log.read_bytes() == log
    new = sorted(set(digests(job.warcs)) - set(archive))
    assert new and min(new) > max(archive), "serial numbers go on above the highest"
    assert (job.logs / "crawl-2.log").exists()
    assert check_folder(job.warcs).is_good
    archived = responses(job.path)
    assert {url for url, answer in site.site.expected().items() if archived[url, answer.status] < 1} == set()


class Looking:
    """Looks at the counts of a crawl that begins paused, and lets it go."""

    def __init__(self) -> None:
        self.counts = None

    def watch(self, controller: CrawlController) -> None:
        def on_state(event: CrawlStateChanged) -> None:
            if event.state == "PAUSED":
                assert controller.crawl is not None
                controller.crawl.frontier.validate()
                self.counts = controller.crawl.frontier.counts()  # type: ignore[assignment]
                controller.request_resume()

        controller.bus.subscribe(CrawlStateChanged, on_state)


def test_a_damaged_or_incomplete_checkpoint_is_refused_and_the_one_before_still_works(
    crawls: Crawls, site: DemoThread
) -> None:
    taking = Taking(names=("first", "second", None))

    def watch(controller: CrawlController) -> None:
        async def take_three() -> None:
            for _ in range(3):
                await taking.take()
            controller.request_stop()

        def on_uri(event: UriFinished) -> None:
            if not taking.tasks:
                taking.tasks.append(asyncio.get_running_loop().create_task(take_three()))

        taking.watch(controller)
        controller.bus.subscribe(UriFinished, on_uri)

    crawls.run(site.seeds, watch=watch, run_while_empty=True)
    assert taking.errors == []
    job, folder = crawls.directory, crawls.directory.paths().checkpoints
    third = taking.taken[2].name
    assert third.startswith("cp00001-")
    (folder / third / "manifest.json").unlink()
    table = next((folder / "second" / "state").glob("*.sst"))
    damaged = table.read_bytes()[:-1] + b"?"
    table.unlink()  # the same file is linked from the others
    table.write_bytes(damaged)

    with pytest.raises(ConfigError, match=f"{third} cannot be used: it is incomplete: it has no manifest"):
        find_checkpoint(folder, third)
    with pytest.raises(ConfigError, match="its digest differs"):
        find_checkpoint(folder, "second")
    with pytest.raises(ConfigError, match=r"there is no checkpoint '\.\./first'"):
        find_checkpoint(folder, "../first")
    before = digests(job.state)
    with pytest.raises(ConfigError, match="second cannot be used"):
        restore(job.paths(), "second", NOW)
    assert digests(job.state) == before, "a refused one has changed nothing"

    restored = restore(job.paths(), "latest", NOW)
    assert restored.manifest.name == "first"
    assert len(restored.refused) == 1
    outcome = crawls.run(site.seeds)
    assert outcome.progress.counts.pages == len(site.site.expected_pages())


def test_a_name_that_is_none_is_refused(crawls: Crawls, site: DemoThread) -> None:
    names = ("latest", "../x", "", ".hidden", "a/b", "x" * 101)
    taking = Taking(*range(1, len(names) + 1), names=names)
    crawls.run(site.seeds, watch=taking.watch, max_pages=10)
    assert [type(error) for error in taking.errors] == [ConfigError] * len(names)
    assert list_checkpoints(crawls.directory.checkpoints) == []


def test_two_at_once_and_one_while_stopping_are_refused(crawls: Crawls, site: DemoThread) -> None:
    taking = Taking(5, names=("a", "b", "c"), stops=True)
    crawls.directory.create()

    def watch(controller: CrawlController) -> None:
        taking.watch(controller)

        def on_state(event: CrawlStateChanged) -> None:
            if event.state == "STOPPING":
                taking.tasks.append(asyncio.get_running_loop().create_task(taking.take()))

        def on_uri(event: UriFinished) -> None:
            if taking.finished == 5:
                taking.tasks.append(asyncio.get_running_loop().create_task(taking.take()))

        controller.bus.subscribe(UriFinished, on_uri)
        controller.bus.subscribe(CrawlStateChanged, on_state)

    crawls.run(site.seeds, watch=watch)
    assert [taken.name for taken in taking.taken] == ["a"]
    assert sorted(str(error) for error in taking.errors) == [
        "another checkpoint is being taken",
        "one cannot take a checkpoint in state STOPPING",
    ]
    assert all(isinstance(error, StateError) for error in taking.errors)


def test_checkpoints_are_taken_at_an_interval_if_one_is_set(crawls: Crawls, site: DemoThread) -> None:
    def watch(controller: CrawlController) -> None:
        async def stop_later() -> None:
            while not any(one.manifest for one in list_checkpoints(crawls.directory.checkpoints)):
                await asyncio.sleep(0.05)
            controller.request_stop()

        def on_state(event: CrawlStateChanged) -> None:
            if event.state == "EMPTY":
                tasks.append(asyncio.get_running_loop().create_task(stop_later()))

        controller.bus.subscribe(CrawlStateChanged, on_state)

    tasks: list[asyncio.Task[None]] = []
    crawls.run(site.seeds, watch=watch, run_while_empty=True, durability=Durability(checkpoint_interval=1.0))
    listed = list_checkpoints(crawls.directory.checkpoints)
    assert [one for one in listed if one.manifest]


def test_only_so_many_numbered_checkpoints_are_kept_and_every_one_with_a_name(crawls: Crawls, site: DemoThread) -> None:
    folder = crawls.directory.checkpoints

    def watch(controller: CrawlController) -> None:
        async def take_five() -> None:
            try:
                (folder / "cp00001-20260101000000").mkdir(parents=True)  # interrupted by a kill
                for name in (None, "before-the-flood", None, None, None):
                    taken.append((await controller.request_checkpoint(name)).name)
            finally:
                controller.request_stop()

        def on_state(event: CrawlStateChanged) -> None:
            if event.state == "EMPTY":
                tasks.append(asyncio.get_running_loop().create_task(take_five()))

        controller.bus.subscribe(CrawlStateChanged, on_state)

    tasks: list[asyncio.Task[None]] = []
    taken: list[str] = []
    crawls.run(site.seeds, watch=watch, run_while_empty=True, durability=Durability(keep_checkpoints=2))
    assert [name[:7] for name in taken] == ["cp00002", "before-", "cp00003", "cp00004", "cp00005"]
    assert {path.name for path in folder.iterdir()} == {"before-the-flood", *taken[-2:]}
    found, refused = find_checkpoint(folder, "latest")
    assert (found.name, refused) == (taken[-1], [])


def test_a_restoring_that_was_interrupted_is_carried_out_or_forgotten(crawls: Crawls, site: DemoThread) -> None:
    taking = Taking(20, names=("x",), stops=True)
    crawls.run(site.seeds, watch=taking.watch)
    job = crawls.directory
    restore(job.paths(), "x", NOW)
    state = digests(job.state)

    # Killed between the two renames of the exchange:
    job.state.rename(job.path / "state.restored")
    (job.path / "state.suspect").write_bytes(b"of the store that was moved aside")
    finish_restoring(job.paths())
    assert digests(job.state) == state
    assert not (job.path / "state.suspect").exists()

    # Killed before the exchange:
    (job.path / "state.restored").mkdir()
    finish_restoring(job.paths())
    assert not (job.path / "state.restored").exists()
    assert digests(job.state) == state
    assert crawls.run(site.seeds).progress.counts.pages == len(site.site.expected_pages())
