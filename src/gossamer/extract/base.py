"""The extractor's contract: bytes in, outlinks and a document out. Pure: no I/O, no clock."""

from __future__ import annotations

from typing import Protocol

import msgspec

from gossamer.extract.headers import ContentType, Headers
from gossamer.model.outlink import Outlink
from gossamer.model.page import Document


class Extraction(msgspec.Struct):
    """What one response gave."""

    outlinks: list[Outlink] = msgspec.field(default_factory=list)
    """In document order, first of each URL, at most `max_outlinks`."""
    dropped_outlinks: int = 0
    """Links beyond `max_outlinks`."""
    document: Document | None = None
    """For `Page`; computed lazily from the tree."""
    charset: str = ""
    is_nofollow: bool = False
    """The page asks that its links are not followed (meta robots or X-Robots-Tag)."""
    is_noindex: bool = False
    annotations: list[str] = msgspec.field(default_factory=list)


class Extractor(Protocol):
    def extract(self, data: bytes, url: str, declared: ContentType, headers: Headers) -> Extraction:
        """Read content-decoded bytes (at most the extraction limit) of a response.

        `url` is where it is from, as serialized by the parser of URLs; `declared` is its type, and of its
        headers those of the body are enough.
        """
