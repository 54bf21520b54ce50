"""Read a robots.txt as one crawler: only the lines that speak to it are kept (RFC 9309 2.1 and 2.2).

Bytes come in as the server sent them, decoded from their transfer and content codings, bounded by the caller; out comes
`RobotsRules`. No bytes whatever raise: a line that cannot be read is no line. That holds for an HTML page in the place
of a robots.txt as well; whatever in it reads like a rule is taken for one, which errs on the site's side.

Leniency follows Google's parser where the RFC is silent: a byte order mark, a missing colon, spaces before it, common
misspellings, an agent's version behind its name. A group ends where a User-agent line follows a rule; whatever else
stands between (Sitemap, Crawl-delay, unknown lines) does not divide it. Groups of the same agent are one. Only rules of
our own and of the `*` groups are stored, however many agents a file names, so its cost is linear in its length.
"""

from __future__ import annotations

import re
from enum import Enum, auto

from gossamer.robots.matcher import PathRules, normalize_pattern
from gossamer.url import Url

MAX_LINE = 16_664
"""Octets of a line that are read. Google's parser: eight times the longest URL that Internet Explorer knew."""
MAX_SITEMAPS = 1_000
"""Kept per file; a sitemap index holds the rest."""
MAX_SITEMAP_LENGTH = 8_192
"""Octets, of a sitemap's URL: the crawl's own default limit for any URL."""
MAX_CRAWL_DELAY = 1_000_000.0
"""Seconds, eleven days: what is asked beyond it is no different. The caller has a limit of its own, far below."""


class _Line(Enum):
    USER_AGENT = auto()
    ALLOW = auto()
    DISALLOW = auto()
    CRAWL_DELAY = auto()
    SITEMAP = auto()


_NAMES = {
    # What Google's parser accepts, frequent misspellings among them.
    b"user-agent": _Line.USER_AGENT,
    b"useragent": _Line.USER_AGENT,
    b"user agent": _Line.USER_AGENT,
    b"allow": _Line.ALLOW,
    b"disallow": _Line.DISALLOW,
    b"dissallow": _Line.DISALLOW,
    b"dissalow": _Line.DISALLOW,
    b"disalow": _Line.DISALLOW,
    b"diasllow": _Line.DISALLOW,
    b"disallaw": _Line.DISALLOW,
    b"sitemap": _Line.SITEMAP,
    b"site-map": _Line.SITEMAP,
    b"crawl-delay": _Line.CRAWL_DELAY,
    b"crawldelay": _Line.CRAWL_DELAY,
    b"crawl delay": _Line.CRAWL_DELAY,
}

# Files put together from several have marks within; at the very front half a mark passes, too, as at Google.
_UTF8_MARK = re.compile(rb"\xef\xbb\xbf|\A\xef\xbb?")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# 2.2.1 knows letters, `_` and `-`. Digits are read, too, so that `bot2` is not taken for `bot`.
_PRODUCT_TOKEN = re.compile(rb"[A-Za-z0-9_-]+")
_NUMBER = re.compile(rb"\+?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_MAX_NUMBER_LENGTH = 64


class RobotsRules:
    """What one robots.txt asks of one crawler. Immutable."""

    __slots__ = ("_paths", "crawl_delay", "sitemaps")

    def __init__(self, paths: PathRules, crawl_delay: float | None, sitemaps: tuple[str, ...]) -> None:
        self._paths = paths
        self.crawl_delay = crawl_delay
        """Seconds, at most MAX_CRAWL_DELAY; None = nothing asked, or nothing that is a number."""
        self.sitemaps = sitemaps
        """As they stand there, in order, each once; neither resolved nor validated."""

    def is_allowed(self, url: Url) -> bool:
        """Whether a URL of the authority that this robots.txt speaks for may be fetched."""
        if url.path == "/robots.txt":
            return True  # 2.2.2: implicitly allowed
        # An empty query leaves no trace in `query`, yet its mark is sent and rules can name it.
        query = url.query or ("?" if url.href.endswith("?") else "")
        return self._paths.is_allowed((url.path or "/") + query)


class _Group:
    """What is asked of one agent, all its groups merged (2.2.1)."""

    def __init__(self) -> None:
        self.rules: dict[str, bool] = {}
        self.crawl_delay: float | None = None

    def add_rule(self, value: bytes, *, is_allowing: bool) -> None:
        pattern = normalize_pattern(value)
        if pattern is not None:
            self.rules[pattern] = is_allowing or self.rules.get(pattern, False)

    def add_crawl_delay(self, value: bytes) -> None:
        """The longest of several holds."""
        seconds = _seconds(value)
        if seconds is not None:
            self.crawl_delay = max(seconds, self.crawl_delay or 0.0)


class _Reader:
    """Goes through the lines once, keeping in mind which of the two groups of interest they belong to."""

    def __init__(self, product_token: bytes) -> None:
        self._product_token = product_token
        self._own: _Group | None = None
        self._everybody = _Group()
        self._open: list[_Group] = []
        self._has_rules = False
        self._sitemaps: dict[str, None] = {}

    def read(self, line: bytes) -> None:
        kind, value = _split(line)
        if kind is _Line.USER_AGENT:
            self._address(value)
        elif kind is _Line.ALLOW or kind is _Line.DISALLOW:
            self._has_rules = True
            for group in self._open:
                group.add_rule(value, is_allowing=kind is _Line.ALLOW)
        elif kind is _Line.CRAWL_DELAY:
            for group in self._open:
                group.add_crawl_delay(value)
        elif kind is _Line.SITEMAP:
            self._add_sitemap(value)

    def _address(self, value: bytes) -> None:
        if self._has_rules:
            self._open.clear()
            self._has_rules = False
        group = self._addressee(value)
        if group is not None and group not in self._open:
            self._open.append(group)

    def _add_sitemap(self, value: bytes) -> None:
        if 0 < len(value) <= MAX_SITEMAP_LENGTH and len(self._sitemaps) < MAX_SITEMAPS:
            self._sitemaps[value.decode("utf-8", "replace")] = None

    def _addressee(self, value: bytes) -> _Group | None:
        if value.startswith(b"*") and not value[1:2].strip():
            return self._everybody
        if self._product_token and _product_token(value) == self._product_token:
            if self._own is None:
                self._own = _Group()
            return self._own
        return None

    def rules(self) -> RobotsRules:
        """The own groups if there is one, even one without rules; else those of everybody (2.2.1)."""
        group = self._everybody if self._own is None else self._own
        return RobotsRules(PathRules(group.rules), group.crawl_delay, tuple(self._sitemaps))


def parse_robots(body: bytes, product_token: str) -> RobotsRules:
    """What `body` asks of the crawler of that name. Never raises; linear in the length of the body.

    `product_token` is compared without regard to case and as a whole (2.2.1); of a whole user agent, its first word.
    """
    reader = _Reader(_product_token(product_token.encode("utf-8", "replace")))
    for line in _plain(body).splitlines():
        reader.read(line)
    return reader.rules()


def _plain(body: bytes) -> bytes:
    """UTF-8 without marks. UTF-16 that has no mark comes out right, too, as long as it is ASCII."""
    if body.startswith(_UTF16_MARKS):
        body = body.decode("utf-16", "replace").encode("utf-8")
    return _UTF8_MARK.sub(b"", body).replace(b"\0", b"")


def _split(line: bytes) -> tuple[_Line | None, bytes]:
    """What kind of line it is, and its value; None for every line that says nothing to us."""
    line = line[:MAX_LINE].partition(b"#")[0]
    name, _, value = line.partition(b":")
    kind = _NAMES.get(name.strip().lower())
    if kind is not None:
        return kind, value.strip()
    words = line.split(None, 2)
    if len(words) == 2:
        # `Disallow /`: the missing colon is plainly meant.
        return _NAMES.get(words[0].lower()), words[1]
    return None, b""


def _product_token(value: bytes) -> bytes:
    """The name at the front of an agent line, in lower case: `Name/1.2 (more)` is `name`."""
    match = _PRODUCT_TOKEN.match(value)
    return match[0].lower() if match else b""


def _seconds(value: bytes) -> float | None:
    if len(value) > _MAX_NUMBER_LENGTH or not _NUMBER.fullmatch(value):
        return None
    return min(float(value), MAX_CRAWL_DELAY)
