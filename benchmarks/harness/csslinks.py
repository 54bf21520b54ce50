"""What a style sheet fetches, for the independent search: read character by character, as CSS Syntax Level 3 has it."""

from __future__ import annotations

from .weburl import resolve

_ENDS = "\"'()"
"""What ends an unquoted url() or makes it none."""


def links_of_sheet(body: bytes, url: str) -> list[str]:
    """The absolute http(s) URLs that the sheet at `url` names in `url(…)` and `@import`, in order."""
    reader = SheetReader(body.decode("utf-8", "replace"))
    reader.read()
    resolved = (resolve(url, reference) for reference in reader.references)
    return [link for link in resolved if link is not None]


class SheetReader:
    """Walks over a sheet once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self.references: list[str] = []

    def read(self) -> None:
        text = self._text
        while self._at < len(text):
            if text.startswith("/*", self._at):
                end = text.find("*/", self._at + 2)
                self._at = len(text) if end < 0 else end + 2
            elif text[self._at] in "\"'":
                self._string()
            elif text[self._at : self._at + 7].lower() == "@import":
                self._at += 7
                self._import()
            elif text[self._at : self._at + 4].lower() == "url(" and not self._is_within_a_name():
                self._at += 4
                self._url()
            else:
                self._at += 1

    def _is_within_a_name(self) -> bool:
        before = self._text[self._at - 1 : self._at]
        return before.isalnum() or before == "_"

    def _import(self) -> None:
        self._skip_space()
        if self._text[self._at : self._at + 1] in ("'", '"'):
            self._keep(self._string())

    def _url(self) -> None:
        self._skip_space()
        if self._text[self._at : self._at + 1] in ("'", '"'):
            reference = self._string()
            self._skip_space()
        else:
            reference = self._unquoted()
            self._skip_space()
        if self._text[self._at : self._at + 1] == ")":
            self._at += 1
            self._keep(reference)

    def _unquoted(self) -> str:
        read = ""
        while self._at < len(self._text) and self._text[self._at] not in _ENDS and not self._text[self._at].isspace():
            read += self._character()
        return read

    def _string(self) -> str:
        """The string that begins here; one that its line ends is none."""
        quote = self._text[self._at]
        self._at += 1
        read = ""
        while self._at < len(self._text) and self._text[self._at] != "\n":
            if self._text[self._at] == quote:
                self._at += 1
                return read
            read += self._character()
        return ""

    def _character(self) -> str:
        """The character here, or the one that an escape stands for."""
        character = self._text[self._at]
        self._at += 1
        if character != "\\":
            return character
        start = self._at
        while self._at - start < 6 and self._text[self._at : self._at + 1] in tuple("0123456789abcdefABCDEF"):
            self._at += 1
        if self._at > start:
            code = int(self._text[start : self._at], 16)
            if self._text[self._at : self._at + 1].isspace():
                self._at += 1
            return chr(code) if 0 < code < 0xD800 else "\ufffd"
        self._at += 1
        escaped = self._text[start : self._at]
        return "" if escaped == "\n" else escaped

    def _skip_space(self) -> None:
        while self._text[self._at : self._at + 1].isspace():
            self._at += 1

    def _keep(self, reference: str) -> None:
        if reference and not reference.startswith("#"):
            self.references.append(reference)
