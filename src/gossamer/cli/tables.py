"""A table as people, programs and spreadsheets read it: columns and rows, as text, JSON or CSV.

Cells may hold what a stranger wrote: text passes `printable`, and in CSV a cell that a spreadsheet would take for a
formula is marked as text.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gossamer.cli.output import Output
from gossamer.util.terminal import printable

Cell = str | int | float | None

STATUS = "status"
"""The column of HTTP statuses and FetchStatus codes: its numbers are names."""


@dataclass(frozen=True, slots=True)
class Table:
    """Columns, of which some hold numbers, and rows."""

    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]
    empty: str = "Nothing to show."
    """What is said instead of a table without rows."""

    def to_text(self, output: Output) -> str:
        """For people."""
        from gossamer.cli.render import Column, table

        if not self.rows:
            return self.empty
        numbers = [isinstance(cell, int | float) for cell in self.rows[0]]
        columns = [Column(name, is_number) for name, is_number in zip(self.columns, numbers, strict=True)]
        shown = [_code if name == STATUS else _shown for name in self.columns]
        return table(
            output, columns, [[show(cell) for show, cell in zip(shown, row, strict=True)] for row in self.rows]
        )

    def to_json(self) -> str:
        """One list of objects."""
        return json.dumps([dict(zip(self.columns, row, strict=True)) for row in self.rows])

    def to_csv(self) -> str:
        """With a header, as RFC 4180 has it but for the ends of lines."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_harmless(cell) for cell in row] for row in self.rows)
        return text.getvalue().rstrip("\n")


def toes_table(answer: Any) -> Table:
    """The answer of `/toes`."""
    rows = [
        [toe["serial"], _step(toe), round(toe["seconds"], 1), toe["settled"], toe["uri"] or "-"]
        for toe in answer["toes"]
    ]
    rows += [
        [f"({one['name']})", f"abandoned in {one['hook']}", round(one["seconds"], 1), "-", one["uri"] or "-"]
        for one in answer.get("abandoned", ())
    ]
    return Table(("toe", "step", "seconds", "settled", "uri"), rows, "There are no toes.")


def _step(toe: Any) -> str:
    return f"{toe['step']}: {toe['processor']}" if toe["processor"] else str(toe["step"])


def _shown(cell: Cell) -> str:
    return f"{cell:,}" if isinstance(cell, int | float) else "-" if cell is None else cell


def _code(cell: Cell) -> str:
    """A status as people write it; with its name, if it is one of ours."""
    from gossamer.model.fetchstatus import FetchStatus

    name = next((status.name for status in FetchStatus if status.code == cell), "")
    return f"{cell} {name}".rstrip()


def _harmless(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    text = printable(cell)
    return f"'{text}" if text[:1] in {"=", "+", "-", "@"} and text != "-" else text
