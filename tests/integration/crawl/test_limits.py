"""Limits end or pause a crawl, say why, and a higher one goes on."""

from __future__ import annotations

import pytest

import gossamer.control.limits as limits_module
from gossamer.config import Limits
from gossamer.control import CrawlController, ExitStatus
from gossamer.demosite import DemoThread
from gossamer.model.events import CrawlStateChanged

from .conftest import Crawls


def test_a_byte_limit_ends_the_crawl_and_a_higher_one_goes_on(crawls: Crawls, site: DemoThread) -> None:
    first = crawls.run(site.seeds, limits=Limits(max_bytes=100_000))
    assert first.exit_status is ExitStatus.BYTE_LIMIT
    assert first.progress.counts.wire_bytes >= 100_000
    assert first.progress.counts.queued > 0
    second = crawls.run(site.seeds)
    assert second.exit_status is ExitStatus.FINISHED
    assert second.progress.counts.pages == len(site.site.expected_pages())


def test_a_time_limit_is_a_total_over_all_runs_of_the_job(crawls: Crawls, site: DemoThread) -> None:
    first = crawls.run(site.seeds, max_pages=3)
    ran = first.progress.running_seconds
    assert ran > 0
    second = crawls.run(site.seeds, limits=Limits(max_time=ran / 2))
    assert second.exit_status is ExitStatus.TIME_LIMIT
    assert second.progress.counts.pages == 3
    third = crawls.run(site.seeds, limits=Limits(max_time=3600.0))
    assert third.exit_status is ExitStatus.FINISHED


def test_a_disk_that_is_nearly_full_pauses_the_crawl_and_room_resumes_it(
    crawls: Crawls, site: DemoThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P3: paused with its reason before anything is lost, and going on by itself."""
    answers = iter([10 * 1024**3, 100, 100])
    monkeypatch.setattr(limits_module, "free_bytes", lambda path: next(answers, 10 * 1024**3))
    monkeypatch.setattr(limits_module, "CHECK_SECONDS", 0.02)
    states: list[tuple[str, str]] = []

    def watch(controller: CrawlController) -> None:
        controller.bus.subscribe(CrawlStateChanged, lambda event: states.append((event.state, event.reason)))

    outcome = crawls.run(site.seeds, watch=watch, limits=Limits(min_free_space=1024**3))
    assert outcome.exit_status is ExitStatus.FINISHED
    assert ("PAUSED", "disk") in states
    assert [state for state, _ in states].count("RUNNING") == 2
    assert outcome.progress.counts.pages == len(site.site.expected_pages())


@pytest.mark.parametrize("stops", [1, 2])
def test_a_stop_ends_resumably_and_a_second_one_cancels_what_is_in_flight(
    crawls: Crawls, site: DemoThread, stops: int
) -> None:
    """S8."""

    def watch(controller: CrawlController) -> None:
        def on_state(event: CrawlStateChanged) -> None:
            if event.state == "RUNNING":
                for _ in range(stops):
                    controller.request_stop()

        controller.bus.subscribe(CrawlStateChanged, on_state)

    outcome = crawls.run(site.seeds, watch=watch)
    assert outcome.exit_status is ExitStatus.ABORTED
    assert outcome.progress.counts.in_process == 0
    assert crawls.run(site.seeds).progress.counts.pages == len(site.site.expected_pages())
