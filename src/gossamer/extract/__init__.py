"""Extraction: from the bytes of a response to its links and its document. Pure, bounded, and never raises for input.

`dispatch` chooses the reader by media type; `html` reads pages, through a tree or through the `scanner` where a tree
would be too costly (`cost`), and `native` does the same by an extension where that is installed; `css` reads style
sheets. `links` decides what is a link; `collector` resolves and bounds them; `headers`, `directives` and `charset` read
what a response says of itself; `text` is what a reader sees, `forms` what it may fill in.
"""

from gossamer.extract.base import Extraction, Extractor
from gossamer.extract.dispatch import PageExtractor
from gossamer.extract.headers import ContentType, content_type_of, headers_of_body, redirect_target
from gossamer.extract.html import HTML_TYPES, HtmlDocument, HtmlExtractor

__all__ = [
    "HTML_TYPES",
    "ContentType",
    "Extraction",
    "Extractor",
    "HtmlDocument",
    "HtmlExtractor",
    "PageExtractor",
    "content_type_of",
    "headers_of_body",
    "redirect_target",
]
