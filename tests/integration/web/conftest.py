"""A job that runs in a thread of its own, with its control API, over a demo site on loopback."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gossamer.cli.client import ControlClient
from gossamer.config import CrawlConfig, Dns, Fetching, Politeness
from gossamer.demosite import DemoPlan, DemoThread
from gossamer.jobs import CrawlJob, JobDirectory
from gossamer.seeds import parse_seed
from gossamer.web import ControlDoor

PATIENCE_SECONDS = 30.0
METRICS_PORT_HOST = "127.0.0.1"


class RunningJob:
    """Runs until it is closed, also with nothing to do."""

    def __init__(self, folder: Path, site: DemoThread, *, metrics: str = "", **settings: object) -> None:
        self.directory = JobDirectory(folder)
        self.client = ControlClient(folder)
        self.site = site
        # Names cannot be resolved: whatever a test adds, nothing leaves this machine.
        given: dict[str, object] = {"dns": Dns(nameservers=("127.0.0.1:9",), timeout=0.1, tries=1)}
        given |= {"politeness": Politeness(delay=0.0, delay_factor=0.0), "run_while_empty": True, "toes": 3}
        self._config = CrawlConfig(folder=folder, metrics=metrics, **(given | settings))  # type: ignore[arg-type]
        self._is_open = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), name="job")
        self.directory.create()
        self.directory.write_settings(self._config)
        self.directory.write_seeds([parse_seed(seed) for seed in site.seeds])
        self._thread.start()
        assert self._is_open.wait(PATIENCE_SECONDS)

    async def _run(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.job = CrawlJob(self.directory)
        door = ControlDoor(metrics=self._config.metrics)
        await self.job.launch()
        door.open(self.job)
        self._is_open.set()
        try:
            await self.job.wait()
        finally:
            await door.close()

    def close(self) -> None:
        if self._thread.is_alive():
            self.loop.call_soon_threadsafe(self.job.terminate)
        self._thread.join(PATIENCE_SECONDS)
        assert not self._thread.is_alive()

    def wait_until_empty(self) -> None:
        for _ in range(3000):
            if self.client.get("/")["state"] == "EMPTY":
                return
            threading.Event().wait(0.01)
        raise AssertionError("the crawl never ran empty")


@pytest.fixture(scope="module")
def site() -> Iterator[DemoThread]:
    with DemoThread(DemoPlan(pages=8, oddities=False, median_bytes=4000)) as site:
        yield site


@pytest.fixture
def running(tmp_path: Path, site: DemoThread) -> Iterator[RunningJob]:
    job = RunningJob(tmp_path / "job", site)
    yield job
    job.close()


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory, site: DemoThread) -> Iterator[RunningJob]:
    """Has fetched everything and waits; for tests that only look."""
    job = RunningJob(
        tmp_path_factory.mktemp("crawled") / "job", site, fetching=Fetching(headers=(("Cookie", "s3cret"),))
    )
    job.wait_until_empty()
    yield job
    job.close()
