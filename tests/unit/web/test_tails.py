"""The end of a log."""

from __future__ import annotations

from pathlib import Path

import pytest

from gossamer.web import tails
from gossamer.web.tails import last_lines


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "x.log"


def test_the_last_lines_come_oldest_first(log: Path):
    log.write_text("".join(f"line {n}\n" for n in range(100)))
    assert last_lines(log, 2) == (["line 98", "line 99"], False)


def test_a_short_log_is_whole(log: Path):
    log.write_text("a\nb\n")
    assert last_lines(log, 2) == (["a", "b"], True)
    assert last_lines(log, 50) == (["a", "b"], True)


def test_an_empty_log_has_no_lines(log: Path):
    log.touch()
    assert last_lines(log, 5) == ([], True)


def test_a_line_still_being_written_is_left_out(log: Path):
    log.write_text("a\nb\nhal")
    assert last_lines(log, 5) == (["a", "b"], True)


def test_lines_longer_than_a_step_are_whole(log: Path):
    long = "x" * 200_000
    log.write_text(f"first\n{long}\nlast\n")
    assert last_lines(log, 2) == ([long, "last"], False)


def test_no_more_is_read_than_the_bound(log: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tails, "MAX_BYTES", 1000)
    log.write_text("x" * 5000 + "\nshort\n")
    assert last_lines(log, 10) == (["short"], False)


def test_bytes_that_are_no_text_harm_nothing(log: Path):
    log.write_bytes(b"\xff\xfe\n")
    assert last_lines(log, 1) == (["\ufffd\ufffd"], True)
