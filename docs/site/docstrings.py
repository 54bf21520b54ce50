"""Docstrings are Markdown, of the plain kind; autodoc reads reStructuredText. The places where they differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_SPECIAL = re.compile(r"([*|_\\])")
"""What stands for itself in our docstrings, and means something in reStructuredText."""
_NAME = re.compile(r"[A-Za-z_][\w.]*\w")
"""What may be a link to what it names."""


def to_rst(lines: Iterable[str]) -> list[str]:
    """The lines of a docstring, dedented: drawings and code (indented by four) marked as such, the rest escaped."""
    return list(_converted(lines))


def _converted(lines: Iterable[str]) -> Iterator[str]:
    is_code = False
    is_after_blank = True
    for line in lines:
        is_blank = not line.strip()
        if not is_blank:
            if is_after_blank and not is_code and line.startswith("    "):
                is_code = True
                yield from ("::", "")
            elif is_code and not line.startswith("    "):
                is_code = False
        yield line if is_code or is_blank else _escaped(line)
        is_after_blank = is_blank


def _escaped(line: str) -> str:
    """Escape outside of back quotes; what is between them is a name, or code, which takes two of them."""
    parts = line.split("`")
    parts[::2] = [_SPECIAL.sub(r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [f"`{part}`" if _NAME.fullmatch(part) else f"``{part}``" for part in parts[1::2]]
    return "".join(parts)
