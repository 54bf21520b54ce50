"""Page: what `should_visit` and `visit` are given. Nothing is computed before it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from gossamer.model.crawluri import CrawlURI
    from gossamer.model.exchange import Exchange
    from gossamer.model.outlink import Outlink


class Document(Protocol):
    """A parsed document, supplied by `extract`."""

    @property
    def html(self) -> str:
        """The decoded source."""

    @property
    def text(self) -> str:
        """The visible text."""

    @property
    def title(self) -> str: ...

    @property
    def language(self) -> str | None:
        """As declared by `<html lang>`."""

    @property
    def meta(self) -> dict[str, str]:
        """name or http-equiv (lower case) -> content; the first of each."""

    def select(self, css: str) -> list[Any]:
        """The nodes that match a CSS selector."""


class Page:
    """One fetched response as user code sees it."""

    def __init__(
        self,
        curi: CrawlURI,
        exchange: Exchange,
        content: bytes,
        content_type: str,
        charset: str,
        document: Document | None,
        links: list[Outlink],
        *,
        is_noindex: bool = False,
        is_nofollow: bool = False,
    ) -> None:
        self.curi = curi
        self.exchange = exchange
        self.content = content
        """The body, transfer- and content-decoded, up to the extraction limit."""
        self.content_type = content_type
        """Lower case, without parameters."""
        self.charset = charset
        self.document = document
        self.links = links
        self.is_noindex = is_noindex
        self.is_nofollow = is_nofollow
        self.follow = True
        """Set to False in `visit` to keep this page's links from being followed."""

    @property
    def url(self) -> str:
        """The URL that was fetched."""
        return self.curi.target

    @property
    def status(self) -> int:
        return self.exchange.http_status or 0

    @property
    def depth(self) -> int:
        return self.curi.depth

    @property
    def docid(self) -> int:
        return self.curi.docid

    @property
    def parent_url(self) -> str | None:
        return self.curi.via

    @property
    def parent_docid(self) -> int | None:
        return self.curi.parent_docid

    @property
    def anchor(self) -> str | None:
        """The text of the link that led here."""
        return self.curi.anchor

    @property
    def hop_path(self) -> str:
        return self.curi.hops

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """Names lower-cased, values as they came."""
        return self.exchange.headers

    @property
    def is_truncated(self) -> bool:
        return self.exchange.truncated is not None

    @property
    def html(self) -> str:
        return self.document.html if self.document else self.text

    @property
    def text(self) -> str:
        """Visible text of a document; decoded content of anything else that is text."""
        if self.document is not None:
            return self.document.text
        return self.content.decode(self.charset or "utf-8", "replace")

    @property
    def title(self) -> str:
        return self.document.title if self.document else ""

    @property
    def language(self) -> str | None:
        return self.document.language if self.document else None

    @property
    def meta(self) -> dict[str, str]:
        return self.document.meta if self.document else {}

    def select(self, css: str) -> list[Any]:
        """The nodes that match a CSS selector; none if this is not a document."""
        return self.document.select(css) if self.document else []

    def __repr__(self) -> str:
        return f"Page({self.url!r}, {self.status})"
