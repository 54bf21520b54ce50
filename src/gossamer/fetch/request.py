"""The bytes of a request: its line, the fetcher's own headers, the operator's, the caller's.

Everything in it is checked or percent-encoded ASCII, so nothing that a server wrote into a link or a validator can
become a second header; a caller's header that could is left out. User name and password of a URL are not sent.

What depends only on the origin is made once and kept for the origins used last; a request then costs a look-up and a
concatenation instead of parsing its URL again.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence

from gossamer.config.settings import Fetching
from gossamer.errors import ConfigError, FetchFailure
from gossamer.fetch.base import FetchRequest
from gossamer.fetch.connection import Origin
from gossamer.fetch.proxy import Proxies
from gossamer.model.fetchstatus import FetchStatus
from gossamer.url import InvalidUrl, Url, parse
from gossamer.util.terminal import printable
from gossamer.version import __version__

_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_ORIGINS_KEPT = 4096
_DEFAULT_PORTS = {"http": 80, "https": 443}
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_RESERVED = frozenset(
    {
        "connection", "content-length", "expect", "host", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    }
)  # fmt: skip
"""Headers that would change how request or response are framed."""


class RequestWriter:
    """FetchRequest -> where it goes and what is written there."""

    def __init__(self, settings: Fetching, proxies: Proxies | None = None) -> None:
        """Raises ConfigError for a header that cannot be sent."""
        self._proxies = proxies
        headers = [
            ("User-Agent", settings.user_agent or default_user_agent(settings.contact)),
            ("Accept", _ACCEPT),
            ("Accept-Encoding", settings.accept_encoding),
            *settings.headers,
        ]
        for name, value in headers:
            if not is_sendable(name, value):
                raise ConfigError(f"the request header {name!r}: {printable(value, 100)!r} cannot be sent")
        self._common = "".join(f"{name}: {value}\r\n" for name, value in headers) + "Connection: keep-alive\r\n"
        self._origins: OrderedDict[str, tuple[Origin, bytes, str]] = OrderedDict()
        """The part of a URL before its path -> the origin, the request's bytes behind the target, and what stands
        before the path in the target: nothing, or the origin if a proxy is asked for it."""

    def write(self, request: FetchRequest) -> tuple[Origin, bytes]:
        """The origin to connect to and the request's head. Raises FetchFailure(UNFETCHABLE)."""
        text = request.url
        slash = text.find("/", 8)
        known = self._origins.get(text[:slash]) if slash > 0 else None
        target = text[slash:].partition("#")[0]
        if known is None or not is_target(target):
            url = _parse(text)
            known = self._known_origin(url)
            target = url.path + url.query
            if not is_target(target):
                raise FetchFailure(FetchStatus.UNFETCHABLE, "the URL holds characters that cannot be sent")
        origin, tail, prefix = known
        if prefix:
            target = prefix + target
        if request.headers:
            tail = with_headers(tail, request.headers)
        if request.method != "GET":
            return origin, _with_body(request, target, tail)
        return origin, b"GET %b%b" % (target.encode("ascii"), tail)

    def _known_origin(self, url: Url) -> tuple[Origin, bytes, str]:
        """Remember the origin under its own serialization, which no URL with a user name begins with."""
        port = _DEFAULT_PORTS[url.scheme] if url.port is None else url.port
        tail = f" HTTP/1.1\r\nHost: {url.authority}\r\n{self._common}\r\n".encode("latin-1")
        origin = (url.scheme, url.host, port)
        proxy = None if self._proxies is None else self._proxies.proxy_for(origin)
        prefix = ""
        if proxy is not None and not proxy.tunnels(origin):
            prefix, tail = url.origin, with_headers(tail, proxy.headers)
        known = (origin, tail, prefix)
        self._origins[url.origin] = known
        if len(self._origins) > _ORIGINS_KEPT:
            self._origins.popitem(last=False)
        return known


def is_target(text: str) -> bool:
    """Can this stand in a request line as it is?"""
    return text.isascii() and text.isprintable() and " " not in text


def is_sendable(name: str, value: str) -> bool:
    """May this header stand in a request, without harm to the request's framing?"""
    return bool(_TOKEN.fullmatch(name) and _VALUE.fullmatch(value)) and name.lower() not in _RESERVED


def default_user_agent(contact: str) -> str:
    """`gossamer/VERSION (+contact)`."""
    return f"gossamer/{__version__} (+{contact})" if contact else f"gossamer/{__version__}"


def with_headers(head: bytes, headers: Sequence[tuple[str, str]]) -> bytes:
    """The head of a request with more headers in it; those that cannot be sent are left out."""
    lines = [f"{name}: {value}\r\n" for name, value in headers if is_sendable(name, value)]
    return head[:-2] + "".join(lines).encode("latin-1") + b"\r\n"


def _with_body(request: FetchRequest, target: str, tail: bytes) -> bytes:
    if not _TOKEN.fullmatch(request.method):
        raise FetchFailure(FetchStatus.UNFETCHABLE, "the method cannot be sent")
    about = f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(request.body)}\r\n\r\n"
    return f"{request.method} {target}".encode("ascii") + tail[:-2] + about.encode("ascii")


def _parse(text: str) -> Url:
    try:
        url = parse(text)
    except InvalidUrl as exc:
        raise FetchFailure(FetchStatus.UNFETCHABLE, printable(str(exc), 200)) from exc
    if url.scheme not in _DEFAULT_PORTS:
        raise FetchFailure(FetchStatus.UNFETCHABLE, f"{printable(url.scheme, 40)}: is not fetched")
    if not url.host.isascii():
        raise FetchFailure(FetchStatus.UNFETCHABLE, "the host is not in its ASCII form")
    return url
