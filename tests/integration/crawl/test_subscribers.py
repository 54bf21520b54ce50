"""Code that is not our own listens to a crawl, badly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from gossamer.demosite import DemoThread

PROGRAM = """
import asyncio, sys, threading
from pathlib import Path
from gossamer.config import CrawlConfig, Politeness, Scope
from gossamer.control import controller as module
from gossamer.jobs import JobDirectory, run_job
from gossamer.model.events import CrawlStateChanged, UriFinished
from gossamer.seeds import parse_seed

module.SUBSCRIBER_PATIENCE_SECONDS = 0.2
module.MAX_WAITING_URIS = 5
states, entered = [], threading.Event()

def block(event):
    entered.set()
    threading.Event().wait()

def fail(event):
    raise ZeroDivisionError

def listen(controller):
    controller.deliver(CrawlStateChanged, block)
    controller.deliver(CrawlStateChanged, lambda event: states.append(event.state))
    controller.deliver(UriFinished, block)
    controller.deliver(UriFinished, fail)
    controller.bus.subscribe(CrawlStateChanged, lambda event: event.state == "EMPTY" and entered.wait(30))
    listen.controller = controller

folder, seed = Path(sys.argv[1]), sys.argv[2]
directory = JobDirectory(folder)
directory.create()
config = CrawlConfig(folder=folder, politeness=Politeness(delay=0.0), scope=Scope(max_embed_hops=0))
outcome = asyncio.run(run_job(directory, config, [parse_seed(seed)], on_controller=listen))
print(outcome.exit_status.name, listen.controller.bus.errors > 0, listen.controller.bus.dropped > 0)
print(*states)
"""


def test_a_subscriber_that_blocks_for_ever_keeps_neither_the_crawl_nor_the_process_from_ending(
    tmp_path: Path, site: DemoThread
) -> None:
    """S7: state events reach every listener once and in order, one that raises or blocks harms nobody."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path / "job", site.seeds[0]],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    said, states = ran.stdout.splitlines()
    assert said == "FINISHED True True"
    assert states == "PREPARING RUNNING EMPTY STOPPING FINISHED"
    assert "a subscriber to CrawlStateChanged does not come to an end and was abandoned" in ran.stderr
    assert "a subscriber to UriFinished does not come to an end and was abandoned" in ran.stderr
