"""What a stranger wrote, made safe to show to a person: in a terminal, a log line, a report.

Page titles, URLs, header values and server errors are hostile text. Escape sequences could rewrite the screen or the
window's title, bidirectional overrides could make a name read as another, a newline could forge a log line, and a lone
surrogate cannot even be written. None of these is left in what comes out of here; ordinary text in any script is as it
was. Markup of a front end (HTML, Rich) is escaped by that front end, not here.
"""

from __future__ import annotations

import re
import unicodedata

# ECMA-48: CSI (parameters, then one final byte), the string controls DCS, SOS, OSC, PM and APC up to BEL or ST, then
# any other escape. 7-bit and 8-bit forms. An unfinished string control takes the rest, as a terminal would take it.
_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[PX\]^_]|[\x90\x98\x9d\x9e\x9f])(?:[^\x07\x1b\x9c]|\x1b(?!\\))*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
_LINE_BREAKS = dict.fromkeys(map(ord, "\t\n\v\f\r\x85\u2028\u2029"), " ")
# Zero-width joiners shape letters in Persian, Hindi and many emoji; alone among format characters they are kept.
_JOINERS = "\u200c\u200d"
_DROPPED = {"Cc", "Cf", "Cs", "Co", "Cn"}


def printable(text: str, limit: int | None = None) -> str:
    """One line of `text` without escapes, controls, direction overrides or lone surrogates.

    Line breaks and tabs become spaces. Longer than `limit` characters, it is cut and ends in an ellipsis.
    """
    is_cut = False
    if limit is not None and len(text) > 4 * limit + 256:
        # Everything below only shortens: what stands far beyond the limit need not be looked at.
        text = text[: 4 * limit + 256]
        is_cut = True
    if not text.isprintable():
        text = _ESCAPE.sub("", text).translate(_LINE_BREAKS)
        text = "".join(c for c in text if c in _JOINERS or unicodedata.category(c) not in _DROPPED)
    if limit is not None and (is_cut or len(text) > limit):
        text = text[: max(limit - 1, 0)] + "…"
    return text


def text_of(error: BaseException) -> str:
    """The text of an exception of somebody's own kind, whose making may fail, too."""
    try:
        return str(error)
    except Exception as failure:
        return f"(its text cannot be told: {type(failure).__name__})"
