"""Character references: what `&amp;` and its like stand for, in attributes and in text.

Attributes are decoded as the standard says (HTML 13.2.5.72-13.2.5.80), text by the standard library, which differs in
nothing that is printed. Neither raises: a number of thousands of digits, at which Python refuses to count, is no
character.
"""

from __future__ import annotations

import html
import re
from html.entities import html5

_REFERENCE = re.compile(r"&(?:#([0-9]+);?|#[xX]([0-9a-fA-F]+);?|([a-zA-Z][a-zA-Z0-9]*+(?:;|(?!=))))")
_MAX_DIGITS = 8
"""Of a number that may be a character; leading zeros aside."""
_LONG_NUMBER = re.compile(rf"&#(?=[0-9]{{{_MAX_DIGITS}}})0*+([0-9]*+);?")
_REPLACEMENT = "\ufffd"


def unescape_attribute(value: str) -> str:
    """Decode character references as the standard does in attributes.

    There `&copy=1` and `&copyright` are none, since URLs are full of such (13.2.5.73).
    """
    return _REFERENCE.sub(_decode, value)


def unescape_text(text: str) -> str:
    """Decode character references in text."""
    if "&#" in text:
        text = _LONG_NUMBER.sub(_shortened, text)
    return html.unescape(text)


def _shortened(match: re.Match[str]) -> str:
    return _REPLACEMENT if len(match[1]) > _MAX_DIGITS else f"&#{match[1] or 0};"


def _decode(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    if name is not None:
        return html5.get(name, match[0])
    digits = (decimal or hexadecimal).lstrip("0")
    return _REPLACEMENT if len(digits) > _MAX_DIGITS else _character(int(digits or "0", 10 if decimal else 16))


def _character(number: int) -> str:
    """The character of a numeric reference (13.2.5.80): C1 controls are meant as windows-1252."""
    if 0x80 <= number <= 0x9F:
        return bytes([number]).decode("windows-1252", "ignore") or chr(number)
    if number == 0 or number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        return _REPLACEMENT
    return chr(number)
