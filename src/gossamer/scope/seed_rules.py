"""Where the seeds are: their hosts, their registered domains or their folders.

http and https are one place. `example.org` and `example.org.` are one host; `127.0.0.1:8080` and `127.0.0.1:8081` are
two, since nothing says that they are one site. Each rule is a look-up in a set or dict that grows with the seeds.
"""

from __future__ import annotations

from gossamer.scope.rule import ACCEPT, NONE, Decision
from gossamer.url.domain import Suffixes, class_key
from gossamer.url.parse import Url


class AnywhereRule:
    """Everything is in scope."""

    name = "any"
    is_of_way = False

    def decide(self, url: Url, depth: int, hops: str, via: str | None) -> Decision:
        return ACCEPT


class HostRule:
    """The seeds' hosts, each with its port."""

    name = "host"
    is_of_way = False

    def __init__(self) -> None:
        self._hosts: set[str] = set()

    def add_seed(self, url: Url) -> None:
        self._hosts.add(class_key(url))

    def decide(self, url: Url, depth: int, hops: str, via: str | None) -> Decision:
        return ACCEPT if class_key(url) in self._hosts else NONE


class DomainRule:
    """The seeds' registered domains with all their hosts and ports; an address or `localhost` stands for itself."""

    name = "domain"
    is_of_way = False

    def __init__(self, suffixes: Suffixes) -> None:
        self._domains: set[str] = set()
        self._domain_of = suffixes.registered_domain

    def add_seed(self, url: Url) -> None:
        self._domains.add(self._domain_of(url.host))

    def decide(self, url: Url, depth: int, hops: str, via: str | None) -> Decision:
        return ACCEPT if self._domain_of(url.host) in self._domains else NONE


class FolderRule:
    """What lies in the seeds' folders: up to the last slash of each seed's path, on its host and port."""

    name = "prefix"
    is_of_way = False

    def __init__(self) -> None:
        self._folders: dict[str, tuple[str, ...]] = {}

    def add_seed(self, url: Url) -> None:
        host = class_key(url)
        folder = url.path.rpartition("/")[0] + "/"
        known = self._folders.get(host, ())
        if not folder.startswith(known):
            self._folders[host] = (*(other for other in known if not other.startswith(folder)), folder)

    def decide(self, url: Url, depth: int, hops: str, via: str | None) -> Decision:
        return ACCEPT if url.path.startswith(self._folders.get(class_key(url), ())) else NONE
