"""The native reader: HTML and XHTML read by `gossamer_native`, an optional extension, in one pass and without a tree.

It finds what the HtmlExtractor finds, in a tenth of the time: the rules are those of the scanner, tag for tag, and what
is not plain (one reference in a thousand, a `<base>`, the text of a link) it asks of the same Python.

A page read so has no tree until somebody selects in it.
"""

from __future__ import annotations

import copyreg
import logging
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal

from gossamer.errors import ConfigError
from gossamer.extract.base import Extraction
from gossamer.extract.charset import detect, label_in
from gossamer.extract.collector import LinkCollector
from gossamer.extract.directives import directives_of_headers
from gossamer.extract.facts import PageFacts, fold_title
from gossamer.extract.headers import TELLING, ContentType, Headers, references_of_headers
from gossamer.extract.html import XHTML_TYPES, HtmlDocument, HtmlExtractor, base_url
from gossamer.extract.references import unescape_text
from gossamer.extract.text import ANCHOR_WINDOW, anchor_text, text_of_piece
from gossamer.model.outlink import Outlink
from gossamer.url.parse import resolve_all
from gossamer.util.native import gossamer_native, problem_of

log = logging.getLogger(__name__)

Engine = Literal["auto", "native", "python"]

if hasattr(gossamer_native, "Link"):  # one of another protocol may have none
    # Pickled or copied, a link of the extension is one that needs no extension.
    copyreg.pickle(gossamer_native.Link, Outlink.__reduce__)

_NOTHING_ANNOUNCED = Extraction()
_BOM = b"\xef\xbb\xbf"
_LINK_END = re.compile(rb"</?a(?=[ \t\n\f\r/>])", re.IGNORECASE)
"""Where `anchor_text` finds the end, which is all ASCII; the one byte that follows belongs to it."""


def html_extractor(engine: Engine, max_outlinks: int, product_token: str) -> HtmlExtractor | NativeHtmlExtractor:
    """The reader of pages that was asked for; `auto`: the native one where it can be used.

    Raises ConfigError if it has to be the native one and cannot.
    """
    problem = "" if engine == "python" else problem_of(gossamer_native)
    if engine == "native" and problem:
        raise ConfigError(f"extraction.engine is native, but {problem}")
    if engine == "python" or gossamer_native is None:
        return HtmlExtractor(max_outlinks, product_token)
    if problem:
        log.warning("pages are read without the native extension: %s", problem)
        return HtmlExtractor(max_outlinks, product_token)
    return NativeHtmlExtractor(max_outlinks, product_token)


class NativeDocument(HtmlDocument):
    """A page without a tree; title, language and meta are found by the extension."""

    @property
    def utf8(self) -> bytes:
        """The page as the extension reads it."""
        return self._data.removeprefix(_BOM) if self._codec == "utf-8" else self.html.encode("utf-8", "replace")

    @cached_property
    def _facts(self) -> PageFacts:
        title, language, meta = gossamer_native.facts(self.utf8, self._is_xml)
        return PageFacts(fold_title(unescape_text(title)), language, meta)


class NativeHtmlExtractor:
    """Reads HTML and XHTML. Stateless between pages."""

    def __init__(self, max_outlinks: int, product_token: str) -> None:
        """As `HtmlExtractor`."""
        self._max_outlinks = max_outlinks
        self._product_token = product_token
        self._reader: Any = gossamer_native.Reader(
            max_outlinks, product_token.lower(), base_url, resolve_all, _text_of_link
        )

    def extract(self, data: bytes, url: str, declared: ContentType, headers: Headers) -> Extraction:
        """Read content-decoded bytes (at most the extraction limit) of a response from `url`."""
        codec = detect(data, declared.charset, _declared_in)
        is_xml = declared.media_type in XHTML_TYPES
        document = NativeDocument(data, codec, is_xml=is_xml)
        telling = [header for header in headers if header[0] in TELLING]
        announced = self._announced(telling, url) if telling else _NOTHING_ANNOUNCED
        known = [link.url for link in announced.outlinks] if telling else []
        links, dropped, is_noindex, is_nofollow = self._reader.read(document.utf8, url, is_xml, known)
        return Extraction(
            announced.outlinks + links,
            announced.dropped_outlinks + dropped,
            document,
            codec,
            announced.is_nofollow or is_nofollow,
            announced.is_noindex or is_noindex,
        )

    def _announced(self, telling: Headers, url: str) -> Extraction:
        """What the headers say of links."""
        references = {reference: (hop, element) for reference, hop, element in references_of_headers(telling)}
        collector = LinkCollector(self._max_outlinks)
        outlinks = [Outlink(target, *place) for target, place in collector.admit(url, references)]
        is_noindex, is_nofollow = directives_of_headers(telling, self._product_token)
        return Extraction(outlinks, collector.dropped, is_nofollow=is_nofollow, is_noindex=is_noindex)


def _declared_in(head: str) -> Iterator[str]:
    """As `charset.declared_in`."""
    for is_content_type, text in gossamer_native.declared(head.encode("utf-8")):
        label = label_in(text) if is_content_type else text
        if label is not None:
            yield label


def _text_of_link(source: bytes) -> str:
    """The text of a link, from what follows its start tag: most end after some twenty bytes of what is given."""
    end = _LINK_END.search(source)
    if end is not None and end.end() < ANCHOR_WINDOW:
        return text_of_piece(source[: end.start()].decode("utf-8", "replace"))
    return anchor_text((source[: end.end() + 1] if end else source).decode("utf-8", "replace"), 0)
