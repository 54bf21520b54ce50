"""S10: one job folder, launched, commanded, torn down, launched again; what it did is in its log and its history."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from gossamer.config import CrawlConfig, Politeness, Scope
from gossamer.control import CrawlState, ExitStatus
from gossamer.demosite import DemoThread
from gossamer.errors import ConfigError, JobInUse, StateError
from gossamer.jobs import CrawlJob, JobDirectory
from gossamer.model.attempt import Attempt
from gossamer.process import Fetching, Flow
from gossamer.seeds import parse_seed
from gossamer.storage import FolderLock


@pytest.fixture
def directory(tmp_path: Path, site: DemoThread) -> JobDirectory:
    made = JobDirectory(tmp_path / "job")
    made.create()
    politeness = Politeness(delay=0, connections_per_host=4, throttle_start=0.01)
    made.write_settings(CrawlConfig(politeness=politeness, scope=Scope(max_embed_hops=0), toes=8))
    made.write_seeds([parse_seed(seed) for seed in site.seeds])
    return made


def lines(directory: JobDirectory, launch_id: str) -> list[str]:
    """What job.log says of a launch, without times."""
    found = [line.split(" ", 2) for line in directory.job_log.read_text().splitlines()]
    assert all(words[0].endswith("Z") for words in found)
    return [words[2] for words in found if words[1] == launch_id]


class Hanging:
    """Fetches that do not end before they are let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.are_let_go = asyncio.Event()
        self.count = 0
        fetch = Fetching.process

        async def hang(fetching: Fetching, attempt: Attempt) -> Flow:
            self.count += 1
            await self.are_let_go.wait()
            return await fetch(fetching, attempt)

        monkeypatch.setattr(Fetching, "process", hang)

    async def wait(self) -> None:
        while not self.count:
            await asyncio.sleep(0.001)


async def test_a_job_is_launched_commanded_torn_down_and_launched_again(
    directory: JobDirectory, site: DemoThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = CrawlJob(directory)
    hanging = Hanging(monkeypatch)
    first = await job.launch()
    assert len(first) == 14 and first.isdigit()
    await hanging.wait()
    with pytest.raises(StateError, match="running already"):
        await job.launch()
    job.pause()
    hanging.are_let_go.set()
    taken = await job.checkpoint("here")
    job.resume()
    with pytest.raises(StateError):
        job.resume()
    job.terminate("enough")
    outcome = await job.wait()
    assert (outcome.exit_status, outcome.reason, outcome.launch_id) == (ExitStatus.ABORTED, "enough", first)
    assert await job.teardown()
    assert await job.teardown(), "once is enough"
    assert job.controller is None and not job.is_running

    second = await job.launch()
    assert second > first
    assert (await job.wait()).progress.counts.pages == len(site.site.expected_pages())
    third = await job.launch(checkpoint="latest")
    assert (await job.wait()).exit_status is ExitStatus.FINISHED
    assert await job.teardown()

    told = lines(directory, first)
    assert told[:2] == ["launched", "state RUNNING"]
    for expected in ("command pause", "state PAUSING operator", "command checkpoint here", "command terminate enough"):
        assert expected in told
    assert any(line.startswith("checkpoint here, the crawl stood still for") for line in told)
    assert any(line.startswith("refused resume: 'resume' is not possible in state") for line in told)
    assert told[-3:] == ["ended ABORTED enough", "command teardown", "torn-down"]
    assert lines(directory, third)[0].startswith("restored here")
    assert taken.name == "here"

    history = job.launches()
    assert [(one.launch, one.exit_status, one.checkpoint) for one in history] == [
        (first, "ABORTED", ""),
        (second, "FINISHED", ""),
        (third, "FINISHED", "here"),
    ]
    assert history[1].pages == len(site.site.expected_pages())
    assert all(one.ended is not None and one.ended >= one.began for one in history)


async def test_a_teardown_that_the_crawl_outlasts_is_completed_by_its_end_exactly_once(
    directory: JobDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The race of S10, lost by the wait."""
    job = CrawlJob(directory, teardown_seconds=0.0)
    hanging = Hanging(monkeypatch)
    launch_id = await job.launch()
    await hanging.wait()
    assert not await job.teardown()
    assert job.is_running
    with pytest.raises(StateError, match="running already"):
        await job.launch()
    waiting = asyncio.create_task(job.wait())
    await asyncio.sleep(0)
    hanging.are_let_go.set()
    outcome = await waiting
    assert outcome.exit_status is ExitStatus.ABORTED
    assert job.controller is None
    assert lines(directory, launch_id).count("torn-down") == 1
    assert await job.launch() > launch_id
    assert await _torn_down(job)


async def test_a_teardown_that_waits_for_the_crawl_is_done_by_one_of_the_two_exactly_once(
    directory: JobDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The race of S10, won by the wait; two teardowns at a time change nothing."""
    job = CrawlJob(directory, teardown_seconds=60.0)
    hanging = Hanging(monkeypatch)
    launch_id = await job.launch()
    await hanging.wait()
    teardowns = [asyncio.create_task(job.teardown()) for _ in range(2)]
    await asyncio.sleep(0)
    hanging.are_let_go.set()
    assert await asyncio.gather(*teardowns) == [True, True]
    told = lines(directory, launch_id)
    assert told.count("torn-down") == 1
    assert told.index("state FINISHED torn down") < told.index("torn-down")
    second = await job.launch()
    assert job.launch_id == second
    assert await _torn_down(job)


async def _torn_down(job: CrawlJob) -> bool:
    await job.teardown()
    while job.controller is not None:
        await asyncio.sleep(0.001)
    return True


async def test_a_launch_that_cannot_open_says_why_and_leaves_the_job_ready(directory: JobDirectory) -> None:
    job = CrawlJob(directory)
    with FolderLock(directory.path), pytest.raises(JobInUse):
        await job.launch()
    assert job.controller is None
    assert job.launches() == []
    with pytest.raises(ConfigError, match="no checkpoint"):
        await job.launch(checkpoint="latest")
    with pytest.raises(StateError, match="not running"):
        job.pause()
    with pytest.raises(StateError, match="not running"):
        await job.wait()
    await job.launch()
    assert (await job.wait()).exit_status is ExitStatus.FINISHED


async def test_a_launch_that_was_killed_is_in_the_history_without_an_end(
    directory: JobDirectory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    job = CrawlJob(directory)
    hanging = Hanging(monkeypatch)
    killed = await job.launch()
    await hanging.wait()
    history = directory.reports / "launches.jsonl"
    as_it_stood = history.read_bytes()
    await job.cancel()
    history.write_bytes(as_it_stood + b'{"launch": "2026')  # torn by a crash
    hanging.are_let_go.set()
    again = CrawlJob(directory)
    later = await again.launch()
    assert later > killed
    assert (await again.wait()).exit_status is ExitStatus.FINISHED
    assert [(one.launch, one.exit_status) for one in again.launches()] == [(killed, None), (later, "FINISHED")]
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_validate_finds_what_would_keep_a_launch_from_beginning(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no folder"):
        CrawlJob(JobDirectory(tmp_path / "none")).validate()
    directory = JobDirectory(tmp_path / "job")
    directory.create()
    directory.write_settings(CrawlConfig(max_pages=3))
    job = CrawlJob(directory)
    with pytest.raises(ConfigError, match="no seed"):
        job.validate()
    directory.write_seeds([parse_seed("example.org")])
    config, seeds = job.validate()
    assert (config.limits.max_pages, [seed.text for seed in seeds]) == (3, ["example.org"])
    directory.settings_file.write_text("[limits]\nmax_page = 3\n")
    with pytest.raises(ConfigError, match="max_pages"):
        job.validate()


async def test_a_stopped_controller_is_not_taken_for_a_running_one(directory: JobDirectory) -> None:
    job = CrawlJob(directory)
    await job.launch()
    controller = job.controller
    assert controller is not None
    await job.wait()
    assert controller.state is CrawlState.FINISHED
    with pytest.raises(StateError, match="not running"):
        await job.checkpoint()
