"""Links of an HTML page for the independent search, read with the standard library's tokenizer.

The elements are those the crawler promises: a, area, link, img, script, iframe, frame, meta refresh; base is heeded.
"""

from __future__ import annotations

import codecs
import re
from html.parser import HTMLParser

from .weburl import resolve

_WHERE = {
    "a": "href",
    "area": "href",
    "link": "href",
    "img": "src",
    "script": "src",
    "iframe": "src",
    "frame": "src",
}
_HINTS = {"preconnect", "dns-prefetch"}
"""`link` relations that name a host, not a document."""
_REFRESH = re.compile(r"^\s*[\d.]*\s*[;,\s]\s*(?:url\s*=\s*)?[\"']?([^\"']*)", re.IGNORECASE)
_META_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w:.\-]+)", re.IGNORECASE)
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# What browsers take these labels for: https://encoding.spec.whatwg.org/#names-and-labels
_LABELS = {"iso-8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "ascii": "cp1252"}
_LABELS |= {"shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "gb2312": "gb18030", "gbk": "gb18030"}
_LABELS |= {"euc-kr": "cp949", "iso-8859-9": "cp1254", "tis-620": "cp874", "utf-16": "utf-16-le"}


class LinkReader(HTMLParser):
    """Collects what a page says about links, in order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.base: str | None = None
        self.references: list[str] = []
        self.is_nofollow = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # The first attribute of a name counts, as in browsers.
        attributes = {name: value or "" for name, value in reversed(attrs)}
        if tag == "base":
            if self.base is None and "href" in attributes:
                self.base = attributes["href"]
        elif tag == "meta":
            self._meta(attributes)
        elif tag in _WHERE and _WHERE[tag] in attributes:
            relations = set(attributes.get("rel", "").lower().split())
            # A `link` that names no relation makes no link at all (HTML 4.2.4).
            if tag != "link" or relations - _HINTS:
                self.references.append(attributes[_WHERE[tag]])

    def _meta(self, attributes: dict[str, str]) -> None:
        content = attributes.get("content", "")
        if attributes.get("http-equiv", "").lower() == "refresh":
            match = _REFRESH.match(content)
            if match and match[1]:
                self.references.append(match[1])
        elif attributes.get("name", "").lower() == "robots":
            words = {word.strip() for word in content.lower().split(",")}
            self.is_nofollow = self.is_nofollow or bool(words & {"nofollow", "none"})


def links_of(body: bytes, charset: str, url: str) -> list[str]:
    """The absolute http(s) URLs a page at `url` links to, in order; none if it asks not to be followed.

    `charset` is what the Content-Type header says, or empty.
    """
    reader = LinkReader()
    reader.feed(_decoded(body, charset))
    reader.close()
    if reader.is_nofollow:
        return []
    base = (resolve(url, reader.base) if reader.base is not None else None) or url
    resolved = (resolve(base, reference) for reference in reader.references)
    return [link for link in resolved if link is not None]


def _decoded(body: bytes, charset: str) -> str:
    """The text of a page: by byte order mark, header, meta, or else windows-1252."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    meta = _META_CHARSET.search(body[:1024])
    for label in (charset, meta[1].decode("ascii") if meta else "", "cp1252"):
        name = label.strip().strip("\"'").lower()
        if name:
            try:
                return body.decode(_LABELS.get(name, name), "replace")
            except LookupError:
                continue
    raise AssertionError("cp1252 is known")
