"""Showing results: a table for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path


def print_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a Markdown table, numbers to the right."""
    print(table(header, rows), end="")


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The lines of that table."""
    cells = [[_shown(value) for value in row] for row in rows]
    widths = [max(len(row[i]) for row in [list(header), *cells]) for i in range(len(header))]
    lines = ["| " + " | ".join(name.ljust(width) for name, width in zip(header, widths, strict=True)) + " |"]
    lines.append("|" + "|".join("-" * (width + 1) + ("-" if i == 0 else ":") for i, width in enumerate(widths)) + "|")
    for row in cells:
        first, *rest = (
            cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("| " + " | ".join([first, *rest]) + " |")
    return "".join(line + "\n" for line in lines)


def write_json(path: Path | None, result: object) -> None:
    """Write `result` to a file, if one is given."""
    if path is not None:
        path.write_text(json.dumps(result, indent=1, sort_keys=True, default=str) + "\n", encoding="utf-8")


def note(text: str) -> None:
    """Tell on standard error what is going on."""
    print(text, file=sys.stderr, flush=True)


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.2f}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
