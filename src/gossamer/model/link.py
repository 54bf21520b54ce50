"""Link: the URL that a hook is asked about or told of. A text that knows its own parts and where it stood on the page.

It is a `str`, so that `url.endswith(".zip")`, sets and JSON work, with the parts of a `url.Url` and the place of an
Outlink beside it. Most of a page's links never get here: those that are known, or out of scope, are dropped before.
"""

from __future__ import annotations

from gossamer.model.crawluri import PRIORITY_ORDINARY, checked_priority
from gossamer.model.outlink import HOP_LINK, Outlink
from gossamer.url import Url, parse, registered_domain

_NOWHERE = Outlink("", HOP_LINK, "")


class Link(str):
    """An absolute URL without fragment: a `str` that knows its parts (`url.host`, `url.path`, `url.query`,
    `url.domain`), where it stood (`url.anchor`, `url.element`, `url.rel`, `url.hop`, `url.depth`) and its `url.priority`.

    Its parts raise InvalidUrl if the text is none.
    """

    __slots__ = ("_outlink", "_priority", "_url", "depth")

    def __new__(
        cls,
        href: str,
        url: Url | None = None,
        outlink: Outlink = _NOWHERE,
        depth: int = 0,
        priority: int = PRIORITY_ORDINARY,
    ) -> Link:
        """`url` is the same, parsed; without it that is done when a part is asked for."""
        self = str.__new__(cls, href)
        self._url = url
        self._outlink = outlink
        self._priority = priority
        self.depth = depth
        return self

    def __reduce__(self) -> tuple[type[Link], tuple[str, None, Outlink, int, int]]:
        """Pickled or copied it keeps its place on the page, and is parsed again when a part is asked for."""
        return type(self), (str(self), None, self._outlink, self.depth, self._priority)

    _url: Url | None
    _outlink: Outlink
    _priority: int
    depth: int
    """Link hops from the seed."""

    @property
    def priority(self) -> int:
        """When its turn comes among the URLs of its host: 0 first, 255 last; an ordinary link has 128, an embed 112.

        Set it in `should_visit`, and the link is queued with it. Raises ValueError for what is no priority.
        """
        return self._priority

    @priority.setter
    def priority(self, priority: int) -> None:
        self._priority = checked_priority(priority)

    @property
    def parsed(self) -> Url:
        """Its parts as a tuple."""
        if self._url is None:
            self._url = parse(self)
        return self._url

    @property
    def href(self) -> str:
        """The whole as a plain text."""
        return self.parsed.href

    @property
    def scheme(self) -> str:
        return self.parsed.scheme

    @property
    def host(self) -> str:
        """Lower case, punycode; IPv6 in brackets."""
        return self.parsed.host

    @property
    def port(self) -> int | None:
        """None = the scheme's default."""
        return self.parsed.port

    @property
    def authority(self) -> str:
        """`host` or `host:port`."""
        return self.parsed.authority

    @property
    def path(self) -> str:
        return self.parsed.path

    @property
    def query(self) -> str:
        """With its leading `?`, or empty."""
        return self.parsed.query

    @property
    def domain(self) -> str:
        """The registered domain, `example.co.uk` of `www.example.co.uk`; the host where there is none."""
        return registered_domain(self.parsed.host)

    @property
    def hop(self) -> str:
        """L a link, E an embed, R a redirect."""
        return self._outlink.hop

    @property
    def element(self) -> str:
        """Where it stood, e.g. `a@href`, `img@src`, `header@location`."""
        return self._outlink.element

    @property
    def rel(self) -> str | None:
        """The rel attribute as written."""
        return self._outlink.rel

    @property
    def anchor(self) -> str:
        """The link's text, at most 100 characters."""
        return self._outlink.text
