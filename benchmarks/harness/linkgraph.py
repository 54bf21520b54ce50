"""A web that exists only as links: page after page over very many hosts, deterministic, in little memory.

The host of a page is drawn by Zipf's law. Of its 100 links 70 stay on the host; 5 lead to hosts that nobody linked to
before, while there are any; 25 lead to hosts drawn by the same law. Half of each kind, as nearly as can be, are URLs
that were given before, any of their host's with the same chance. So a store gets no favour: real sites link to the same
few URLs from every page.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterator

LINKS_PER_PAGE = 100
ON_HOST = 70
TO_NEW_HOSTS = 5

BUSY = "www.busy-"

Link = tuple[str, str]
"""Canonical URL, host."""


class LinkGraph:
    """Gives pages; remembers how many URLs of each host were given."""

    def __init__(self, hosts: int, seed: int = 1) -> None:
        self._hosts = hosts
        self._chance = random.Random(seed)
        self._given = array("I", bytes(4 * hosts))
        self._next_new_host = 0

    def page(self) -> list[Link]:
        """The links of one page, in no special order."""
        own = self._draw()
        links = [self._link(own, is_new=number % 2 == 0) for number in range(ON_HOST)]
        links += [self._link(self._new_host(), is_new=True) for _ in range(TO_NEW_HOSTS)]
        rest = LINKS_PER_PAGE - len(links)
        # The links to new hosts are all new, so fewer of these are.
        links += [self._link(self._draw(), is_new=number < (rest - TO_NEW_HOSTS) // 2) for number in range(rest)]
        self._chance.shuffle(links)
        return links

    def few_new(self, new: int) -> list[Link]:
        """As `page`, all of one host, with only so many new links: a page late in a crawl."""
        own = self._draw()
        return [self._link(own, is_new=number < new) for number in range(LINKS_PER_PAGE)]

    def busy_hosts(self, hosts: int, urls: int) -> Iterator[list[Link]]:
        """Pages with so many new URLs for each of so many hosts of another kind: `busy_first` tells them apart."""
        names = [f"{BUSY}{number}.example" for number in range(hosts)]
        for number in range(urls):
            for start in range(0, hosts, LINKS_PER_PAGE):
                part = names[start : start + LINKS_PER_PAGE]
                yield [(f"https://{name}/section-1/page-about-something-{number}.html", name) for name in part]

    def _draw(self) -> int:
        """A host by Zipf's law with exponent 1: the logarithm of its rank is uniform."""
        return int(self._hosts ** self._chance.random()) - 1

    def _new_host(self) -> int:
        # From the rare end, where the law hardly ever comes.
        while self._next_new_host < self._hosts:
            host = self._hosts - 1 - self._next_new_host
            self._next_new_host += 1
            if not self._given[host]:
                return host
        return self._draw()

    def _link(self, host: int, *, is_new: bool) -> Link:
        given = self._given[host]
        if is_new or not given:
            self._given[host] += 1
            number = given
        else:
            number = int(given * self._chance.random())
        name = f"www.host-{host}.example"
        return f"https://{name}/section-{number % 97}/page-about-something-{number}.html", name


def busy_first(host: str) -> int:
    """Precedence of a host: the busy ones have their turn before the others."""
    return 1 if host.startswith(BUSY) else 128
