"""Everything that Rich draws: tables, and the live progress of a crawl in a terminal.

Text comes in that a stranger may have written; it has passed `printable` here, and is never read as Rich's markup.
Tables come out as text, coloured only for a terminal and only as wide as it is; in a pipe they are plain columns.

The live view holds nothing of the terminal that would have to be given back: the cursor stays visible and no other
screen is entered, so that even a `kill -9` leaves the terminal as it was.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleDimensions
from rich.live import Live
from rich.table import Table
from rich.text import Text

from gossamer.cli.glance import Cell, Glance
from gossamer.cli.output import Output
from gossamer.util.terminal import printable

_UNLIMITED = 100_000
_CELL_WIDTH = 26
_LABEL_WIDTH = 12
_GAP = 2
_SHORTEST_NAME = 8
_STATE_STYLES = {"RUNNING": "bold green", "PAUSING": "bold yellow", "PAUSED": "bold yellow", "STOPPING": "bold yellow"}
_CELL_STYLES = {"failed": "red", "disregarded": "yellow"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    title: str
    is_number: bool = False


def table(
    output: Output, columns: Sequence[Column], rows: Sequence[Sequence[str]], *, is_last_total: bool = False
) -> str:
    """A table as text for `output`; `is_last_total` sets the last row apart."""
    drawn = Table(box=None, pad_edge=False, show_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        drawn.add_column(
            column.title, justify="right" if column.is_number else "left", no_wrap=column.is_number, overflow="fold"
        )
    for number, row in enumerate(rows, start=1):
        style = "bold" if is_last_total and number == len(rows) else None
        drawn.add_row(*(Text(printable(cell)) for cell in row), style=style)
    text = io.StringIO()
    console = Console(file=text, force_terminal=output.is_terminal, width=_width(output), highlight=False)
    console.print(drawn)
    return "\n".join(line.rstrip() for line in text.getvalue().rstrip("\n").split("\n"))


def _width(output: Output) -> int:
    return _fit(Console(file=output.stream)).width if output.is_terminal else _UNLIMITED


def _fit(console: Console) -> Console:
    """Make a console as large as the terminal it writes to; Rich itself asks standard input first."""
    with contextlib.suppress(OSError, ValueError):  # not a terminal any more: as large as it was
        columns, lines = os.get_terminal_size(console.file.fileno())
        if columns > 0 and lines > 0:
            console.size = ConsoleDimensions(columns, lines)
    return console


@contextlib.contextmanager
def busy(sentence: str, total: int) -> Iterator[Status]:
    """Show on standard error, if that is a terminal, that something is under way."""
    output = Output(sys.stderr)
    status = Status(output, sentence, total)
    try:
        yield status
    finally:
        status.close()


class Status:
    """One line that is written over and over."""

    def __init__(self, output: Output, sentence: str, total: int) -> None:
        self._console = _fit(Console(file=output.stream)) if output.is_terminal else None
        self._sentence = sentence
        self._total = total
        self._done = 0

    def step(self, name: str) -> None:
        """Work on the next item begins."""
        self._done += 1
        if self._console is not None:
            line = Text(
                f"{self._sentence} {self._done} of {self._total}: {printable(name)}", no_wrap=True, overflow="ellipsis"
            )
            self._console.print(line, end="\r", soft_wrap=False)

    def close(self) -> None:
        if self._console is not None and self._done:
            self._console.print(" " * (self._console.width - 1), end="\r")


class LiveView:
    """The progress of a crawl, redrawn in place."""

    refresh_seconds = 0.5

    def __init__(self, output: Output) -> None:
        self._console = Console(file=output.stream, highlight=False)
        self._live = Live(
            Text("starting"),
            console=self._console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=sys.stderr.isatty(),
            vertical_overflow="crop",
        )

    def start(self) -> None:
        """Begin to draw; log lines on the same terminal appear above from now on."""
        self._live.start()
        # A cursor in sight costs nothing, and one left hidden by a kill -9 would cost its owner a `reset`.
        self._console.show_cursor(True)

    def show(self, glance: Glance) -> None:
        """Draw one look at the crawl."""
        _fit(self._console)  # the window may have been resized
        self._live.update(lines_of(glance, self._console.width), refresh=True)

    def announce(self, text: str, glance: Glance | None) -> None:
        """A state was entered: it shows in the next drawing."""
        if glance is not None:
            self.show(glance)

    def close(self) -> None:
        """Wipe the drawing away; idempotent."""
        self._live.stop()


def lines_of(glance: Glance, width: int) -> Text:
    """A look at a crawl, in as many columns as fit a width."""
    lines = [_head(glance, width), *_grid(glance.cells, width)]
    if glance.waiting:
        waiting = Text("waiting".ljust(_LABEL_WIDTH), style="dim") + Text(
            printable(" · ".join(glance.waiting)), style="not dim"
        )
        lines.append(waiting)
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return Text("\n", no_wrap=True).join(lines)


def _head(glance: Glance, width: int) -> Text:
    state = Text(glance.state, style=_STATE_STYLES.get(glance.state, "bold"))
    if glance.reason:
        state.append(f" ({printable(glance.reason)})", style="default")
    state.truncate(max(1, width - len(glance.elapsed) - _GAP), overflow="ellipsis")
    room = width - state.cell_len - len(glance.elapsed) - 2 * _GAP
    name = Text(f"  {printable(glance.name, room)}" if room >= _SHORTEST_NAME else "")
    gap = width - state.cell_len - name.cell_len - len(glance.elapsed)
    return Text.assemble(state, name, " " * max(1, gap), glance.elapsed)


def _grid(cells: Sequence[Cell], width: int) -> list[Text]:
    """The cells in three columns, or two or one where three do not fit."""
    for per_line in (3, 2, 1):
        rows = [cells[start : start + per_line] for start in range(0, len(cells), per_line)]
        widths = [max(_CELL_WIDTH, *(_cell_width(cell) for cell in cells[i::per_line])) for i in range(per_line)]
        if sum(widths) - _GAP <= width:
            break
    return [_row(row, widths) for row in rows]


def _cell_width(cell: Cell) -> int:
    return _LABEL_WIDTH + len(cell.value) + _GAP


def _row(cells: Sequence[Cell], widths: Sequence[int]) -> Text:
    row = Text()
    for cell, width in zip(cells, widths, strict=False):  # the last row may be short
        style = _CELL_STYLES.get(cell.label, "bold") if cell.value != "0" else "default"
        row.append(cell.label.ljust(_LABEL_WIDTH), "dim")
        row.append(cell.value.ljust(width - _LABEL_WIDTH), style)
    row.rstrip()
    return row
