"""Where each key of a TOML document stands. Pure.

`tomllib` reads the values but tells no positions, and a message about a setting should name its line. This scanner
reads only as much of the grammar as it takes to find keys: it must be given a document that tomllib has accepted.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping

KeyPath = tuple[str, ...]

_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_KEY = re.compile(r"""[ \t]*(?:([A-Za-z0-9_-]+)|("(?:\\.|[^"\\\n])*"|'[^'\n]*'))[ \t]*(\.?)""")
# One piece of a value: any kind of string, a comment, a bracket, a line's end, or plain stuff between these.
_PIECE = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*"
    r"|[\[\]{}\n]"
    r"|[^\"'#\[\]{}\n]+",
    re.DOTALL,
)


def key_lines(text: str) -> dict[KeyPath, int]:
    """The line (from 1) of each key and table header of a valid document with "\\n" line ends; the first of each.

    Keys inside inline tables are not listed: those stand on the line of the key they belong to.
    """
    lines: dict[KeyPath, int] = {}
    table: KeyPath = ()
    line, counted = 1, 0
    position = _BLANK.match(text).end()  # type: ignore[union-attr]  # it matches nothing at all, too
    while position < len(text):
        line, counted = line + text.count("\n", counted, position), position
        if text[position] == "[":
            table, position = _read_key(text, position + (2 if text.startswith("[[", position) else 1))
            lines.setdefault(table, line)
            position = text.find("\n", position) if "\n" in text[position:] else len(text)
        else:
            key, position = _read_key(text, position)
            lines.setdefault(table + key, line)
            position = _skip_value(text, position)
        position = _BLANK.match(text, position).end()  # type: ignore[union-attr]
    return lines


def line_of(path: KeyPath, lines: Mapping[KeyPath, int]) -> int:
    """The line of a key, or of the nearest key or table around it; 1 for what has no place."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _read_key(text: str, position: int) -> tuple[KeyPath, int]:
    """A dotted key from `position`, and where it ends."""
    parts: list[str] = []
    while True:
        match = _KEY.match(text, position)
        assert match is not None, "the document is not valid TOML"
        bare, quoted, dot = match.groups()
        parts.append(bare if bare is not None else tomllib.loads(f"key = {quoted}")["key"])
        position = match.end()
        if not dot:
            return tuple(parts), position


def _skip_value(text: str, position: int) -> int:
    """From behind a key over `=` and the value to the end of the line where the value ends."""
    depth = 0
    while position < len(text):
        match = _PIECE.match(text, position)
        assert match is not None, "the document is not valid TOML"
        piece = match[0]
        if piece == "\n" and depth == 0:
            return position
        depth += (piece in ("[", "{")) - (piece in ("]", "}"))
        position = match.end()
    return position
