"""The kill harness against a crawler that is right, and against the same one with a mistake: it must tell them apart."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.harness import strace
from benchmarks.harness.crawl import CrawlCommand
from benchmarks.harness.killing import KillReport, kill_crawl, plan_for
from gossamer.demosite import DemoPlan, DemoProcess

ROOT = Path(__file__).parents[2]
TOY = ROOT / "tests" / "support" / "toycrawler.py"


def torment(tmp_path: Path, mistake: str, kills: int) -> KillReport:
    with DemoProcess(DemoPlan(pages=60, median_bytes=3000, oddities=False), log=tmp_path / "log") as demo:
        program = ("env", f"PYTHONPATH={ROOT}", sys.executable, str(TOY), "--mistake", mistake)
        command = CrawlCommand(seeds=tuple(demo.seeds), toes=1, program=program)
        return kill_crawl(plan_for(demo, command, kills), tmp_path)


def test_a_right_crawler_survives_every_kill(tmp_path: Path) -> None:
    report = torment(tmp_path, "none", 4)
    assert report.problems == []
    assert report.kills >= 4 and max(report.refetched) <= 1


def test_a_crawler_that_forgets_is_caught(tmp_path: Path) -> None:
    assert "lost: " in "\n".join(torment(tmp_path, "forgets", 12).problems)


@pytest.mark.parametrize(("mistake", "told"), [("double", "same record id"), ("silent", "not logged")])
def test_a_mistake_that_needs_no_kill_is_caught_in_the_undisturbed_crawl(
    tmp_path: Path, mistake: str, told: str
) -> None:
    report = torment(tmp_path, mistake, 12)
    assert told in "\n".join(report.problems) and report.kills == 0


@pytest.mark.slow
@pytest.mark.skipif(not strace.is_usable(), reason="these moments are short: it takes strace to hit them surely")
@pytest.mark.parametrize("mistake", ["finish-first", "no-tail"])
def test_a_wrong_order_of_steps_is_caught(tmp_path: Path, mistake: str) -> None:
    report = torment(tmp_path, mistake, 40)
    assert report.problems and report.kills > 0
