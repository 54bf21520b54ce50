"""Outlink: one link found on a page, resolved but not yet judged."""

from __future__ import annotations

from collections.abc import Callable

HOP_LINK = "L"
HOP_EMBED = "E"
HOP_REDIRECT = "R"
HOP_PREREQUISITE = "P"


class Outlink:
    """A link: absolute URL without fragment, hop letter, place (`a@href`), rel, text.

    Most links of a page are known already, so the text is taken from the page only when asked for; an extractor may
    supply a subclass that does the same for rel.
    """

    __slots__ = ("_rel", "_text", "element", "hop", "url")

    def __init__(
        self, url: str, hop: str, element: str, rel: str | None = None, text: str | Callable[[], str] = ""
    ) -> None:
        self.url = url
        self.hop = hop
        self.element = element
        self._rel = rel
        self._text = text

    @property
    def rel(self) -> str | None:
        """The link's rel attribute as written."""
        return self._rel

    @property
    def text(self) -> str:
        """The link's text, white space folded, at most 100 characters."""
        if not isinstance(self._text, str):
            self._text = self._text()
        return self._text

    def __reduce__(self) -> tuple[type[Outlink], tuple[str, str, str, str | None, str]]:
        """Pickled or copied it is free of the page: rel and text are taken from it before."""
        return Outlink, (self.url, self.hop, self.element, self.rel, self.text)

    def __repr__(self) -> str:
        return f"Outlink({self.url!r}, {self.hop!r}, {self.element!r})"
