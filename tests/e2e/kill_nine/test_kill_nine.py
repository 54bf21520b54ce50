"""P1: kill -9 at any moment loses nothing. A short version of `benchmarks/kills.py`, on the real program."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.harness.crawl import GOSSAMER, CrawlCommand
from benchmarks.harness.killing import KillReport, Kind, kill_crawl, plan_for
from gossamer.demosite import DemoPlan, DemoProcess

MUTANTS = Path(__file__).parents[2] / "support" / "mutants.py"
TOES = 10


def torment(tmp_path: Path, kills: int, pages: int, program: tuple[str, ...] = GOSSAMER, **more: Any) -> KillReport:
    with DemoProcess(DemoPlan(pages=pages, oddities=False, latency_seconds=0.01), log=tmp_path / "requests") as demo:
        # A log that is full every hundred lines: kills meet its rotation, too.
        small = ("--set", "durability.max_log_size=20KB")
        command = CrawlCommand(seeds=tuple(demo.seeds), toes=TOES, connections=8, program=program, options=small)
        return kill_crawl(plan_for(demo, command, kills, **more), tmp_path)


@pytest.mark.slow
def test_six_kills_lose_nothing_and_tear_nothing(tmp_path: Path) -> None:
    report = torment(tmp_path, kills=6, pages=300)
    assert report.problems == []
    assert report.kills >= 6 and max(report.refetched) <= TOES


@pytest.mark.slow
@pytest.mark.parametrize("mistake", ["finish-first", "no-tail", "early-tail"])
def test_a_version_that_settles_in_the_wrong_order_is_caught(tmp_path: Path, mistake: str) -> None:
    # The mistakes leave a gap of some milliseconds for each page: kills at work hit it soon enough.
    report = torment(tmp_path, 60, 80, (sys.executable, str(MUTANTS), mistake), kinds=(Kind.WORKING,))
    assert report.problems and report.kills > 0
