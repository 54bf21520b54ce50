"""What a page says of itself: its title, language and meta elements, found by the scanner.

For pages that have no tree; the others read the same from theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from gossamer.extract.references import unescape_text
from gossamer.extract.scanner import Scanner, attributes_of

MAX_META = 1000
"""Names that are kept."""
MAX_TITLE_SOURCE = 65_536
"""Characters of a title that are read."""

_SCANNER = Scanner({"html", "title", "meta"})


class PageFacts(NamedTuple):
    title: str
    """White space folded."""
    language: str | None
    """The lang of `<html>`."""
    meta: dict[str, str]
    """name or http-equiv (lower case) -> content; the first of each."""


def scan_facts(source: str, *, is_xml: bool = False) -> PageFacts:
    """The facts of a page, the first of each."""
    title: str | None = None
    language: str | None = None

    def metas() -> Iterator[Mapping[str, str]]:
        nonlocal title, language
        for tag in _SCANNER.tags(source, is_xml=is_xml):
            if tag.name == "meta":
                yield attributes_of(tag.attributes)
            elif tag.name == "html":
                language = language or attributes_of(tag.attributes).get("lang") or None
            elif title is None:
                title = fold_title(unescape_text(source[tag.end : min(tag.resume, tag.end + MAX_TITLE_SOURCE)]))

    meta = meta_of(metas())
    return PageFacts(title or "", language, meta)


def fold_title(text: str) -> str:
    """A title with its white space folded."""
    return " ".join(text[:MAX_TITLE_SOURCE].split())


def meta_of(elements: Iterable[Mapping[str, str | None]]) -> dict[str, str]:
    """name or http-equiv -> content of meta elements, given by their attributes."""
    found: dict[str, str] = {}
    for attributes in elements:
        name = (attributes.get("name") or attributes.get("http-equiv") or "").strip().lower()
        if name and (name in found or len(found) < MAX_META):
            found.setdefault(name, attributes.get("content") or "")
    return found
