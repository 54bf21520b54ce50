"""Page: what `should_visit` and `visit` are given. Nothing is computed before it is asked for.

It may be kept for as long as one likes: content, text, links and everything else stay. Only `raw`, the bytes as they
came over the wire, lies in a file or a buffer that is given back once the page is finished: who wants it reads it in
`visit`.

Pickled or copied, for a process pool say, it carries everything but `raw` (unless that was read before) and the
request; its tree is built again where it is selected in. A copy is nobody's page any more: `follow` and `add_link` do
nothing.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from gossamer.errors import StateError
from gossamer.model.crawluri import CrawlURI, checked_priority
from gossamer.model.headers import Headers
from gossamer.model.outlink import HOP_EMBED, HOP_LINK, HOP_REDIRECT, Outlink
from gossamer.url import resolve

if TYPE_CHECKING:
    from gossamer.model.exchange import Exchange

ADDED = "add_link"
"""The place of a link that user code added."""


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
    """One fetched page, as `visit` and `should_visit` are given it.

    where it is     url, requested_url, docid, depth, parent_url, parent_docid, anchor, hop_path, seed, priority
    what came       status, headers, content_type, content (decoded bytes), raw (as it came), fetched_at, ip
    what it says    text, html, title, language, meta, links, select(css)
    what follows    follow = False keeps its links out of the crawl, add_link(url) puts one in

    Nothing is computed before it is asked for. It may be kept, pickled and copied.
    """

    def __init__(
        self,
        curi: CrawlURI,
        exchange: Exchange,
        content: bytes,
        content_type: str,
        charset: str,
        document: Document | None,
        links: Sequence[Outlink],
        *,
        is_noindex: bool = False,
        is_nofollow: bool = False,
        is_content_cut: bool = False,
    ) -> None:
        self._curi = curi
        self._exchange = exchange
        self._raw: bytes | None = None
        self._document = document
        self._is_content_cut = is_content_cut
        self.content = content
        """The body, transfer- and content-decoded, up to `extraction.max_decoded`."""
        self.content_type = content_type
        """Lower case, without parameters."""
        self.charset = charset
        """The codec that `html` and `text` were decoded with: as the server, the page or its bytes say."""
        self.links = tuple(links)
        """Every link found, resolved: `url`, `text`, `element` (`a@href`), `rel`, `hop` (L link, E embed). `add_link`
        adds more.
        """
        self.is_noindex = is_noindex
        """The page asks not to be indexed (meta robots or X-Robots-Tag)."""
        self.is_nofollow = is_nofollow
        """The page asks that its links are not followed."""
        self.follow = True
        """Set to False in `visit` to keep this page's links from being followed."""
        self._added_links: list[Outlink] = []
        self._priorities: dict[str, int] = {}

    # ---- where it was found

    @property
    def url(self) -> str:
        """The URL that was fetched."""
        return self._curi.target

    @property
    def requested_url(self) -> str:
        """The URL as found; `url` differs where a server led back to the same page (another session id, a cookie)."""
        return self._curi.url

    @property
    def docid(self) -> int:
        return self._curi.docid

    @property
    def depth(self) -> int:
        """Link hops from the seed."""
        return self._curi.depth

    @property
    def parent_url(self) -> str | None:
        """The page that the link stood on; of a redirect's target, the URL that redirected. None for a seed."""
        return self._curi.via

    @property
    def parent_docid(self) -> int | None:
        return self._curi.parent_docid

    @property
    def anchor(self) -> str | None:
        """The text of the link that led here, at most 100 characters."""
        return self._curi.anchor

    @property
    def hop_path(self) -> str:
        """One letter per hop from the seed: L link, E embed, R redirect."""
        return self._curi.hops

    @property
    def priority(self) -> int:
        """With which it was queued; 0 first, 255 last."""
        return self._curi.priority

    @property
    def seed(self) -> str:
        """The seed that the way here began at."""
        return self._curi.seed or self._curi.url

    @property
    def is_seed(self) -> bool:
        return self._curi.is_seed

    @property
    def redirects(self) -> int:
        """How many redirects in a row led here."""
        return self._curi.redirects

    @property
    def redirected_from(self) -> str | None:
        """The URL that redirected here, if one did."""
        return self._curi.via if self._curi.hops.endswith(HOP_REDIRECT) else None

    # ---- what came back

    @property
    def status(self) -> int:
        return self._exchange.http_status or 0

    @property
    def headers(self) -> Headers:
        """Of the response, by name in any case: `page.headers["Last-Modified"]`, `.get(…)`, `.get_all(…)`."""
        return Headers(self._exchange.headers)

    @property
    def fetched_at(self) -> datetime:
        """When the request was sent, UTC."""
        return datetime.fromtimestamp(self._exchange.started_wall, UTC)

    @property
    def fetch_seconds(self) -> float:
        """From sending the request to the last byte."""
        return self._exchange.duration_seconds

    @property
    def ip(self) -> str:
        """The address that answered."""
        return self._exchange.ip

    @property
    def wire_bytes(self) -> int:
        """How many bytes came, header included."""
        return self._exchange.wire_bytes

    @property
    def is_truncated(self) -> bool:
        """`content` is not all of it: the transfer was cut (by the server, by time, by `fetching.max_body`), or what
        was decoded reached `extraction.max_decoded`.
        """
        return self._is_content_cut or self._exchange.truncated is not None

    @property
    def raw(self) -> bytes:
        """The response as it came: status line, headers, body as transferred, still compressed and in chunks.

        Only while the page is in `visit` or `should_visit`; a page that is kept has it if it was asked for then.
        Raises StateError otherwise.
        """
        if self._raw is None:
            recording = self._exchange.raw
            if recording is None or recording.is_closed:
                raise StateError(f"the raw bytes of {self.url} were given back; read page.raw in visit to keep them")
            self._raw = recording.read()
        return self._raw

    # ---- what it says

    @property
    def html(self) -> str:
        """The decoded source; of a page that is no HTML its `text`."""
        return self._document.html if self._document else self.text

    @property
    def text(self) -> str:
        """Visible text of a document, one line per block; decoded content of anything else that is text, else empty."""
        if self._document is not None:
            return self._document.text
        return _decoded(self.content, self.charset) if self.charset or _is_textual(self.content_type) else ""

    @property
    def title(self) -> str:
        """White space folded; empty if there is none."""
        return self._document.title if self._document else ""

    @property
    def language(self) -> str | None:
        """As declared by `<html lang>`, else by Content-Language."""
        declared = self._document.language if self._document else None
        return declared or self.headers.get("content-language") or None

    @property
    def meta(self) -> dict[str, str]:
        """name or http-equiv (lower case) -> content of the meta elements; the first of each."""
        return self._document.meta if self._document else {}

    def select(self, css: str) -> list[Any]:
        """The nodes (selectolax's LexborNode) that match a CSS selector; none if this is not a document."""
        return self._document.select(css) if self._document else []

    # ---- what shall come of it

    @property
    def added_links(self) -> tuple[Outlink, ...]:
        """What `add_link` added."""
        return tuple(self._added_links)

    @property
    def priorities(self) -> Mapping[str, int]:
        """URL -> the priority that `add_link` gave it."""
        return self._priorities

    def add_link(self, url: str, *, text: str = "", hop: str = HOP_LINK, priority: int | None = None) -> None:
        """In `visit`: have another URL looked at as if the page had a link to it, relative to the page's URL.

        It goes through scope and `should_visit` like any other, in the same step that finishes the page, and also if
        `follow` is False. `hop` is L or, for what belongs to the page, E. `priority` is when its turn comes among the
        URLs of its host, 0 first, 255 last, None as usual (128, embeds 112); so one that the page has already can be
        given another. Raises InvalidUrl (a ValueError), ValueError and TypeError for what is no hop and no text.
        """
        if hop not in (HOP_LINK, HOP_EMBED):
            raise ValueError(f"a link's hop is {HOP_LINK!r} or {HOP_EMBED!r}, not {hop!r}")
        if not isinstance(text, str):
            raise TypeError(f"a link's text is a str, not {text!r}")
        shown = text[:100].encode("utf-8", "replace").decode()
        href = resolve(self.url, url)
        if priority is not None:
            self._priorities[href] = checked_priority(priority)
        self._added_links.append(Outlink(href, hop, ADDED, text=shown))

    # ---- elsewhere

    def __getstate__(self) -> dict[str, Any]:
        """What a pickle or copy holds: everything but `raw`, unless that was read, and the request that was sent."""
        return self.__dict__ | {
            "_exchange": self._exchange.without_bytes(),
            "_added_links": [*self._added_links],
            "_priorities": {**self._priorities},
        }

    def __repr__(self) -> str:
        return f"Page({self.url!r}, {self.status})"


def _is_textual(content_type: str) -> bool:
    kind, _, name = content_type.partition("/")
    return kind == "text" or name.endswith(("json", "xml", "javascript", "ecmascript", "yaml"))


def _decoded(content: bytes, charset: str) -> str:
    """By the charset, which a server may have made up."""
    try:
        codecs.lookup(charset)
        return content.decode(charset, "replace")
    except (LookupError, ValueError):
        return content.decode("utf-8", "replace")
