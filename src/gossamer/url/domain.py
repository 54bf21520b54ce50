"""Which queue a URL waits in, and which registered domain a host belongs to.

The public suffix list is the one bundled with publicsuffixlist, private suffixes (`github.io`) included, so that two
customers of one provider are two domains. Nothing is downloaded. A host that has no registered domain (an address,
`localhost`, a public suffix itself) stands for itself.
"""

from __future__ import annotations

from functools import cache, cached_property, lru_cache

from publicsuffixlist import PublicSuffixList

from gossamer.url.parse import Url, is_ip_host


def class_key(url: Url) -> str:
    """The WorkQueue of a URL: its host, and the port where it is not the scheme's default.

    http and https of a host share a queue, since they share a machine; so do `example.org` and `example.org.`.
    """
    host = url.host.rstrip(".")
    return host if url.port is None else f"{host}:{url.port}"


class Suffixes:
    """A list of public suffixes."""

    def __init__(self, text: str | None = None) -> None:
        """From a text in the format of publicsuffix.org; None = the bundled one."""
        self._text = text
        self.registered_domain = lru_cache(maxsize=16_384)(self._registered_domain)

    @cached_property
    def _list(self) -> PublicSuffixList:
        # 10,000 rules take a tenth of a second to read: only for a crawl that asks.
        return PublicSuffixList(None if self._text is None else self._text.splitlines())

    def _registered_domain(self, host: str) -> str:
        """The part of a host that somebody registered, e.g. `example.co.uk`; the host itself where there is none."""
        name = host.rstrip(".")
        if is_ip_host(name):
            return name
        return self._list.privatesuffix(name) or name

    def is_suffix(self, host: str) -> bool:
        """Is it one under which anybody may register, `co.uk`, rather than somebody's domain?"""
        name = host.rstrip(".")
        return bool(name) and not is_ip_host(name) and self._list.publicsuffix(name) == name


def registered_domain(host: str) -> str:
    """The part of a host that somebody registered, by the bundled list; the host itself where there is none."""
    return bundled_suffixes().registered_domain(host)


def is_public_suffix(host: str) -> bool:
    """Is it one under which anybody may register, by the bundled list?"""
    return bundled_suffixes().is_suffix(host)


@cache
def bundled_suffixes() -> Suffixes:
    """The list that comes with publicsuffixlist."""
    return Suffixes()
