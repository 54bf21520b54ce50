"""What strangers wrote into a log is shown without harm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gossamer.cli.main import run


@pytest.fixture
def job(tmp_path: Path) -> Path:
    (tmp_path / "gossamer.toml").touch()
    (tmp_path / "logs").mkdir()
    return tmp_path


def test_a_log_is_shown_without_terminal_escapes(job: Path, capsys: pytest.CaptureFixture[str]):
    """P13: hostile text never becomes terminal escapes."""
    (job / "logs" / "crawl.log").write_text("a\x1b]0;owned\x07b \u202egnp.exe\n\x1b[2Jc\n")
    assert run(["log", str(job)]) == 0
    assert capsys.readouterr().out == "ab gnp.exe\nc\n"


def test_after_a_restore_the_newest_log_is_shown(job: Path, capsys: pytest.CaptureFixture[str]):
    for number, name in enumerate(("crawl.log", "crawl-2.log", "crawl-10.log", "crawl.log.20260101000000")):
        (job / "logs" / name).write_text(f"{number}\n")
    assert run(["log", str(job), "-f"]) == 0
    assert capsys.readouterr().out == "2\n"


def test_a_log_as_json_is_an_object_a_line(job: Path, capsys: pytest.CaptureFixture[str]):
    (job / "logs" / "crawl.log").write_text("one\n\x1b[2Jtwo\n")
    assert run(["log", str(job), "--json", "-f"]) == 0
    assert [json.loads(line)["line"] for line in capsys.readouterr().out.splitlines()] == ["one", "\x1b[2Jtwo"]


def test_a_log_that_was_not_begun_is_empty(job: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["log", str(job), "progress"]) == 0
    assert capsys.readouterr().out == ""


def test_logs_and_reports_that_there_are_not_are_named(job: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["log", str(job), "../../etc/passwd"]) == 2
    assert "there are: crawl, job, progress" in capsys.readouterr().err
    assert run(["report", str(job), "gossip"]) == 2
    assert "there are: hosts, status, types, seeds, frontier, toes" in capsys.readouterr().err


def test_a_report_counts_whole_lines_of_every_log(job: Path, capsys: pytest.CaptureFixture[str]):
    line = "2026-07-02T10:11:12.345Z   {} {:>10} {} L - text/html #007 20260702101112221+123 - - -\n"
    (job / "logs" / "crawl.log").write_text(line.format(200, 10, "https://a.example/") * 2 + "torn 200")
    (job / "logs" / "crawl-2.log").write_text(
        line.format(404, 5, "https://b.example/") + line.format(1, "-", "dns:b.example")
    )
    assert run(["report", str(job), "status", "--csv"]) == 0
    assert capsys.readouterr().out == "status,attempts,body_bytes\n200,2,20\n404,1,5\n"
    assert run(["report", str(job), "hosts", "--json"]) == 0
    assert '{"host": "a.example", "attempts": 2, "body_bytes": 20}' in capsys.readouterr().out
