"""A view that does not return: a terminal that was stopped with Ctrl-S."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from gossamer.cli import foreground
from gossamer.cli.glance import Glance
from gossamer.cli.preparing import Prepared
from gossamer.config import CrawlConfig, Politeness, Scope
from gossamer.control import ExitStatus
from gossamer.demosite import DemoThread
from gossamer.jobs import JobDirectory
from gossamer.seeds import parse_seed


class StoppedView:
    """Shows nothing until it may; then everything at once."""

    refresh_seconds = 0.01

    def __init__(self) -> None:
        self.may_go_on = threading.Event()
        self.announced: list[str] = []
        self.glances = 0

    def start(self) -> None: ...

    def show(self, glance: Glance) -> None:
        self.may_go_on.wait()
        self.glances += 1

    def announce(self, text: str, glance: Glance | None) -> None:
        self.may_go_on.wait()
        self.announced.append(text)

    def close(self) -> None:
        self.may_go_on.set()


def prepared(folder: Path, site: DemoThread) -> Prepared:
    directory = JobDirectory(folder)
    directory.create()
    config = CrawlConfig(folder=folder, politeness=Politeness(delay=0.0), scope=Scope(max_embed_hops=0))
    return Prepared(directory=directory, config=config, seeds=(parse_seed(site.seeds[0]),), rejected=())


def test_a_terminal_that_is_stopped_holds_up_no_crawl(
    tmp_path: Path, site: DemoThread, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(foreground, "PATIENCE_SECONDS", 0.1)
    view = StoppedView()
    outcome = foreground.run_in_foreground(prepared(tmp_path / "job", site), view)
    assert outcome.exit_status is ExitStatus.FINISHED
    assert view.glances == 0
    assert "a subscriber to progress does not come to an end and was abandoned" in caplog.text


def test_one_that_goes_on_in_time_shows_every_state_in_order(tmp_path: Path, site: DemoThread) -> None:
    view = StoppedView()
    view.may_go_on.set()
    foreground.run_in_foreground(prepared(tmp_path / "job", site), view)
    assert view.announced[:2] == ["PREPARING", "RUNNING"] and view.announced[-1] == "FINISHED"
