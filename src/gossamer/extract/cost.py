"""What a tree of this document would cost, told before it is built.

lexbor is fast on what people write and slow on what they write to hurt: nesting costs the square of its depth (20,000
open elements take seconds), so do the attributes of one element and formatting elements that are left open.
`is_suspicious` is quick enough for every page and decides who reads it, the tree or the scanner; `is_costly` reads a
suspicious one tag by tag and decides whether user code may have its tree after all.
"""

from __future__ import annotations

import re

from gossamer.extract.scanner import MARKUP, MAX_ATTRIBUTES, is_crowded_tag

MAX_TREE_BYTES = 64 * 1024
"""In so many bytes nobody finds room for more than seconds of work. Above, the scanner is nearly as fast anyway."""
MAX_TREE_TAGS = 5000
"""The worst markup of as many tags that we know takes lexbor 0.2 s."""
MAX_OPEN_ELEMENTS = 500
"""Real pages stay below 100."""

_LONG_TAG = 2048
"""Bytes without a `<` that are looked at more closely: room for 700 attributes."""
_SHORTEST_TAG = 3

_UNCOUNTED = frozenset(
    # They have no end tag, or need none.
    "area base br col embed hr img input link meta source track wbr param"
    " p li dt dd tr td th option optgroup thead tbody tfoot rt rp html head body".split()
)
_TAG_NAME = re.compile(r"</?([a-zA-Z][^ \t\n\f\r/>]*+)")


def is_suspicious(data: bytes) -> bool:
    """Whether a tree of these bytes could be costly; a false alarm costs nothing but the tree."""
    size = len(data)
    if size > MAX_TREE_BYTES:
        return True
    if size > MAX_TREE_TAGS * _SHORTEST_TAG and data.count(b"<") > MAX_TREE_TAGS:
        return True
    return size > _LONG_TAG and _has_long_crowded_tag(data)


def is_costly(source: str) -> bool:
    """Whether the tree of a source would be deep, crowded with attributes, or full of repeated body tags."""
    open_elements = 0
    merged = 0
    for match in MARKUP.finditer(source):
        name = _TAG_NAME.match(source, match.start(), match.end())
        if name is None:
            continue
        if name[1].lower() in _UNCOUNTED:
            merged += name[1].lower() in ("html", "body")
        elif source[match.start() + 1] == "/":
            open_elements = max(0, open_elements - 1)
        else:
            open_elements += 1
        if open_elements > MAX_OPEN_ELEMENTS or merged > MAX_ATTRIBUTES:
            return True
        if match.end() - match.start() > _LONG_TAG and is_crowded_tag(match[0].encode("utf-8", "replace"), 0):
            return True
    return False


def _has_long_crowded_tag(data: bytes) -> bool:
    """Whether a long stretch without a `<` is a tag with hundreds of attributes; steps over most of the bytes."""
    position = 0
    last = len(data) - _LONG_TAG
    while position < last:
        found = data.rfind(b"<", position, position + _LONG_TAG)
        if found >= 0:
            position = found + 1
            continue
        if is_crowded_tag(data, max(0, position - 1)):
            return True
        position = data.find(b"<", position) + 1
        if not position:
            return False
    return False
