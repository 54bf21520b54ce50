"""S4: when a run is over nothing of it is left: no task, no thread, no descriptor, no lock; the folder can be deleted."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading

import pytest

from gossamer.config import CrawlConfig, Politeness, Scope
from gossamer.demosite import DemoThread
from gossamer.jobs import CrawlJob
from gossamer.seeds import parse_seed
from gossamer.storage import FolderLock

from .conftest import Crawls


def descriptors() -> set[str]:
    """What this process holds open, but for the listing itself."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            found.add(f"{name} {os.readlink(f'/proc/self/fd/{name}')}")
        except FileNotFoundError:
            continue
    return found


@pytest.mark.parametrize("is_cancelled", [False, True])
async def test_nothing_is_left_of_a_run_that_ended_or_was_cut_off(
    crawls: Crawls, site: DemoThread, is_cancelled: bool
) -> None:
    crawls.directory.create()
    politeness = Politeness(delay=0, connections_per_host=4, throttle_start=0.01)
    config = CrawlConfig(folder=crawls.directory.path, politeness=politeness, scope=Scope(max_embed_hops=0), toes=8)
    seeds = [parse_seed(seed) for seed in site.seeds]
    await asyncio.to_thread(lambda: None)  # the loop's own threads are there before and after
    before = descriptors()
    job = CrawlJob(crawls.directory)
    await job.launch(config, seeds)
    if is_cancelled:
        await job.cancel()
    else:
        await job.checkpoint()
        await job.wait()
    folder = str(crawls.directory.path)
    assert not [name for name in descriptors() - before if folder in name or "socket" in name]
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("gossamer")]
    FolderLock(crawls.directory.path).release()
    shutil.rmtree(folder)
