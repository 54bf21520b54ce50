from __future__ import annotations

import logging

import pytest

from gossamer.cli.logs import start_logging

log = logging.getLogger("gossamer.test")


def crash() -> None:
    try:
        raise ValueError("bad \x1b]0;title\x07 thing")
    except ValueError:
        log.exception("it failed on %r", "x")


def test_a_warning_is_one_line_without_escapes(capsys: pytest.CaptureFixture[str]):
    start_logging(is_debug=False)
    log.warning("page says\n%s", "\x1b[2Jhello")
    assert capsys.readouterr().err == "gossamer: warning: page says hello\n"


def test_a_trace_becomes_its_last_words_and_their_place(capsys: pytest.CaptureFixture[str]):
    start_logging(is_debug=False)
    crash()
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    assert "it failed on 'x': ValueError: bad  thing (in test_logs.py:" in line


def test_debugging_shows_the_whole_trace_and_no_escapes(capsys: pytest.CaptureFixture[str]):
    start_logging(is_debug=True)
    crash()
    text = capsys.readouterr().err
    assert "Traceback (most recent call last)" in text
    assert "\x1b" not in text and "\x07" not in text


def test_less_than_a_warning_is_for_debugging(capsys: pytest.CaptureFixture[str]):
    start_logging(is_debug=False)
    log.info("detail")
    assert capsys.readouterr().err == ""
    start_logging(is_debug=True)
    log.info("detail")
    assert capsys.readouterr().err == "gossamer: info: detail\n"


def test_quiet_leaves_errors(capsys: pytest.CaptureFixture[str]):
    start_logging(is_debug=False, is_quiet=True)
    log.warning("may be")
    log.error("is so")
    assert capsys.readouterr().err == "gossamer: error: is so\n"


def test_starting_twice_logs_once(capsys: pytest.CaptureFixture[str]):
    start_logging(is_debug=False)
    start_logging(is_debug=False)
    log.warning("once")
    assert capsys.readouterr().err.count("once") == 1


class Untold(Exception):
    def __str__(self) -> str:
        raise KeyError


@pytest.mark.parametrize("is_debug", [False, True])
def test_an_exception_whose_text_cannot_be_told_is_logged_like_any_other(
    is_debug: bool, capsys: pytest.CaptureFixture[str]
):
    start_logging(is_debug=is_debug)
    log.error("it failed", exc_info=Untold())
    assert "it failed: Untold: (its text cannot be told: KeyError)" in capsys.readouterr().err


def test_a_message_that_cannot_be_made_does_not_stop_who_logs_it(capsys: pytest.CaptureFixture[str]):
    start_logging(is_debug=False)
    log.error("it failed on %s", Untold())
    log.error("the next")
    assert capsys.readouterr().err == "gossamer: error: the next\n"
