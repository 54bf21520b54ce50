from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import msgspec
import pytest

from gossamer.cli.exitcodes import ExitCode, code_of_outcome
from gossamer.cli.report import Report
from gossamer.control import CrawlState, ExitStatus, Progress, SeedOutcome
from gossamer.frontier import FrontierCounts
from gossamer.jobs import CrawlOutcome
from gossamer.model.events import SeedRejected
from gossamer.stats import Snapshot

FETCHED = SeedOutcome("example.org", "https://example.org/", 200, "")
WHY = "192.0.2.1:80: connection refused"
REFUSED = SeedOutcome("[red]\x1b[31mevil", "http://evil.example/", -2, "CONNECT_FAILED", WHY)


@pytest.fixture
def outcome(tmp_path: Path) -> CrawlOutcome:
    archive = tmp_path / "warcs" / "A.warc.gz"
    archive.parent.mkdir()
    archive.write_bytes(b"x" * 2048)
    progress = Progress(
        state=CrawlState.STOPPING,
        pause_reasons=(),
        counts=FrontierCounts(
            discovered=30,
            queued=4,
            succeeded=20,
            failed=3,
            disregarded=3,
            pages=15,
            wire_bytes=3 * 1024 * 1024,
            queues=2,
            reasons={"CONNECT_FAILED": 2, "HTTP 503": 1, "HTTP 404": 5, "ROBOTS_FORBIDDEN": 3},
        ),
        statistics=Snapshot(
            running_seconds=10.0,
            pages=15,
            pages_per_second=1.5,
            bytes_per_second=314_572.8,
            statuses={200: 15, 404: 5, 301: 1, 302: 1, -2: 2},
        ),
        toes=50,
        busy_toes=0,
        running_seconds=70.0,
        refusals={"out-of-scope": 7, "max-depth": 9},
    )
    return CrawlOutcome(
        folder=tmp_path,
        exit_status=ExitStatus.DOCUMENT_LIMIT,
        reason="15 pages were fetched",
        progress=progress,
        seeds=(FETCHED, REFUSED),
        archive_files=(archive,),
        seconds=10.04,
    )


def report_on(outcome: CrawlOutcome, *rejected: SeedRejected, command: str = "crawl") -> Report:
    return Report.of(outcome, rejected, code_of_outcome(outcome), command)


def test_the_text_tells_what_came_of_the_crawl(outcome: CrawlOutcome):
    assert report_on(outcome, SeedRejected("x y", "white space inside", 3)).to_text().splitlines() == [
        "Stopped by the page limit; can be resumed with a higher one (15 pages were fetched)",
        "  pages         15 (15 in this run, 1.5/s)",
        "  responses     15 2xx, 2 3xx, 5 4xx (this run)",
        "  failed        3 (2 CONNECT_FAILED, 1 HTTP 503)",
        "  disregarded   3 (3 ROBOTS_FORBIDDEN)",
        "  left over     4 still queued",
        "  links refused 9 max-depth, 7 out-of-scope (this run)",
        "  hosts         2",
        "  received      3 MiB (307.2 KiB/s in this run)",
        "  time          10.0 s, with earlier runs 00:01:10",
        f"  archive       {outcome.archive_files[0]} (2 KiB)",
        f"  seed failed   [red]evil: No connection to the host could be made: {WHY}",
        "  not a seed    1 given, see above",
        "",
        f"To go on: gossamer crawl --job {outcome.folder} --max-pages N",
    ]


def test_no_escape_of_a_stranger_is_left_in_the_text(outcome: CrawlOutcome):
    assert "\x1b" not in report_on(outcome).to_text()


def test_the_json_is_one_line_with_a_fixed_set_of_keys(outcome: CrawlOutcome):
    text = report_on(outcome, SeedRejected("x y", "white space inside", 3)).to_json()
    assert "\n" not in text and text.isascii()
    found = json.loads(text)
    assert set(found) == {
        "gossamer", "exit_code", "exit_status", "reason", "folder", "was_finished", "next_command",
        "pages", "succeeded", "failed", "disregarded", "queued", "retired", "hosts", "wire_bytes",
        "failures", "disregarded_by", "error_answers", "archive", "archive_bytes", "seeds", "rejected_seeds",
        "job_seconds", "run_seconds", "run_pages", "run_pages_per_second", "run_bytes_per_second",
        "run_statuses", "run_types", "run_hosts", "run_refused_links",
    }  # fmt: skip
    assert found["exit_code"] == 0
    assert found["failures"] == {"CONNECT_FAILED": 2, "HTTP 503": 1}
    assert found["disregarded_by"] == {"ROBOTS_FORBIDDEN": 3}
    assert found["error_answers"] == {"HTTP 404": 5}
    assert found["run_statuses"] == {"200": 15, "404": 5, "301": 1, "302": 1, "-2": 2}
    assert found["archive"] == [{"path": str(outcome.archive_files[0]), "size": 2048}]
    assert found["seeds"][0] == {
        "text": "example.org", "url": "https://example.org/", "status": 200, "reason": "", "detail": "", "is_fetched": True,
    }  # fmt: skip
    assert found["rejected_seeds"] == [{"text": "x y", "line": 3, "reason": "white space inside"}]


def test_a_finished_crawl_has_nothing_to_go_on_with(outcome: CrawlOutcome):
    done = dataclasses.replace(outcome, exit_status=ExitStatus.FINISHED, reason=ExitStatus.FINISHED.value)
    report = report_on(done)
    assert report.headline() == "Everything in scope was fetched"
    assert "To go on" not in report.to_text()
    assert json.loads(report.to_json())["next_command"] is None


def test_a_crawl_without_a_fetched_seed_says_why(outcome: CrawlOutcome):
    failed = dataclasses.replace(outcome, exit_status=ExitStatus.FINISHED, seeds=(REFUSED,))
    report = report_on(failed)
    assert report.code is ExitCode.NO_SEED
    assert report.to_text().splitlines()[0] == (
        f"no seed could be fetched; [red]evil: No connection to the host could be made: {WHY}"
    )


def test_a_job_that_had_finished_says_what_would_crawl_it_again(outcome: CrawlOutcome):
    before = dataclasses.replace(outcome, exit_status=ExitStatus.FINISHED, was_finished=True)
    text = report_on(before).to_text()
    assert "--recrawl" in text and "--fresh" in text and "\n" not in text


def test_the_command_to_go_on_is_the_one_that_began_and_can_be_pasted(outcome: CrawlOutcome):
    spaced = dataclasses.replace(outcome, folder=Path("my crawls/a"), exit_status=ExitStatus.ABORTED)
    assert report_on(spaced, command="demo").next_command == "gossamer demo --job 'my crawls/a'"


def test_many_archive_files_are_counted(outcome: CrawlOutcome, tmp_path: Path):
    other = tmp_path / "warcs" / "B.warc.gz"
    other.write_bytes(b"x" * 1024)
    many = dataclasses.replace(outcome, archive_files=(*outcome.archive_files, other))
    assert f"2 files in {tmp_path}/warcs (3 KiB)" in report_on(many).to_text()


def test_of_a_first_run_nothing_is_told_apart(outcome: CrawlOutcome):
    only = dataclasses.replace(outcome, progress=msgspec.structs.replace(outcome.progress, running_seconds=10.04))
    assert "this run" not in report_on(only).to_text()


@pytest.mark.parametrize(
    ("reason", "headline"),
    [
        ("stopped by SIGINT", "Interrupted (Ctrl-C); can be resumed"),
        ("stopped by SIGTERM", "Terminated (SIGTERM); can be resumed"),
        ("stopped by the operator", "Stopped by the operator; can be resumed"),
    ],
)
def test_who_stopped_it_is_said_once(outcome: CrawlOutcome, reason: str, headline: str):
    stopped = dataclasses.replace(outcome, exit_status=ExitStatus.ABORTED, reason=reason)
    assert report_on(stopped).headline() == headline


def test_at_a_limit_run_is_not_what_goes_on(outcome: CrawlOutcome):
    assert report_on(outcome, command="run").next_command == f"gossamer crawl --job {outcome.folder} --max-pages N"
    stopped = dataclasses.replace(outcome, exit_status=ExitStatus.ABORTED)
    assert report_on(stopped, command="run").next_command == f"gossamer run {outcome.folder}"


def test_a_hint_names_the_program_as_it_was_called(outcome: CrawlOutcome, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GOSSAMER_COMMAND", "scripts/gossamer")
    assert report_on(outcome).next_command.startswith("scripts/gossamer crawl --job ")


def test_a_failed_https_guess_is_marked_among_the_failures(outcome: CrawlOutcome):
    guessed = dataclasses.replace(outcome, seeds=(SeedOutcome("example.org", "http://example.org/", 200, ""),))
    assert "; 1 of them only the https of a seed whose http was fetched" in report_on(guessed).to_text()


def test_a_finished_demo_names_only_options_that_it_has(outcome: CrawlOutcome):
    text = report_on(dataclasses.replace(outcome, was_finished=True), command="demo").to_text()
    assert "--recrawl" not in text and "--job" in text
