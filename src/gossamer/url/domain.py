"""Which queue a URL waits in, and which registered domain a host belongs to.

The public suffix list is the one bundled with publicsuffixlist, private suffixes (`github.io`) included, so that two
customers of one provider are two domains. Nothing is downloaded. A host that has no registered domain (an address,
`localhost`, a public suffix itself) stands for itself.
"""

from __future__ import annotations

from functools import cache, lru_cache

from publicsuffixlist import PublicSuffixList

from gossamer.url.parse import Url, is_ip_host


def class_key(url: Url) -> str:
    """The WorkQueue of a URL: its host, and the port where it is not the scheme's default.

    http and https of a host share a queue, since they share a machine; so do `example.org` and `example.org.`.
    """
    host = url.host.rstrip(".")
    return host if url.port is None else f"{host}:{url.port}"


@lru_cache(maxsize=16_384)
def registered_domain(host: str) -> str:
    """The part of a host that somebody registered, e.g. `example.co.uk`; the host itself where there is none."""
    name = host.rstrip(".")
    if is_ip_host(name):
        return name
    return _suffixes().privatesuffix(name) or name


@cache
def _suffixes() -> PublicSuffixList:
    # 10,000 rules take a tenth of a second to read: only for a crawl that asks.
    return PublicSuffixList()
