"""Which extractor reads a response: by its media type, or by its first bytes where the type is missing.

HTML and XHTML go to the native reader or the HtmlExtractor, style sheets give what they fetch; of anything else only
the headers are read for links. Text, and what a server names a charset of, gets that of a codec, so that a Page of it
has a text. Types that are declared are believed: a picture that looks like HTML is none.
"""

from __future__ import annotations

import re

from gossamer.extract.base import Extraction
from gossamer.extract.charset import codec_of, decode, detect
from gossamer.extract.collector import LinkCollector
from gossamer.extract.css import references_of_sheet
from gossamer.extract.directives import directives_of_headers
from gossamer.extract.headers import ContentType, Headers, references_of_headers
from gossamer.extract.html import HTML_TYPES
from gossamer.extract.native import Engine, html_extractor
from gossamer.model.outlink import Outlink

_LOOKS_LIKE_HTML = re.compile(rb"[\s\xef\xbb\xbf]*<(?:!doctype html|html|head|title|body|!--)", re.IGNORECASE)
"""Where MIME Sniffing 7.1 sees text/html, as far as it matters for links."""


class PageExtractor:
    """The extractor of a crawl. Stateless between responses."""

    def __init__(self, max_outlinks: int, product_token: str, engine: Engine = "auto") -> None:
        """As `HtmlExtractor`; `engine`: which reads pages. Raises ConfigError if it has to be one that is missing."""
        self._html = html_extractor(engine, max_outlinks, product_token)
        self._max_outlinks = max_outlinks
        self._product_token = product_token

    def extract(self, data: bytes, url: str, declared: ContentType, headers: Headers) -> Extraction:
        """Read content-decoded bytes of a response from `url`; the media type is empty if none was sent."""
        content_type = declared.media_type
        if content_type in HTML_TYPES or (not content_type and _LOOKS_LIKE_HTML.match(data)):
            return self._html.extract(data, url, declared, headers)
        return self._read_other(data, url, declared, headers)

    def _read_other(self, data: bytes, url: str, declared: ContentType, headers: Headers) -> Extraction:
        found = Extraction()
        content_type, charset = declared
        if content_type.startswith("text/") or codec_of(charset) is not None:
            found.charset = detect(data, charset)
        references = {reference: (hop, element) for reference, hop, element in references_of_headers(headers)}
        if content_type == "text/css":
            for reference, hop, element in references_of_sheet(decode(data, found.charset)):
                references.setdefault(reference, (hop, element))
        collector = LinkCollector(self._max_outlinks)
        found.outlinks = [Outlink(target, *place) for target, place in collector.admit(url, references)]
        found.dropped_outlinks = collector.dropped
        found.is_noindex, found.is_nofollow = directives_of_headers(headers, self._product_token)
        return found
