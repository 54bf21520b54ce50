"""Hostile text as one word of printable ASCII, for formats in which a space ends a field and a line feed ends a record.

URLs as the parser serializes them come through unchanged; anything else is percent-encoded as UTF-8, so what it was can
still be read back.
"""

from __future__ import annotations


def one_word(text: str) -> str:
    """`text` without spaces, control characters and anything beyond ASCII: each becomes `%XX`, byte by byte."""
    if text.isascii() and text.isprintable() and " " not in text:
        return text
    return "".join(c if "!" <= c <= "~" else _encoded(c) for c in text)


def _encoded(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
