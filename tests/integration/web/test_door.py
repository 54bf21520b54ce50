from __future__ import annotations

import asyncio
from pathlib import Path

from gossamer.config import CrawlConfig, Politeness
from gossamer.demosite import DemoThread
from gossamer.jobs import CrawlJob, JobDirectory
from gossamer.seeds import parse_seed
from gossamer.web import ControlDoor


async def _opened(folder: Path, site: DemoThread, door: ControlDoor) -> CrawlJob:
    directory = JobDirectory(folder)
    directory.create()
    job = CrawlJob(directory)
    config = CrawlConfig(folder=folder, politeness=Politeness(delay=0.0), run_while_empty=True)
    await job.launch(config, [parse_seed(site.seeds[0])])
    door.open(job)
    return job


async def test_a_crawl_that_goes_on_loads_its_web_server_before_anybody_comes(tmp_path: Path, site: DemoThread) -> None:
    door = ControlDoor(load_after=0.0)
    job = await _opened(tmp_path / "job", site, door)
    while not door.is_loaded:
        await asyncio.sleep(0)
    reader, writer = await asyncio.open_unix_connection(job.directory.control_socket)
    writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert (await reader.readline()).startswith(b"HTTP/1.1 200")
    writer.close()
    job.terminate()
    await job.wait()
    await door.close()


async def test_a_short_one_never_does(tmp_path: Path, site: DemoThread) -> None:
    door = ControlDoor()
    job = await _opened(tmp_path / "job", site, door)
    job.terminate()
    await job.wait()
    assert not door.is_loaded
    await door.close()
    assert not job.directory.control_socket.exists()
