"""SURT, the sort-friendly form of a URL: `http://(org,example,www,:8080)/path?query`.

With the host's labels reversed, everything of a domain shares a prefix, so scopes and per-host settings are prefixes of
such keys. The form is Heritrix's (and its CDX tools'): lower case as a whole, addresses not reversed, the port behind
the labels, user information left out.
"""

from __future__ import annotations

from gossamer.url.parse import Url, is_ip_host, parse


def surt(url: Url) -> str:
    """The SURT of a URL."""
    return f"{url.scheme}://({_reversed_authority(url)}){url.path}{url.query}".lower()


def surt_prefix(text: str) -> str:
    """What a URL, a host or a SURT given by an operator means as a prefix; https counts as http.

    A URL with a path covers the path's folder, `http://example.org/` the host, and `http://example.org` or
    `example.org` without a slash also its sub-domains (an address has none: its own default port only).
    Raises InvalidUrl.
    """
    text = text.strip()
    if "://(" in text:
        return as_http(text.lower())
    if "://" not in text:
        text = "http://" + text
    url = parse(text)
    head = f"http://({_reversed_authority(url)}"
    if "/" not in text.partition("://")[2].partition("?")[0]:
        return f"{head})" if is_ip_host(url.host) else head
    return f"{head}){url.path[: url.path.rindex('/') + 1]}".lower()


def as_http(text: str) -> str:
    """A SURT with its scheme folded, as prefixes are matched."""
    return "http" + text[5:] if text.startswith("https:") else text


def _reversed_authority(url: Url) -> str:
    host = url.host.rstrip(".")
    port = "" if url.port is None else f":{url.port}"
    if is_ip_host(host):
        return f"{host},{port}" if port else host
    return ",".join(reversed(host.split("."))) + "," + port
