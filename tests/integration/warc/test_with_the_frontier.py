"""Archive, log and frontier together: what they say of a crawl agrees after every kind of accident (P1, P2).

Each page is settled as a toe does it: records, log line, batch. Then the process "dies": nothing is closed, and what was
not synced may be gone from the files or be zeros. After recovery every URI that counts as done has one whole response
record and one line in the log, and there is no other.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.config import Politeness, Warc
from gossamer.fetch.recording import SpooledRecording
from gossamer.frontier import FAMILIES, LocalFrontier
from gossamer.model.attempt import Attempt
from gossamer.model.crawluri import ClassKey, CrawlURI
from gossamer.model.disposition import Disposition, Fate, Span
from gossamer.model.exchange import Exchange
from gossamer.stats import CrawlLog, crawl_log_line
from gossamer.testing import FakeClock, MemoryKV
from gossamer.warc import ArchiveFiles, RecordBuilder, WarcPool, check_folder

PAGES = 12


class Job:
    """One run of a small crawl over a store and a folder that outlive it."""

    def __init__(self, folder: Path, store: MemoryKV, clock: FakeClock) -> None:
        self.folder = folder
        self.clock = clock
        self.files = ArchiveFiles(folder)
        self.frontier = LocalFrontier(store, clock, Politeness(delay=0), files=self.files)
        open_files = self.frontier.open_files()
        self.builder = RecordBuilder(Warc())
        self.pool = WarcPool(
            Warc(max_size=6000), folder, self.frontier, self.builder, clock, hostname="box", facts={"software": "test"}
        )
        self.pool.start(open_files)
        self.log = CrawlLog(folder, open_files, self.frontier)

    def schedule(self) -> None:
        for number in range(PAGES):
            url = f"https://h{number}.example/"
            identity = self.frontier.identify(url, f"h{number}.example")
            curi = CrawlURI(url=url, class_key=ClassKey(f"h{number}.example"), identity=identity)
            self.frontier.schedule([curi])

    async def fetch_one(self) -> tuple[Span, ...]:
        curi = await self.frontier.next()
        raw = SpooledRecording(100_000)
        raw.append(b"HTTP/1.1 200 OK\r\n\r\n" + os.urandom(1500))
        exchange = Exchange(curi.url, b"GET / HTTP/1.1\r\n\r\n", raw, 19, 200, started_wall=self.clock.wall())
        attempt = Attempt(curi, 1, exchange=exchange)
        async with self.pool.lease() as lease:
            spans = await lease.append_exchange(self.builder, exchange, attempt)
            spans.append(self.log.append(crawl_log_line(attempt, self.clock.wall())))
            disposition = Disposition(fate=Fate.SUCCEEDED, status=200, is_page=True, spans=tuple(spans))
            self.frontier.finish(curi, disposition)
            lease.keep()
        exchange.close()
        return tuple(spans)

    async def run_to_the_end(self) -> None:
        while not self.frontier.is_empty():
            await self.fetch_one()
            self.clock.advance(60)

    def die(self) -> None:
        """Only descriptors go; nothing is written."""
        self.pool.drop()
        self.log.close()
        self.frontier.close()

    async def stop(self) -> None:
        await self.pool.close_all()
        await self.frontier.commit(self.files.sync_all)
        self.die()


def assert_all_agree(folder: Path, succeeded: int) -> None:
    report = check_folder(folder / "warcs")
    assert report.is_good, report
    assert sum(file.records.get("response", 0) for file in report.files) == succeeded
    lines = (folder / "logs" / "crawl.log").read_text().splitlines()
    assert all(len(line.split()) == 12 for line in lines)
    assert len({line.split()[3] for line in lines}) == len(lines) == succeeded


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


async def test_a_crawl_without_accident_agrees(tmp_path: Path, clock: FakeClock) -> None:
    store = MemoryKV(FAMILIES)
    job = Job(tmp_path, store, clock)
    job.schedule()
    await job.run_to_the_end()
    assert job.frontier.counts().succeeded == PAGES
    await job.stop()
    assert_all_agree(tmp_path, PAGES)
    assert not list((tmp_path / "warcs").glob("*.open"))


async def test_after_kills_at_every_page_nothing_is_lost_or_done_twice(tmp_path: Path, clock: FakeClock) -> None:
    store = MemoryKV(FAMILIES)
    job = Job(tmp_path, store, clock)
    job.schedule()
    for done in range(1, PAGES + 1):
        await job.fetch_one()
        lease = job.pool.lease()
        async with lease:
            torn = job.builder.warcinfo("torn", 0.0, {})
            lease.append([torn])
            lease.keep()  # stands in for what a killed toe had appended and not settled
        job.log.append("a line that was never settled")
        job.die()
        clock.advance(3600)
        store = store.crash()
        job = Job(tmp_path, store, clock)
        assert job.frontier.counts().succeeded == done
    await job.stop()
    assert_all_agree(tmp_path, PAGES)


def torn(path: Path, synced: int) -> None:
    os.truncate(path, (synced + path.stat().st_size) // 2)


def zeroed(path: Path, synced: int) -> None:
    size = path.stat().st_size
    os.truncate(path, (synced + size) // 2)
    os.truncate(path, size)


def gone(path: Path, synced: int) -> None:
    os.truncate(path, synced)


@pytest.mark.parametrize("damage", [torn, zeroed, gone])
@pytest.mark.parametrize("what", ["warcs", "logs"])
async def test_after_a_power_loss_what_is_not_whole_is_done_again(
    tmp_path: Path, clock: FakeClock, damage: Callable[[Path, int], None], what: str
) -> None:
    store = MemoryKV(FAMILIES)
    job = Job(tmp_path, store, clock)
    job.schedule()
    for _ in range(4):
        await job.fetch_one()
    await job.frontier.commit(job.files.sync_all)
    synced = {path: path.stat().st_size for path in (tmp_path / what).iterdir()}
    for _ in range(4):
        await job.fetch_one()
    job.die()
    for path in (tmp_path / what).iterdir():
        if path.name.endswith((".open", ".log")):
            damage(path, synced.get(path, 0))
    clock.advance(3600)
    # The store's log reached the disk as a whole: the worst case, it says more than the files hold.
    job = Job(tmp_path, store.crash(), clock)
    assert 4 <= job.frontier.counts().succeeded < 8
    assert job.frontier.recovery.undone > 0
    await job.run_to_the_end()
    assert job.frontier.counts().succeeded == PAGES
    await job.stop()
    assert_all_agree(tmp_path, PAGES)
