"""The programs in a text of Markdown, and what it says they print."""

from __future__ import annotations

import re
from typing import NamedTuple

_PIECE = re.compile(
    r"^```python\n# (?P<name>\w+\.py[^\n]*)\n(?P<code>.*?)^```\n(?:\n^```text\n(?P<output>.*?)^```\n)?", re.M | re.S
)


class Piece(NamedTuple):
    """One program."""

    name: str
    code: str
    output: str | None
    """None if it says nothing of it."""


def pieces_of(text: str) -> list[Piece]:
    """The blocks of Python that begin with a comment that names a file, in order."""
    return [Piece(match["name"], match["code"], match["output"]) for match in _PIECE.finditer(text)]
