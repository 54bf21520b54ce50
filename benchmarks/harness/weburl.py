"""URLs for the independent search: a second, small implementation of the WHATWG URL Standard, for http and https.

It shares nothing with the crawler's parser, so that the two can check each other. Not done, because no documentation
set has it: IPv4 addresses in octal, hexadecimal or short form and IPv6 (kept as written), and query strings of pages in
another encoding than UTF-8 (the standard encodes them in the page's own).
"""

from __future__ import annotations

import re
from urllib.parse import unquote

_EDGE = "".join(map(chr, range(0x21)))
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_DEFAULT_PORTS = {"http": "80", "https": "443"}
_FORBIDDEN_IN_HOST = re.compile(r"[\x00-\x20\x7f#/:<>?@\[\\\]^|%]")
# The percent-encode sets of https://url.spec.whatwg.org/#percent-encoded-bytes, less what lies above 0x7E. `^` joined
# the path's in 2023, after the library that the crawler uses was made; either spelling asks for the same page.
_QUERY_SET = frozenset(map(chr, [*range(0x21), 0x7F, *map(ord, "\"#<>'")]))
_PATH_SET = (_QUERY_SET - {"'"}) | frozenset("?`{}")


def resolve(base: str, reference: str) -> str | None:
    """The absolute http or https URL that `reference` means on a page at `base`, without fragment.

    None if it means no such URL, or has a user name in it. `base` has to come from here, or be in normal form.
    """
    text = reference.strip(_EDGE).translate({9: None, 10: None, 13: None}).partition("#")[0]
    base_scheme, rest = base.split("://", 1)
    base_authority, _, base_tail = rest.partition("/")
    base_path, mark, base_query = ("/" + base_tail).partition("?")
    scheme = _SCHEME.match(text)
    if scheme:
        name = scheme[0][:-1].lower()
        if name not in _DEFAULT_PORTS:
            return None
        text = text[scheme.end() :]
        if name != base_scheme or _begins_with_slashes(text):
            return _with_authority(name, text.lstrip("/\\"))
    elif _begins_with_slashes(text):
        return _with_authority(base_scheme, text.lstrip("/\\"))
    origin = f"{base_scheme}://{base_authority}"
    if not text:
        return origin + base_path + mark + base_query
    path, mark, query = text.partition("?")
    if not path:
        return origin + base_path + mark + _encode(query, _QUERY_SET)
    folder = [] if path[0] in "/\\" else base_path.split("/")[1:-1]
    return origin + _path(folder, path) + mark + _encode(query, _QUERY_SET)


def normal(url: str) -> str | None:
    """An absolute URL in normal form, without fragment; None if it is not http or https."""
    return resolve("none://none/", url) if _SCHEME.match(url) else None


def authority_of(url: str) -> str:
    """Host and port of a URL in normal form."""
    return url.split("/", 3)[2]


def _begins_with_slashes(text: str) -> bool:
    return len(text) > 1 and text[0] in "/\\" and text[1] in "/\\"


def _with_authority(scheme: str, text: str) -> str | None:
    """A URL from the text behind `scheme://`."""
    end = re.search(r"[/\\?]", text)
    authority, tail = (text[: end.start()], text[end.start() :]) if end else (text, "")
    host, colon, port = authority.partition(":") if "[" not in authority else (authority, "", "")
    host = _host(host)
    if not host or (colon and port and not (port.isascii() and port.isdigit() and int(port) < 65536)):
        return None
    number = str(int(port)) if port else ""
    shown = host if number in ("", _DEFAULT_PORTS[scheme]) else f"{host}:{number}"
    path, mark, query = tail.partition("?")
    return f"{scheme}://{shown}{_path([], path)}{mark}{_encode(query, _QUERY_SET)}"


def _host(text: str) -> str:
    """A host in normal form, or nothing."""
    host = unquote(text, errors="replace").lower()
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return ""
    return "" if _FORBIDDEN_IN_HOST.search(host) else host


def _path(folder: list[str], text: str) -> str:
    """The path `text`, seen from a folder of segments, with dots resolved and encoded."""
    segments = list(folder)
    parts = re.split(r"[/\\]", text[1:] if text[:1] in ("/", "\\") else text)
    for i, part in enumerate(parts):
        is_last = i == len(parts) - 1
        dots = re.sub("%2e", ".", part, flags=re.IGNORECASE)
        if dots == "..":
            del segments[-1:]
        elif dots != ".":
            segments.append(_encode(part, _PATH_SET))
            continue
        if is_last:
            segments.append("")
    return "/" + "/".join(segments)


def _encode(text: str, encode_set: frozenset[str]) -> str:
    if text.isascii() and encode_set.isdisjoint(text):
        return text
    return "".join(
        c if c < "\x7f" and c not in encode_set else "".join(f"%{b:02X}" for b in c.encode("utf-8", "replace"))
        for c in text
    )
