"""HTML and XHTML: the links of a page, and the page as a document.

Bytes go in, free of content coding; out come outlinks, resolved and without repeats, and a document whose facets are
computed when user code asks for them. Two readers find the same links: lexbor's tree, fastest on ordinary pages, and
the scanner, for pages whose tree could be costly and for what a tree of HTML gets wrong (XHTML's `<script/>`,
declarative shadow roots). What is a link is decided once, in `links`.

Links are relative to the page's URL, or to the first `<base>` with an href if that is a usable URL (HTML 2.4.3). A link
to a place in the page itself (`#top`) is none. Comments, scripts and inert templates hold no links; `<noscript>` does,
as for a browser without scripting.

This is the only file that knows lexbor.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, partial
from itertools import islice
from typing import Any

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from gossamer.extract.base import Extraction
from gossamer.extract.charset import decode, detect
from gossamer.extract.collector import LinkCollector
from gossamer.extract.cost import is_costly, is_suspicious
from gossamer.extract.directives import Directives, directives_of_headers, directives_of_meta
from gossamer.extract.facts import PageFacts, fold_title, meta_of, scan_facts
from gossamer.extract.headers import ContentType, Headers, references_of_headers
from gossamer.extract.links import LINK_ELEMENTS, WITH_SRCSET, references_of
from gossamer.extract.scanner import Scanner, attributes_of
from gossamer.extract.text import anchor_text, fold, visible_text
from gossamer.model.outlink import HOP_LINK, Outlink
from gossamer.url.parse import InvalidUrl, resolve

XHTML_TYPES = frozenset({"application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
HTML_TYPES = XHTML_TYPES | {"text/html"}

_HEAD_OF_COSTLY = 16 * 1024
"""Characters of a page too costly for a tree that are made into one all the same, for `select`."""
_BATCH = 1000
"""References resolved together by the scanner."""

MAX_BASES = 100
"""Base elements among which the scanner looks for one with an href."""

_OPTIONS = int(LexborDocumentOptions.WO_EVENTS)
# One walk for two attributes and one each for three elements cost half as much as one selector for all of them.
_REFERRING = '[href]:not([href^="#"]),[src]'
_SCANNER = Scanner(LINK_ELEMENTS)
_BASE_SCANNER = Scanner({"base"})
_BASE_TAG = re.compile(r"<[bB][aA][sS][eE][ \t\n\f\r/>]")


Place = tuple[str, str, str | None, int]
"""Where a reference other than an `<a>` in a tree stood: hop, element, rel, and where its text begins or -1."""


class AnchorOutlink(Outlink):
    """A link from an `<a>` in a tree; rel and text are taken from the tree only when asked for."""

    __slots__ = ("_node",)

    def __init__(self, url: str, node: LexborNode) -> None:
        self.url = url
        self.hop = HOP_LINK
        self.element = "a@href"
        self._node = node

    @property
    def rel(self) -> str | None:
        return self._node.attributes.get("rel")

    @property
    def text(self) -> str:
        return fold(self._node.text(deep=True))


class HtmlDocument:
    """A page, decoded and parsed as far as anybody asked."""

    def __init__(self, data: bytes, codec: str, tree: LexborHTMLParser | None = None, *, is_xml: bool = False) -> None:
        self._data = data
        self._codec = codec
        self._given_tree = tree
        self._is_xml = is_xml

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled or copied it is the bytes and the facts; a tree is made anew where somebody selects."""
        return _document_of, (self._data, self._codec, self._is_xml, self._facts)

    @cached_property
    def html(self) -> str:
        """The decoded source."""
        return decode(self._data, self._codec)

    @cached_property
    def text(self) -> str:
        """The visible text, one line per block."""
        return visible_text(self.html, is_xml=self._is_xml)

    @property
    def title(self) -> str:
        return self._facts.title

    @property
    def language(self) -> str | None:
        """As declared by `<html lang>`."""
        return self._facts.language

    @property
    def meta(self) -> dict[str, str]:
        """name or http-equiv (lower case) -> content; the first of each."""
        return self._facts.meta

    def select(self, css: str) -> list[Any]:
        """The nodes that match a CSS selector; of a page too costly for a tree, those in its first 16 KiB."""
        return list(self._tree.css(css))

    @cached_property
    def _facts(self) -> PageFacts:
        tree = self._given_tree
        return scan_facts(self.html, is_xml=self._is_xml) if tree is None else _facts_in(tree)

    @cached_property
    def _tree(self) -> LexborHTMLParser:
        if self._given_tree is not None:
            return self._given_tree
        source = self.html
        return LexborHTMLParser(source[:_HEAD_OF_COSTLY] if is_costly(source) else source, options=_OPTIONS)


def _document_of(data: bytes, codec: str, is_xml: bool, facts: PageFacts) -> HtmlDocument:
    document = HtmlDocument(data, codec, is_xml=is_xml)
    document.__dict__["_facts"] = facts
    return document


class HtmlExtractor:
    """Reads HTML and XHTML. Stateless between pages."""

    def __init__(self, max_outlinks: int, product_token: str) -> None:
        """`max_outlinks` per page; `product_token`: the robot that robots directives may address by name."""
        self._max_outlinks = max_outlinks
        self._product_token = product_token

    def extract(self, data: bytes, url: str, declared: ContentType, headers: Headers) -> Extraction:
        """Read content-decoded bytes (at most the extraction limit) of a response from `url`."""
        codec = detect(data, declared.charset)
        is_xml = declared.media_type in XHTML_TYPES
        tree = None if is_xml or is_suspicious(data) else _parse(data, codec)
        if tree is not None and _has_shadow_root(tree):
            tree = None
        document = HtmlDocument(data, codec, tree, is_xml=is_xml)
        extraction = Extraction(document=document, charset=codec)
        collector = LinkCollector(self._max_outlinks)
        from_headers: dict[str, Place] = {
            reference: (hop, element, None, -1) for reference, hop, element in references_of_headers(headers)
        }
        if from_headers:
            extraction.outlinks += _outlinks(collector.admit(url, from_headers))
        asked = directives_of_headers(headers, self._product_token)
        if tree is not None:
            asked |= self._read_tree(tree, url, collector, extraction.outlinks)
        else:
            asked |= self._scan(document.html, url, collector, extraction.outlinks, is_xml=is_xml)
        extraction.is_noindex, extraction.is_nofollow = asked
        extraction.dropped_outlinks = collector.dropped
        return extraction

    def _read_tree(
        self, tree: LexborHTMLParser, url: str, collector: LinkCollector, outlinks: list[Outlink]
    ) -> Directives:
        asked = Directives()
        sources: dict[str, LexborNode | Place] = {}
        base: str | None = None
        for node in tree.tags("meta"):
            attributes = node.attributes
            asked |= directives_of_meta(attributes, self._product_token)
            _add_references(sources, "meta", attributes)
        for node in tree.css(_REFERRING):
            tag = node.tag
            if tag == "a":
                try:
                    reference = node.attrs["href"] or ""  # half the price of `get`
                except KeyError:
                    continue
                if "#" in reference:
                    reference = _without_fragment(reference)
                if reference not in sources:
                    sources[reference] = node
            elif tag == "base":
                base = base if base is not None else node.attributes.get("href") or ""
            else:
                _add_references(sources, tag or "", node.attributes)
        for tag in WITH_SRCSET:
            for node in tree.tags(tag):
                attributes = node.attributes
                if "src" not in attributes:
                    _add_references(sources, tag, attributes)
        outlinks += _outlinks(collector.admit(base_url(url, base), sources))
        return asked

    def _scan(
        self, source: str, url: str, collector: LinkCollector, outlinks: list[Outlink], *, is_xml: bool
    ) -> Directives:
        asked = Directives()
        sources: dict[str, Place] = {}
        base = base_url(url, _scan_base(source, is_xml=is_xml))
        for tag in _SCANNER.tags(source, is_xml=is_xml):
            attributes = attributes_of(tag.attributes)
            if tag.name == "meta":
                asked |= directives_of_meta(attributes, self._product_token)
            _add_references(sources, tag.name, attributes, tag.end)
            if len(sources) >= _BATCH:
                outlinks += _outlinks(collector.admit(base, sources), source)
                sources.clear()
        outlinks += _outlinks(collector.admit(base, sources), source)
        return asked


def _facts_in(tree: LexborHTMLParser) -> PageFacts:
    html = tree.css_first("html")
    title = tree.css_first("title")
    return PageFacts(
        fold_title(title.text()) if title else "",
        (html.attributes.get("lang") or None) if html else None,
        meta_of(node.attributes for node in tree.tags("meta")),
    )


def base_url(url: str, href: str | None) -> str:
    """What the links of a page at `url` are relative to, if its first `<base href>` is this."""
    if href is None:
        return url
    try:
        return resolve(url, href)
    except InvalidUrl:  # also javascript: and data:, which have no host
        return url


def _parse(data: bytes, codec: str) -> LexborHTMLParser:
    # UTF-8, which most pages are, needs no decoding: lexbor reads it as it is.
    source = data.removeprefix(b"\xef\xbb\xbf") if codec == "utf-8" else decode(data, codec)
    return LexborHTMLParser(source, options=_OPTIONS)


def _has_shadow_root(tree: LexborHTMLParser) -> bool:
    """lexbor puts a shadow root's content aside with that of inert templates, though it is shown."""
    return any("shadowrootmode" in node.attributes for node in tree.tags("template"))


def _scan_base(source: str, *, is_xml: bool) -> str | None:
    if _BASE_TAG.search(source) is None:
        return None
    for tag in islice(_BASE_SCANNER.tags(source, is_xml=is_xml), MAX_BASES):
        attributes = attributes_of(tag.attributes)
        if "href" in attributes:
            return attributes["href"]
    return None


def _add_references(
    sources: dict[str, Any], name: str, attributes: Mapping[str, str | None], text_start: int = -1
) -> None:
    for reference, hop, element in references_of(name, attributes):
        if "#" in reference:
            if reference[0] == "#":
                continue
            reference = _without_fragment(reference)
        if reference not in sources:
            sources[reference] = (hop, element, attributes.get("rel"), text_start if name == "a" else -1)


def _without_fragment(reference: str) -> str:
    """A reference as far as it tells links apart; blanks before a fragment are part of the URL, so it is kept then."""
    head = reference.partition("#")[0]
    return head if head[-1:] > " " else reference


def _outlinks(admitted: Iterable[tuple[str, LexborNode | Place]], source: str = "") -> Iterator[Outlink]:
    for url, origin in admitted:
        if isinstance(origin, LexborNode):
            yield AnchorOutlink(url, origin)
            continue
        hop, element, rel, text_start = origin
        yield Outlink(url, hop, element, rel, "" if text_start < 0 else partial(anchor_text, source, text_start))
