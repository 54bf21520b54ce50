from __future__ import annotations

import io
import os
import pty
from pathlib import Path

import pytest

from gossamer.cli.output import Output, complain


def test_a_line_is_written_at_once(tmp_path: Path):
    with (tmp_path / "out").open("w") as stream:
        Output(stream).line("one")
        assert (tmp_path / "out").read_text() == "one\n"


def test_what_the_encoding_lacks_is_written_as_an_escape():
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, "ascii")
    Output(stream).line("naïve")
    assert raw.getvalue() == b"na\\xefve\n"


def test_a_pipe_whose_reader_is_gone_is_silent_from_then_on():
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as stream:
        output = Output(stream)
        output.line("unheard")
        assert output.is_lost
        output.line("unsaid")


def test_a_closed_stream_is_no_error(tmp_path: Path):
    stream = (tmp_path / "out").open("w")
    stream.close()
    output = Output(stream)
    output.line("too late")
    assert output.is_lost


def test_a_file_is_no_terminal(tmp_path: Path):
    with (tmp_path / "out").open("w") as stream:
        assert not Output(stream).is_terminal


@pytest.mark.parametrize(("kind", "is_terminal"), [("xterm", True), ("dumb", False), ("", False)])
def test_a_terminal_that_cannot_move_its_cursor_is_treated_as_a_pipe(
    kind: str, is_terminal: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TERM", kind)
    master, slave = pty.openpty()
    try:
        with open(slave, "w") as stream:
            assert Output(stream).is_terminal is is_terminal
    finally:
        os.close(master)


def test_a_complaint_names_the_program_and_holds_no_escapes(capsys: pytest.CaptureFixture[str]):
    complain("first \x1b[31mred\nsecond")
    assert capsys.readouterr().err == "gossamer: first red\n  second\n"
