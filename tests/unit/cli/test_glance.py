from __future__ import annotations

import msgspec

from gossamer.cli.glance import Cell, Glance, clock_face, glance_at
from gossamer.control import CrawlState, Progress
from gossamer.frontier import FrontierCounts, QueueReport
from gossamer.model.crawluri import ClassKey
from gossamer.stats import Snapshot

NOW = 1_000_000.0


def progress(*, snoozed: int = 0, pauses: tuple[str, ...] = ()) -> Progress:
    return Progress(
        state=CrawlState.PAUSED if pauses else CrawlState.RUNNING,
        pause_reasons=pauses,
        counts=FrontierCounts(
            queued=5678,
            in_process=3,
            succeeded=1300,
            failed=12,
            disregarded=45,
            pages=1234,
            wire_bytes=47_395_635,
            queues=7,
            snoozed_queues=snoozed,
        ),
        statistics=Snapshot(recent_pages_per_second=12.34, recent_bytes_per_second=1_258_291.2),
        toes=50,
        busy_toes=3,
        running_seconds=3725.9,
        refusals={},
    )


def resting(name: str, seconds: float, why: str = "") -> QueueReport:
    return QueueReport(class_key=ClassKey(name), state="snoozed", queued=1, in_process=0, wake=NOW + seconds, why=why)


def look(queues: tuple[QueueReport, ...] = (), **more: object) -> Glance:
    return glance_at(progress(**more), "example.org", 2000, queues, NOW)  # type: ignore[arg-type]


def test_the_figures_are_those_of_the_job_and_the_rates_recent():
    assert look().cells == (
        Cell("pages", "1,234 of 2,000, 12.3/s"),
        Cell("queued", "5,678"),
        Cell("in process", "3"),
        Cell("done", "1,300"),
        Cell("failed", "12"),
        Cell("disregarded", "45"),
        Cell("received", "45.2 MiB, 1.2 MiB/s"),
        Cell("hosts", "7"),
    )


def test_the_hosts_that_rest_longest_are_named_with_the_reason():
    queues = (resting("a.example", 1.0), resting("b.example", 90.0, "The server asked for fewer requests."))
    assert look(queues, snoozed=2).waiting == (
        "b.example 1m30s (The server asked for fewer requests.)",
        "a.example 1s",
    )


def test_of_many_resting_hosts_some_are_named_and_the_rest_counted():
    waiting = look(tuple(resting(f"{n}.example", n + 1.0) for n in range(10)), snoozed=10).waiting
    assert [text.split()[0] for text in waiting] == ["9.example", "8.example", "7.example", "6.example", "6"]
    assert waiting[-1] == "6 more"


def test_resting_hosts_that_were_not_looked_at_are_counted():
    assert look((), snoozed=50_000).waiting == ("50,000 hosts",)


def test_a_queue_that_woke_meanwhile_does_not_rest():
    assert look((resting("a.example", -1.0),), snoozed=0).waiting == ()


def test_a_line_has_the_state_the_figures_and_who_waits():
    line = look((resting("a.example", 5.0),), snoozed=1, pauses=("disk",)).as_line()
    assert line.startswith("01:02:05 PAUSED (disk): pages 1,234 of 2,000, 12.3/s, queued 5,678, ")
    assert line.endswith("; waiting: a.example 5s")


def test_a_crawl_that_is_told_to_stop_says_what_it_waits_for():
    stopping = msgspec.structs.replace(progress(), state=CrawlState.STOPPING)
    assert "Ctrl-C again" in glance_at(stopping, "x", None, (), NOW).reason
    idle = msgspec.structs.replace(stopping, counts=FrontierCounts())
    assert glance_at(idle, "x", None, (), NOW).reason == ""


def test_a_clock_face_counts_days():
    assert clock_face(59.99) == "00:00:59"
    assert clock_face(3 * 86400 + 3661) == "3d 01:01:01"
