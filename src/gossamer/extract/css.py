"""Style sheets: what they fetch, `url(…)` and `@import`, as CSS Syntax Level 3 reads them. Pure.

Found by one pattern in one pass, in linear time whatever the sheet is: a string that is not closed ends with its line
or the sheet, so nothing is read again from its middle. What stands in comments and strings is no reference, and neither
is the name of a namespace. Everything a sheet fetches is an embed, relative to the sheet's own URL (CSS Values 4, 4.5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from gossamer.model.outlink import HOP_EMBED

MAX_REFERENCES = 20_000
"""Of one sheet; no real one has a tenth of it."""

_STRING = r"""(?:"([^"\n\\]*+(?>(?:\\.[^"\n\\]*+)*))"|'([^'\n\\]*+(?>(?:\\.[^'\n\\]*+)*))')"""
_TOKEN = re.compile(
    rf"/\*.*?(?:\*/|\Z)"
    rf"|@namespace\b[^;{{}}\"'(]*+"  # up to the string, or into the `url(`
    rf"|@import\s*+{_STRING}"
    rf"|\burl\(\s*+(?:{_STRING}|([^\"'()\s\\]*+(?>(?:\\.[^\"'()\s\\]*+)*)))\s*+\)"
    rf"|\"[^\"\n\\]*+(?>(?:\\.[^\"\n\\]*+)*)(?:\"|\\?\Z|(?=\n))"
    rf"|'[^'\n\\]*+(?>(?:\\.[^'\n\\]*+)*)(?:'|\\?\Z|(?=\n))",
    re.DOTALL | re.IGNORECASE,
)
_LAST_OF_IMPORT = 2
"""Groups of the pattern up to this one are of an `@import`, others of a `url(…)`; a match has one of them or none."""
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|\s)?|(\n)|(.))", re.DOTALL)


def references_of_sheet(source: str) -> Iterator[tuple[str, str, str]]:
    """(reference, hop, place) in order; an `@import url(…)` counts as url."""
    return islice(_references(source), MAX_REFERENCES)


def _references(source: str) -> Iterator[tuple[str, str, str]]:
    for match in _TOKEN.finditer(source):
        group = match.lastindex
        if group is None:  # a comment, a string: of a hostile sheet that is millions
            continue
        reference = match[group]
        if reference and reference[0] != "#":  # a place in the page that the sheet is for
            place = "css@import" if group <= _LAST_OF_IMPORT else "css@url"
            yield (_unescaped(reference) if "\\" in reference else reference), HOP_EMBED, place


def _unescaped(text: str) -> str:
    """CSS Syntax 4.3.7: hexadecimal digits and one white space, a line end that is none, any other character itself."""
    return _ESCAPE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    if match[1] is None:
        return match[3] or ""
    code = int(match[1], 16)
    return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd"
