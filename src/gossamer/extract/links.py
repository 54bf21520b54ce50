"""Which attributes of which elements are links, with which hop, and how a reference becomes an Outlink.

Hops: what a reader follows is L, what the page is made of is E; frames are embeds. A refresh (meta or header) is L, not
R as in Heritrix: the page that holds it was answered and is a page, many refresh to themselves to show what is new, and
a chain of them must count as depth or it need not end.

`<link>` is L or E by its rel: style sheets, icons, preloads are parts of the page; canonical, alternate, next and the
rest are links; addresses that are only announced (dns-prefetch) and a `<link>` without rel are nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from gossamer.model.outlink import HOP_EMBED, HOP_LINK

MAX_SRCSET_URLS = 200
"""Of one attribute; no picture comes in so many sizes."""

Reference = tuple[str, str, str]
"""As written, hop, place (`a@href`)."""

_EMBEDDED_RELS = frozenset(
    "stylesheet icon mask-icon apple-touch-icon apple-touch-icon-precomposed modulepreload preload prefetch prerender"
    " manifest".split()
)
_IGNORED_RELS = frozenset("dns-prefetch preconnect pingback".split())

# Element -> attribute, hop, place.
_PLACES = {
    "a": ("href", HOP_LINK, "a@href"),
    "area": ("href", HOP_LINK, "area@href"),
    **{
        name: ("src", HOP_EMBED, f"{name}@src")
        for name in ("img", "source", "script", "iframe", "frame", "embed", "audio", "video", "track", "input")
    },
}
WITH_SRCSET = ("img", "source")

LINK_ELEMENTS = frozenset(_PLACES) | {"link", "meta"}
"""Elements that `references_of` knows."""

_SRCSET_URL = re.compile(r"[ \t\n\f\r,]*+([^ \t\n\f\r]++)")
_SRCSET_DESCRIPTORS = re.compile(r"(?>(?:[^,(]++|\([^)]*+\)?)*),?")
_REFRESH = re.compile(
    r"[ \t\n\f\r]*+[0-9.]++[ \t\n\f\r]*+[;,]?[ \t\n\f\r]*+(?:url[ \t\n\f\r]*+=[ \t\n\f\r]*+)?(.*+)",
    re.IGNORECASE | re.DOTALL,
)


def references_of(name: str, attributes: Mapping[str, str | None]) -> list[Reference]:
    """The references that one element makes, as written and in order."""
    if name == "link":
        return _references_of_link(attributes)
    if name == "meta":
        return _references_of_meta(attributes)
    if name not in _PLACES:
        return []
    attribute, hop, place = _PLACES[name]
    references = []
    if attribute in attributes:
        value = attributes[attribute] or ""
        # An empty src loads nothing; an empty href leads to the page itself.
        if hop == HOP_LINK or value.strip():
            references.append((value, hop, place))
    if name in WITH_SRCSET and attributes.get("srcset"):
        references += srcset_references(name, attributes["srcset"] or "")
    return references


def srcset_references(name: str, value: str) -> list[Reference]:
    """The references in the srcset of an element."""
    return [(url, HOP_EMBED, f"{name}@srcset") for url in islice(srcset_urls(value), MAX_SRCSET_URLS)]


def hop_of_rel(rel: str | None) -> str | None:
    """The hop of a `<link rel>` or a Link header, or None if it is not to be followed."""
    tokens = (rel or "").lower().split()
    if not _EMBEDDED_RELS.isdisjoint(tokens):
        return HOP_EMBED
    return None if _IGNORED_RELS.issuperset(tokens) else HOP_LINK


def srcset_urls(value: str) -> Iterator[str]:
    """The URLs of a srcset attribute (HTML 4.8.4.2.1); commas may be part of one."""
    position = 0
    while match := _SRCSET_URL.match(value, position):
        url = match[1]
        position = match.end()
        if url.endswith(","):
            url = url.rstrip(",")
        else:
            descriptors = _SRCSET_DESCRIPTORS.match(value, position)
            position = descriptors.end() if descriptors else len(value)
        if url:
            yield url


def refresh_url(value: str) -> str | None:
    """The URL in a refresh (HTML 4.2.5.3, leniently: any case, comma or semicolon, quotes), None if there is none."""
    match = _REFRESH.match(value)
    target = match[1].strip() if match else ""
    if target[:1] in ('"', "'"):
        target = target[1:].partition(target[0])[0].strip()
    return target or None


def _references_of_link(attributes: Mapping[str, str | None]) -> list[Reference]:
    href = attributes.get("href")
    hop = hop_of_rel(attributes.get("rel"))
    return [(href, hop, "link@href")] if href and hop else []


def _references_of_meta(attributes: Mapping[str, str | None]) -> list[Reference]:
    if (attributes.get("http-equiv") or "").strip().lower() != "refresh":
        return []
    url = refresh_url(attributes.get("content") or "")
    return [(url, HOP_LINK, "meta@refresh")] if url else []
