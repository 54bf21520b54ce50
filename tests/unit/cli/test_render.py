from __future__ import annotations

import dataclasses
import fcntl
import io
import os
import pty
import struct
import termios
from collections.abc import Iterator
from typing import TextIO

import pyte
import pytest

from gossamer.cli.glance import Cell, Glance
from gossamer.cli.output import Output
from gossamer.cli.render import Column, LiveView, lines_of, table

GLANCE = Glance(
    state="RUNNING",
    reason="",
    name="example.org",
    elapsed="00:01:05",
    cells=tuple(
        Cell(label, value)
        for label, value in [
            ("pages", "1,234, 12.3/s"),
            ("queued", "5,678"),
            ("in process", "3"),
            ("done", "1,300"),
            ("failed", "12"),
            ("disregarded", "45"),
            ("received", "45.2 MiB"),
            ("hosts", "7"),
        ]
    ),
    waiting=("a.example 1m30s (The server asked for it.)", "b.example 2s"),
)


class Terminal:
    """A pseudo-terminal and what a person would see on it."""

    def __init__(self, columns: int, lines: int) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        os.set_blocking(self.master, False)
        self.stream: TextIO = open(slave, "w")
        self.raw = b""
        self._screen = pyte.Screen(columns, lines)
        self._feed = pyte.ByteStream(self._screen)

    def seen(self) -> list[str]:
        try:
            while piece := os.read(self.master, 65536):
                self.raw += piece
                self._feed.feed(piece)
        except BlockingIOError:
            pass
        return [line.rstrip() for line in self._screen.display]

    @property
    def is_cursor_shown(self) -> bool:
        return not self._screen.cursor.hidden

    def close(self) -> None:
        self.stream.close()
        os.close(self.master)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("LINES", raising=False)
    terminal = Terminal(80, 24)
    yield terminal
    terminal.close()


def shown(width: int, glance: Glance = GLANCE) -> list[str]:
    return lines_of(glance, width).plain.split("\n")


def test_a_wide_terminal_has_several_columns():
    assert shown(80) == [
        "RUNNING  example.org                                                    00:01:05",
        "pages       1,234, 12.3/s  queued      5,678         in process  3",
        "done        1,300          failed      12            disregarded 45",
        "received    45.2 MiB       hosts       7",
        "waiting     a.example 1m30s (The server asked for it.) · b.example 2s",
    ]


def test_a_narrow_terminal_has_one_column():
    lines = shown(30)
    assert lines[1:3] == ["pages       1,234, 12.3/s", "queued      5,678"]
    assert all(len(line) <= 30 for line in lines)


@pytest.mark.parametrize("width", [1, 2, 5, 10, 20, 40, 60, 200])
def test_no_line_is_wider_than_the_terminal(width: int):
    assert all(len(line) <= width for line in shown(width))


def test_a_long_reason_gives_way_to_the_time():
    stopping = dataclasses.replace(GLANCE, state="STOPPING", reason="finishing what is in flight " * 3)
    assert shown(60, stopping)[0] == "STOPPING (finishing what is in flight finishing w…  00:01:05"


def test_what_a_stranger_wrote_is_neither_markup_nor_escape():
    hostile = dataclasses.replace(GLANCE, name="[bold red]x[/]", waiting=("\x1b[2J[link=http://evil]a[/link] 1s",))
    text = "\n".join(shown(80, hostile))
    assert "[bold red]x[/]" in text
    assert "[link=http://evil]a[/link] 1s" in text
    assert "\x1b" not in text


def test_the_live_view_redraws_in_place_and_wipes_itself_away(terminal: Terminal):
    view = LiveView(Output(terminal.stream))
    view.start()
    view.show(GLANCE)
    view.show(dataclasses.replace(GLANCE, state="STOPPING"))
    seen = terminal.seen()
    assert seen[0].startswith("STOPPING  example.org")
    assert sum("example.org" in line for line in seen) == 1
    assert terminal.is_cursor_shown
    view.close()
    assert terminal.seen() == [""] * 24
    assert b"\x1b[?1049h" not in terminal.raw


def test_the_cursor_is_in_sight_all_the_time(terminal: Terminal):
    view = LiveView(Output(terminal.stream))
    view.start()
    terminal.seen()
    assert terminal.is_cursor_shown
    view.close()
    terminal.seen()
    assert terminal.is_cursor_shown


def test_a_terminal_of_few_lines_is_not_scrolled(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    terminal = Terminal(80, 3)
    try:
        view = LiveView(Output(terminal.stream))
        view.start()
        for _ in range(3):
            view.show(GLANCE)
        assert [line.split(" ")[0] for line in terminal.seen()] == ["RUNNING", "pages", "done"]
        view.close()
    finally:
        terminal.close()


def test_closing_twice_is_closing_once(terminal: Terminal):
    view = LiveView(Output(terminal.stream))
    view.start()
    view.close()
    view.close()


def test_a_table_in_a_pipe_is_plain_columns_as_wide_as_they_must_be():
    output = Output(io.StringIO())
    text = table(
        output, [Column("name"), Column("n", is_number=True), Column("why")], [["a" * 150, "1", "x"], ["b", "22", ""]]
    )
    assert text.split("\n") == [
        "name".ljust(150) + "   n  why",
        "a" * 150 + "   1  x",
        "b".ljust(150) + "  22",
    ]


def test_a_table_shows_hostile_cells_as_text():
    text = table(Output(io.StringIO()), [Column("name")], [["[red]\x1b[31mx[/red]"]])
    assert text == "name\n[red]x[/red]"


def test_a_table_fits_its_terminal(terminal: Terminal):
    text = table(Output(terminal.stream), [Column("name"), Column("n", is_number=True)], [["a" * 150, "12"]])
    plain = pyte.Screen(200, 10)
    pyte.Stream(plain).feed(text.replace("\n", "\r\n"))
    assert max(len(line.rstrip()) for line in plain.display) <= 80
