"""Parse and resolve URLs as browsers do (WHATWG URL Standard), the only URL parser of the program.

Text goes in; out comes an absolute URL without its fragment, or InvalidUrl. That the host is read exactly as a browser
and a server read it is a security matter: `http://0x7f.1/` and fullwidth digits come out as 127.0.0.1, so a later check
of the address sees what will be connected to. On top of the standard three things are refused, because no server can
be asked for them: port 0, host names that DNS cannot carry, and texts longer than 64 KiB.

A page's links go through `resolve_all`, which parses the base once and leaves the usual other schemes unparsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import can_ada

_BLANKS = "".join(map(chr, range(0x21)))
"""C0 controls and space, which the standard takes off both ends of an input."""
MAX_LENGTH = 65_536
"""Characters; longer texts are refused unread. The crawl's own limit is `Scope.max_url_length`."""
MAX_HOST_LENGTH = 253
"""RFC 1035 2.3.4, in its textual form."""

# Label by label what DNS and certificates can carry, underscores included; everything else WHATWG lets through
# (`,`, `*`, `(`, …) has no meaning in a public name, and a comma would forge a SURT. One trailing dot is legal.
_HOST_NAME = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?")

# Found all over real pages. `startswith` misses odd spellings ("JaVaScRiPt\t:"); those are parsed and then dropped.
_IGNORED_SCHEMES = ("javascript:", "mailto:", "data:", "tel:", "blob:", "about:", "Javascript:", "JavaScript:")

_CRAWLABLE = ("http://", "https://")

_SERIALIZED = re.compile(r"(https?)://([^/:@\[]+|\[[^]]+\])(?::([0-9]+))?(/[^?#]*)(\?[^#]*)?")
"""An http or https URL without user name, as serialized: nothing in it stands for anything but itself."""


class Url(NamedTuple):
    """A parsed absolute URL. `href` is its serialization, without fragment."""

    href: str
    scheme: str
    host: str
    """Lower case, punycode; IPv6 in brackets."""
    port: int | None
    """None = the scheme's default."""
    path: str
    query: str
    """With its leading `?`, or empty."""

    @property
    def authority(self) -> str:
        """`host` or `host:port`."""
        return self.host if self.port is None else f"{self.host}:{self.port}"

    @property
    def origin(self) -> str:
        scheme, host, port = self.scheme, self.host, self.port
        return f"{scheme}://{host}" if port is None else f"{scheme}://{host}:{port}"


class InvalidUrl(ValueError):
    """Not a URL that can be fetched."""


def parse(text: str) -> Url:
    """Parse an absolute URL of any scheme. Raises InvalidUrl for anything that has no host or cannot be parsed."""
    parsed = _parse(text)
    host, port = parsed.hostname, parsed.port
    _check_authority(host, port)
    return Url(parsed.href, parsed.protocol[:-1], host, int(port) if port else None, parsed.pathname, parsed.search)


def split(href: str) -> Url:
    """The parts of a URL as serialized here: as `parse` gives them, in a fifth of the time.

    What has been through the parser once is not judged again. Only other schemes and URLs with a user name are parsed.
    """
    match = _SERIALIZED.fullmatch(href)
    if match is None:
        return parse(href)
    scheme, host, port, path, query = match.groups()
    # A mark with nothing behind it stands in `href` alone. `Url(…)` is a function of Python around this one of C.
    parts = (href, scheme, host, int(port) if port else None, path, query if query and query != "?" else "")
    return tuple.__new__(Url, parts)


def resolve(base: str, reference: str) -> str:
    """The absolute URL of `reference` on a page at `base`, without fragment. Raises InvalidUrl."""
    root = _parse(base)
    if len(reference) > MAX_LENGTH:
        raise InvalidUrl(f"{len(reference)} characters are too long for a URL")
    try:
        joined = root + _before_fragment(reference)
    except (ValueError, TypeError) as exc:
        raise InvalidUrl(f"not a URL: {reference[:200]!r}") from exc
    _check_authority(joined.hostname, joined.port)
    return joined.href


def resolve_all(base: str, references: Iterable[str]) -> list[str | None]:
    """For each reference on a page at `base` its absolute http or https URL without fragment, or None.

    None stands for other schemes and for what cannot be parsed. Raises InvalidUrl only for `base`.
    """
    root = _parse(base)
    home = f"{root.protocol}//{root.host}/"
    home_length = len(home)
    is_home_known = is_crawlable(home) and is_host_valid(root.hostname) and root.port != "0"
    answers: list[str | None] = []
    for reference in references:
        href: str | None = None
        if len(reference) <= MAX_LENGTH and not (":" in reference and reference.startswith(_IGNORED_SCHEMES)):
            if "#" in reference:
                reference = _before_fragment(reference)
            try:
                href = (root + reference).href
            except (ValueError, TypeError):
                href = None
            else:
                if not (href[:home_length] == home and is_home_known) and not _is_fetchable(href):
                    href = None
        answers.append(href)
    return answers


def is_crawlable(href: str) -> bool:
    """Whether an absolute URL, as serialized here, has a scheme that is fetched."""
    return href.startswith(_CRAWLABLE)


def host_of(href: str) -> str:
    """The host of an http or https URL as serialized here, without parsing it again."""
    authority = href.split("/", 3)[2]
    if "@" in authority:
        authority = authority.rpartition("@")[2]
    if ":" not in authority:
        return authority
    if authority[0] == "[":
        return authority[: authority.index("]") + 1]
    return authority.partition(":")[0]


def origin_of(href: str) -> str:
    """Scheme, host and port of an http or https URL as serialized here, without parsing it again."""
    origin = href[: href.index("/", 8)]
    return split(href).origin if "@" in origin else origin


def is_ip_host(host: str) -> bool:
    """Whether a host, as serialized here, is a literal address. A name never ends in a number (WHATWG 3.5)."""
    return host[0] == "[" or host.rstrip(".").rpartition(".")[2].isdigit()


def is_host_valid(host: str) -> bool:
    """Whether a host, as serialized by WHATWG, is an address or a name that DNS can carry."""
    return len(host) <= MAX_HOST_LENGTH + 1 and _is_host_valid(host)


@lru_cache(maxsize=4096)
def _is_host_valid(host: str) -> bool:
    if host.startswith("["):
        return True
    return len(host.rstrip(".")) <= MAX_HOST_LENGTH and _HOST_NAME.fullmatch(host) is not None


def _parse(text: str) -> can_ada.URL:
    if len(text) > MAX_LENGTH:
        raise InvalidUrl(f"{len(text)} characters are too long for a URL")
    try:
        return can_ada.parse(_before_fragment(text))
    except (ValueError, TypeError) as exc:  # TypeError: a lone surrogate has no UTF-8
        raise InvalidUrl(f"not a URL: {text[:200]!r}") from exc


def _before_fragment(text: str) -> str:
    """What stands before the first `#`, which starts the fragment wherever it stands.

    Blanks at its end are part of the URL; cut off from the `#` they would be taken for the blanks around it.
    """
    head = text.partition("#")[0]
    if not (head[-1:] <= " " and len(head) < len(text)):
        return head
    bare = head.rstrip(_BLANKS)
    return bare and bare + "".join(f"%{ord(blank):02X}" for blank in head[len(bare) :] if blank not in "\t\n\r")


def _check_authority(host: str, port: str) -> None:
    if not host:
        raise InvalidUrl("a URL without a host")
    if port == "0":
        raise InvalidUrl("nothing listens on port 0")
    if not is_host_valid(host):
        raise InvalidUrl(f"not a host name that DNS can carry: {host[:200]!r}")


def _is_fetchable(href: str) -> bool:
    """Scheme, host and port of a link that leaves the page's own origin."""
    if not href.startswith(_CRAWLABLE):
        return False
    return not href.endswith(":0", 0, href.index("/", 8)) and is_host_valid(host_of(href))
