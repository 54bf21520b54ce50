"""The visible text of an HTML source: what a reader would copy from the page.

Words are kept whole over inline tags (`<b>W</b>ord`) and apart over block tags. What is not shown to a reader with
scripting (scripts, styles, templates, the title, noscript) is left out. Linear in the source's length.
"""

from __future__ import annotations

import re

from gossamer.extract.references import unescape_text
from gossamer.extract.scanner import MARKUP, Scanner, is_inert_template

MAX_ANCHOR = 100
"""Characters of an anchor text."""
ANCHOR_WINDOW = 4096
"""Characters of source looked at for one."""

_BLOCKS = (
    "address article aside blockquote body br caption center dd details dialog div dl dt fieldset figcaption figure"
    " footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre"
    " search section select summary table tbody td tfoot th thead tr ul"
).split()
_RAW = "script style title textarea xmp iframe noembed noframes".split()
_SCANNER = Scanner(
    [*_BLOCKS, *(f"/{name}" for name in _BLOCKS), *_RAW, "noscript", "/noscript", "template", "/template"]
)
_SHOWN_RAW = frozenset({"textarea", "xmp"})
_INVISIBLE = frozenset({"script", "style", "title", "template", "/template"})
# A single space, by far the most frequent, is left alone.
_BLANKS = re.compile(r"[ \t\f\r\n\xa0]{2,}|[\t\f\r\n\xa0]")
_BREAKS = re.compile(r" ?\0[ \0]*+")
_ANCHOR_END = re.compile(r"</?a(?=[ \t\n\f\r/>])", re.IGNORECASE)


def visible_text(source: str, *, is_xml: bool = False) -> str:
    """The text between the tags, white space folded, one line per block."""
    # NUL is no character of a text; here it stands for a line break of ours, unlike those of the source.
    source = source.replace("\0", "")
    pieces: list[str] = []
    position = 0
    hidden = 0
    is_inert = False
    for tag in _SCANNER.tags(source, is_xml=is_xml):
        if not hidden and not is_inert:
            pieces.append(_without_markup(source[position : tag.start]))
        # Nothing within an inert template is a tag, so the next one is its end.
        is_inert = tag.name == "template" and is_inert_template(tag.attributes)
        if tag.name == "noscript":
            hidden += 1
        elif tag.name == "/noscript":
            hidden = max(0, hidden - 1)
        elif tag.name not in _INVISIBLE:
            pieces.append("\0")
        position = tag.end if tag.name in _SHOWN_RAW else tag.resume
    if not hidden and not is_inert:
        pieces.append(_without_markup(source[position:]))
    text = _BLANKS.sub(" ", unescape_text("".join(pieces)))
    return _BREAKS.sub("\n", text).strip()


def anchor_text(source: str, position: int) -> str:
    """The text of a link whose start tag ends at `position`."""
    window = source[position : position + ANCHOR_WINDOW]
    end = _ANCHOR_END.search(window)
    return text_of_piece(window[: end.start()] if end else window)


def text_of_piece(source: str) -> str:
    """The text of a piece of source, folded as that of a link."""
    return fold(unescape_text(_without_markup(source)))


def fold(text: str) -> str:
    """White space folded, at most 100 characters."""
    return " ".join(text[:ANCHOR_WINDOW].split())[:MAX_ANCHOR].rstrip()


def _without_markup(piece: str) -> str:
    return MARKUP.sub("", piece) if "<" in piece else piece
