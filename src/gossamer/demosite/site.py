"""The demo site: a whole synthetic site, by host and path, that knows its own truth.

Comes in: a plan and the hosts' addresses. Goes out: an Answer for each request, and what an ideal crawl with scope
`host`, given `seeds`, finds. No sockets here; the bytes depend on nothing but the plan and the addresses.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

from gossamer.demosite.answer import HTML
from gossamer.demosite.manual import Manual
from gossamer.demosite.oddfolder import FOLDER, OddFolder
from gossamer.demosite.oddities import fill
from gossamer.demosite.plan import DemoPlan
from gossamer.demosite.resource import Resource, fixed, missing, moved
from gossamer.demosite.words import paragraphs

_PAGE_TYPES = ("text/html", "application/xhtml+xml", "text/plain")
_REDIRECTED_TOP = "/en/"
_INDEXED_PAGES = 400


@dataclass(frozen=True, slots=True)
class Expected:
    """What an ideal crawl has to say about one URL."""

    url: str
    status: int
    """Of its last answer."""
    content_type: str
    tries: int = 1
    """Answers until then; more than 1 where the first is a 500 or 503."""
    is_noindex: bool = False

    @property
    def is_page(self) -> bool:
        """2xx and HTML, XHTML or plain text: what counts for a page limit."""
        return 200 <= self.status < 300 and self.content_type in _PAGE_TYPES


class DemoSite:
    """All hosts of one site."""

    def __init__(self, plan: DemoPlan, authorities: Sequence[str]) -> None:
        """`authorities` are the hosts' `address:port`, one for each host of the plan."""
        if len(authorities) != plan.hosts:
            raise ValueError(f"the plan has {plan.hosts} hosts, but there are {len(authorities)} addresses")
        self.plan = plan
        self.authorities = tuple(authorities)
        origins = [f"http://{authority}" for authority in authorities]
        blocks = paragraphs(Random(plan.seed), 96)
        self._manuals = [
            Manual(plan, host, self._top(host), origins, blocks, self._entrances(host)) for host in range(plan.hosts)
        ]
        self._odd = OddFolder(origins[0], "".join(blocks[:30]))
        if plan.oddities:
            fill(self._odd, plan, self._top(0), list(islice(self._manuals[0].paths(), _INDEXED_PAGES)))

    @property
    def seeds(self) -> list[str]:
        """The URL to begin at on each host. A crawl of the whole site is given all of them."""
        return [f"http://{authority}/" for authority in self.authorities]

    def find(self, host: int, target: str) -> Resource:
        """What stands at a request target (path and query); a 404 for anything that is not there."""
        top = self._top(host)
        if target == "/robots.txt":
            return fixed("text/plain", self.robots(host).encode())
        if target == "/" and top != "/":
            return moved(302, top, f"http://{self.authorities[host]}{top}")
        if target.startswith(top + "private/"):
            return fixed(HTML, b"<title>Private</title><a href='more.html'>more</a>")
        odd = self._odd.find(target) if host == 0 and self.plan.oddities and target.startswith(FOLDER) else None
        return odd or self._manuals[host].find(target) or missing()

    def robots(self, host: int) -> str:
        """The text of robots.txt."""
        delay = self.plan.crawl_delay_seconds
        return (
            "# Everybody is welcome, but for one folder.\nUser-agent: somebody-else\nDisallow: /\n\nUser-agent: *\n"
            f"Disallow: {self._top(host)}private/\n{'' if delay is None else f'Crawl-delay: {delay:g}' + chr(10)}"
            f"\nSitemap: http://{self.authorities[host]}{self._top(host)}sitemap.xml\n"
        )

    def expected(self) -> dict[str, Expected]:
        """Every URL that an ideal crawl of all seeds settles with an answer, robots.txt not counted."""
        return {e.url: e for e in self._walk()[0]}

    def expected_pages(self) -> set[str]:
        """Of these, the ones that are pages: 2xx HTML, XHTML or plain text."""
        return {e.url for e in self._walk()[0] if e.is_page}

    def forbidden(self) -> set[str]:
        """URLs that are linked but disallowed by robots.txt: an ideal crawl never asks for them."""
        return self._walk()[1]

    def _walk(self) -> tuple[list[Expected], set[str]]:
        origins = {f"http://{authority}": host for host, authority in enumerate(self.authorities)}
        waiting, known = deque(self.seeds), set(self.seeds)
        found: list[Expected] = []
        forbidden: set[str] = set()
        while waiting:
            url = waiting.popleft()
            scheme_end = url.index("/", len("http://"))
            host, target = origins[url[:scheme_end]], url[scheme_end:]
            if target.startswith(self._top(host) + "private/"):
                forbidden.add(url)
                continue
            there = self.find(host, target)
            found.append(Expected(url, there.status, there.content_type, there.tries, there.is_noindex))
            for link in there.links():
                if link not in known and link[: link.find("/", len("http://"))] in origins:
                    known.add(link)
                    waiting.append(link)
        return found, forbidden

    def _top(self, host: int) -> str:
        return _REDIRECTED_TOP if self.plan.root_redirect and host == self.plan.hosts - 1 else "/"

    def _entrances(self, host: int) -> list[str]:
        """Paths that the top page of a host links to besides its manual."""
        return [f"{self._top(host)}private/", *([FOLDER] if self.plan.oddities and host == 0 else [])]
