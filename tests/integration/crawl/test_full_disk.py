"""P3, S6: a disk that is full pauses the crawl; when there is room it goes on by itself, and nothing is lost or twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gossamer.config import Durability, Limits
from gossamer.control import CrawlController, ExitStatus, look, space
from gossamer.demosite import DemoThread
from gossamer.errors import DiskFull, StateError, StorageError
from gossamer.model.events import CrawlStateChanged
from gossamer.storage import RocksKV
from gossamer.storage.appendfile import AppendFile
from gossamer.warc import check_folder

from .conftest import Crawls
from .test_whole_crawl import responses


class FullDisk:
    """Refuses some writes of one kind, each given by its number, until it is asked whether there is space."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, kind: type, method: str, numbers: set[int]) -> None:
        self.original: Callable[..., Any] = getattr(kind, method)
        self.numbers = numbers
        self.calls = 0
        self.refused = 0
        self.is_full = False
        monkeypatch.setattr(kind, method, lambda *args, **kwargs: self.call(*args, **kwargs))
        monkeypatch.setattr(space, "CHECK_SECONDS", 0.01)
        monkeypatch.setattr(space, "free_bytes", self.free_bytes)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        self.calls += 1
        if self.is_full or self.calls in self.numbers:
            self.is_full = True
            self.refused += 1
            raise DiskFull("no room")
        return self.original(*args, **kwargs)

    def free_bytes(self, path: object) -> int:
        was_full, self.is_full = self.is_full, False
        return 0 if was_full else 1 << 40


class States:
    """What was announced."""

    def __init__(self) -> None:
        self.all: list[tuple[str, str]] = []

    def watch(self, controller: CrawlController) -> None:
        self.controller = controller
        controller.bus.subscribe(CrawlStateChanged, lambda event: self.all.append((event.state, event.reason)))

    @property
    def pauses(self) -> int:
        return self.all.count(("PAUSED", "disk"))


@pytest.mark.parametrize(
    ("kind", "method", "numbers"),
    [
        (RocksKV, "write", {60, 61, 130}),
        (RocksKV, "sync", {3}),  # the first while it crawls; a quick crawl has not many
        (AppendFile, "append", {25, 80, 120}),
    ],
)
def test_a_full_disk_pauses_the_crawl_which_goes_on_when_there_is_room(
    crawls: Crawls, site: DemoThread, monkeypatch: pytest.MonkeyPatch, kind: type, method: str, numbers: set[int]
) -> None:
    disk = FullDisk(monkeypatch, kind, method, numbers)
    states = States()
    outcome = crawls.run(
        site.seeds, watch=states.watch, limits=Limits(min_free_space=0), durability=Durability(commit_interval=0.05)
    )
    assert disk.refused > 0
    assert states.pauses >= 1
    assert outcome.exit_status is ExitStatus.FINISHED, outcome.reason
    assert outcome.progress.counts.queued == 0
    assert outcome.progress.counts.pages == len(site.site.expected_pages())
    archived = responses(crawls.directory.path)
    assert {url for url, answer in site.site.expected().items() if archived[url, answer.status] != 1} == set()
    assert check_folder(crawls.directory.warcs).is_good


def test_a_crawl_that_waits_for_space_can_be_stopped_and_refuses_what_needs_its_store(
    crawls: Crawls, site: DemoThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = FullDisk(monkeypatch, RocksKV, "write", {60})
    monkeypatch.setattr(space, "free_bytes", lambda path: 0)
    seen: list[object] = []

    def watch(controller: CrawlController) -> None:
        def on_state(event: CrawlStateChanged) -> None:
            if event.state == "PAUSED":
                seen.append(look(controller))
                with pytest.raises(StateError, match="no space"):
                    controller.set_toes(3)
                with pytest.raises(StateError, match="goes on by itself"):
                    controller.request_resume()
                controller.request_stop()

        controller.bus.subscribe(CrawlStateChanged, on_state)

    outcome = crawls.run(
        site.seeds, watch=watch, limits=Limits(min_free_space=0), durability=Durability(commit_interval=0.05)
    )
    assert seen == [None]
    assert outcome.exit_status is ExitStatus.ABORTED
    disk.is_full = False
    again = crawls.run(site.seeds)
    assert again.progress.counts.pages == len(site.site.expected_pages())
    archived = responses(crawls.directory.path)
    assert {url for url, answer in site.site.expected().items() if archived[url, answer.status] != 1} == set()


def test_any_other_storage_error_ends_the_job_as_failed_and_the_next_run_misses_nothing(
    crawls: Crawls, site: DemoThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = RocksKV.write
    calls = iter(range(10_000))

    def failing(self: RocksKV, batch: Any) -> None:
        if next(calls) == 70:
            raise StorageError("I/O error")
        write(self, batch)

    monkeypatch.setattr(RocksKV, "write", failing)
    outcome = crawls.run(site.seeds)
    assert outcome.exit_status is ExitStatus.FAILED
    assert outcome.reason == "I/O error"
    again = crawls.run(site.seeds)
    assert again.progress.counts.pages == len(site.site.expected_pages())
    archived = responses(crawls.directory.path)
    assert {url for url, answer in site.site.expected().items() if archived[url, answer.status] != 1} == set()
