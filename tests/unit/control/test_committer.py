from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from gossamer.config import Durability, Politeness
from gossamer.control.committer import Committer
from gossamer.errors import DiskFull, StorageError
from gossamer.frontier import FAMILIES, LocalFrontier
from gossamer.model.crawluri import ClassKey, CrawlURI, Identity
from gossamer.model.disposition import Fate
from gossamer.model.events import UriFinished
from gossamer.testing import FakeClock, MemoryKV
from gossamer.util.bus import EventBus
from gossamer.util.tasks import cancel_and_wait


class Commits:
    """A committer at work, and the commits that it has made."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.bus = EventBus()
        self.made = 0
        self.came = asyncio.Event()
        self.errors: list[StorageError] = []
        self.failure: StorageError | None = None
        self.frontier = LocalFrontier(MemoryKV(FAMILIES), self.clock, Politeness())
        settings = Durability(commit_interval=1.0, commit_bytes=1000)
        self.committer = Committer(
            self.frontier, self.clock, settings, self.bus, self._sync, self.errors.append, self._keep
        )

    def _keep(self) -> None:
        self.made += 1
        self.came.set()
        if self.failure is not None:
            raise self.failure

    def _sync(self, files: Sequence[str]) -> None:
        pass

    async def next(self) -> None:
        await self.came.wait()
        self.came.clear()

    async def receive(self, count: int) -> None:
        curi = CrawlURI(url="http://a.example/", class_key=ClassKey("a.example"), identity=Identity(bytes(20)))
        self.bus.publish(UriFinished(curi, Fate.SUCCEEDED, 200, "", "text/html", count, 0.1, True, 1))
        for _ in range(5):  # whoever was woken has its turn
            await asyncio.sleep(0)


@pytest.fixture
async def commits() -> AsyncIterator[Commits]:
    commits = Commits()
    task = asyncio.create_task(commits.committer.run())
    await asyncio.sleep(0)
    yield commits
    await cancel_and_wait(task)
    commits.frontier.close()


async def test_what_was_done_an_interval_ago_is_committed(commits: Commits) -> None:
    commits.clock.advance(0.9)
    assert commits.made == 0
    commits.clock.advance(0.2)
    await commits.next()
    assert commits.made == 1


async def test_a_commit_is_made_earlier_when_enough_was_received(commits: Commits) -> None:
    await commits.receive(600)
    assert commits.made == 0
    await commits.receive(600)
    await commits.next()
    assert commits.made == 1


async def test_a_storage_error_is_told_once_and_ends_the_commits(commits: Commits) -> None:
    commits.failure = DiskFull("no space")
    await commits.receive(1000)
    await commits.next()
    await commits.receive(1000)
    assert commits.errors == [commits.failure]
    assert commits.made == 1
