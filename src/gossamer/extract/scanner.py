"""Tags of an HTML text in linear time and constant memory, whatever was written.

A tree costs time that grows with the square of how deep elements nest or how many attributes one has, and memory with
the number of elements. Documents that could be dear that way are read by this scanner instead. It follows the
tokenizer of the HTML standard (13.2.5: comments, quotes, raw text elements, script escapes, CDATA as it is taken in
HTML), but keeps no tree. What it knows of structure is only what decides whether a tag counts: it is not inside a
comment, a script or a title; not in an inert `<template>`; and `<x/>` closes itself in SVG, MathML and XHTML.

A Scanner is made for the elements one is interested in; all others are passed over within one match of its pattern.
The patterns use possessive quantifiers, so they never give back what they took, and a token that is never closed takes
the rest of the text, so no part of it is read twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from gossamer.extract.references import unescape_attribute

MAX_ATTRIBUTES = 256
"""Of one element; more are not read."""
_SHORT_ENOUGH = 4096
"""Characters of attributes that are taken apart at once."""

# Groups are repeated within an atomic one: possessively repeated, Python before 3.11.5 loses its place in them (its issue
# 106052).
_SPACE = r"[ \t\n\f\r]"
# An attribute (13.2.5.32-13.2.5.40), the usual spelling of its value first. A quote that is never closed takes the rest
# of the text with it, as in a browser.
_NAME = r"[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+"
_ATTRIBUTE = (
    rf"""{_NAME}(?>(?:="[^"]*+"?"""
    rf"""|{_SPACE}*+={_SPACE}*+(?:"[^"]*+"?|'[^']*+'?|[^ \t\n\f\r>"'][^ \t\n\f\r>]*+)?)?)"""
)
_ATTRIBUTES = rf"(?>(?:[ \t\n\f\r/]++{_ATTRIBUTE}|[ \t\n\f\r/]++|{_ATTRIBUTE})*)"
_ANY_TAG = rf"/?[a-zA-Z][^ \t\n\f\r/>]*+(?:>|{_ATTRIBUTES}>?)"
_NO_TAG = r"!--(?:-?>|.*?--!?>|.*+)|[!?/][^>]*+>?"

MARKUP = re.compile(rf"<(?:{_ANY_TAG}|{_NO_TAG})", re.DOTALL)
"""One tag, comment or declaration, to take it out of a text; raw text elements are not known to it."""

_ATTRIBUTE_PARTS = re.compile(
    rf"""({_NAME})(?>(?:{_SPACE}*+={_SPACE}*+(?:"([^"]*+)"?|'([^']*+)'?|([^ \t\n\f\r>"'][^ \t\n\f\r>]*+))?)?)"""
)
_CROWDED_TAG = re.compile(
    rf"<[a-zA-Z][^ \t\n\f\r/>]*+(?:[ \t\n\f\r/]*+{_ATTRIBUTE}){{{MAX_ATTRIBUTES}}}".encode("ascii")
)

_RAW_TEXT = frozenset({"script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "plaintext"})
_RAW_TEXT_END = {
    # ASCII: otherwise a long s would be an s, and a Kelvin sign a k.
    name: re.compile(rf"</{name}(?=[ \t\n\f\r/>])", re.IGNORECASE | re.ASCII)
    for name in _RAW_TEXT - {"script", "plaintext"}
}
_SCRIPT_PARTS = re.compile(r"<!--(-?>)?|-->|<(/?)script(?=[ \t\n\f\r/>])", re.IGNORECASE | re.ASCII)
_FOREIGN = frozenset({"svg", "math"})
_FOREIGN_ENDS = frozenset({"/svg", "/math"})
_TEMPLATE = frozenset({"template", "/template"})
_STRUCTURAL = _RAW_TEXT | _FOREIGN | _FOREIGN_ENDS | _TEMPLATE


class Tag(NamedTuple):
    """One tag that counts."""

    name: str
    """Lower case; of an end tag with its leading `/`."""
    attributes: str
    """As written; `attributes_of` takes them apart."""
    start: int
    end: int
    """Where the tag begins, and where it ends."""
    resume: int
    """Where markup goes on: `end`, or behind the content of an element that holds none (script, title, …)."""


class Scanner:
    """Finds the tags of some elements; names of end tags are given with a leading `/`."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # Compiled when it is first needed: it takes a tenth of the program's start, and many crawls need no scanner.
        wanted = _any_of(self._names | _STRUCTURAL)
        return re.compile(
            rf"(?>(?:[^<]++|<(?!{wanted})(?:{_ANY_TAG}|{_NO_TAG}|))*)<({wanted})({_ATTRIBUTES})(>?)", re.DOTALL
        )

    def tags(self, text: str, *, is_xml: bool = False) -> Iterator[Tag]:
        """The tags of a text, in order.

        Of an inert template only the outermost `<template>` and its end are among them. `is_xml`: every `<x/>` closes
        itself.
        """
        match_next = self._pattern.match
        names = self._names
        foreign_depth = 0
        templates: list[bool] = []  # of the open ones, whether each is inert
        inert = 0
        match = match_next(text, 0)
        while match is not None and match[3]:  # without `>` the text ends within this tag, which is then none
            name = match[1].lower()
            start, end = match.start(1) - 1, match.end()
            resume = end
            is_wanted = not inert and name in names
            if name in _STRUCTURAL:
                is_closed = (is_xml or foreign_depth > 0) and match[2].endswith("/")
                if name in _FOREIGN:
                    foreign_depth += not match[2].endswith("/")
                elif name in _FOREIGN_ENDS:
                    foreign_depth = max(0, foreign_depth - 1)
                elif name == "template":
                    is_inert = is_inert_template(match[2])
                    templates.append(is_inert)
                    inert += is_inert
                elif name == "/template":
                    inert -= templates.pop() if templates else 0
                    is_wanted = not inert and name in names
                elif not is_closed:
                    resume = _end_of_raw_text(text, name, end)
            if is_wanted:
                yield Tag(name, match[2], start, end, resume)
            match = match_next(text, resume)


def attributes_of(written: str) -> dict[str, str]:
    """The attributes of a start tag: lower-case name -> value, character references decoded, the first of each name."""
    attributes: dict[str, str] = {}
    if len(written) <= _SHORT_ENOUGH:
        parts = _ATTRIBUTE_PARTS.findall(written)
    else:
        parts = [part.groups("") for part in islice(_ATTRIBUTE_PARTS.finditer(written), MAX_ATTRIBUTES)]
    for name, double, single, bare in parts:
        name = name.lower()
        if name not in attributes:
            value = double or single or bare
            if "\0" in value:
                value = value.replace("\0", "\ufffd")
            attributes[name] = unescape_attribute(value) if "&" in value else value
    return attributes


def is_inert_template(attributes: str) -> bool:
    """Whether a template with these attributes, as written, is only kept for scripts, and is no shadow root."""
    return "shadowrootmode" not in attributes.lower() or "shadowrootmode" not in attributes_of(attributes)


def is_crowded_tag(data: bytes, position: int) -> bool:
    """Whether at this position a tag begins that has MAX_ATTRIBUTES attributes or more."""
    return _CROWDED_TAG.match(data, position) is not None


def _end_of_raw_text(text: str, name: str, position: int) -> int:
    if name == "plaintext":
        return len(text)
    if name == "script":
        return _end_of_script(text, position)
    end = _RAW_TEXT_END[name].search(text, position)
    return end.start() if end else len(text)


def _end_of_script(text: str, position: int) -> int:
    """Where a script ends, which is not at `</script>` inside `<!-- <script>` (13.2.5.20-13.2.5.31)."""
    is_escaped = is_doubly_escaped = False
    for part in _SCRIPT_PARTS.finditer(text, position):
        if part[2] is None:
            is_escaped = part[0] != "-->" and part[1] is None
            is_doubly_escaped = False
        elif part[2]:
            if not is_doubly_escaped:
                return part.start()
            is_doubly_escaped = False
        else:
            is_doubly_escaped = is_escaped
    return len(text)


def _any_of(names: Iterable[str]) -> str:
    """A pattern for any of these names in any case and nothing longer, as a trie.

    The regex engine looks at the first character of each branch before it tries it, but not under IGNORECASE.
    """
    tails: dict[str, list[str]] = {}
    for name in names:
        tails.setdefault(name[:1], []).append(name[1:])
    branches = [
        f"[{head}{head.upper()}]{_any_of(rest)}" if head else r"(?=[ \t\n\f\r/>])"
        for head, rest in sorted(tails.items())
    ]
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"
