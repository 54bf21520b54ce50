"""The independent search: breadth first over whole sites, with the standard library alone.

Same promises as the crawler's `--scope host`: links, embeds and redirects inside the seeds' hosts (with their ports),
robots.txt obeyed, links only of 2xx HTML, XHTML and style sheets, a page that asks for it not followed. Sequential and
slow; what it finds is the reference.
"""

from __future__ import annotations

import gzip
import http.client
import time
import zlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from urllib.robotparser import RobotFileParser

from .comparison import HTML_TYPES
from .csslinks import links_of_sheet
from .htmllinks import links_of
from .weburl import authority_of, normal, resolve

_TRIES = 5
_LONGEST_REST = 10.0


@dataclass(frozen=True, slots=True)
class Found:
    """What one URL answered in the end."""

    status: int
    content_type: str

    @property
    def is_html_page(self) -> bool:
        return 200 <= self.status < 300 and self.content_type in HTML_TYPES


@dataclass(frozen=True, slots=True)
class Reply:
    """One response."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def content_type(self) -> str:
        return self.headers.get_content_type() if "content-type" in self.headers else ""


class Search:
    """One search over the hosts of its seeds."""

    def __init__(self, seeds: list[str], user_agent: str = "gossamer") -> None:
        """`user_agent` is the product token that robots.txt is asked about."""
        self._seeds = [url for seed in seeds if (url := normal(seed)) is not None]
        self._user_agent = user_agent
        self._connections: dict[str, http.client.HTTPConnection] = {}
        self._robots: dict[str, RobotFileParser] = {}
        self.found: dict[str, Found] = {}
        self.forbidden: set[str] = set()
        """In scope, but disallowed by robots.txt."""
        self.requests = 0

    def run(self, progress: Callable[[int, int], None] = lambda done, waiting: None) -> dict[str, Found]:
        """Search to the end; `progress` is told how many are done and known to wait."""
        hosts = {authority_of(seed) for seed in self._seeds}
        waiting, known = deque(self._seeds), set(self._seeds)
        while waiting:
            url = waiting.popleft()
            if not self._is_allowed(url):
                self.forbidden.add(url)
                continue
            reply = self._answered(url)
            self.found[url] = Found(reply.status, reply.content_type)
            for link in self._links(url, reply):
                if link not in known and authority_of(link) in hosts:
                    known.add(link)
                    waiting.append(link)
            progress(len(self.found), len(waiting))
        for connection in self._connections.values():
            connection.close()
        return self.found

    def _links(self, url: str, reply: Reply) -> list[str]:
        if 300 <= reply.status < 400:
            target = resolve(url, reply.headers.get("location", ""))
            return [target] if target is not None and "location" in reply.headers else []
        if not 200 <= reply.status < 300:
            return []
        if reply.content_type == "text/css":
            return links_of_sheet(reply.body, url)
        if reply.content_type not in HTML_TYPES:
            return []
        directives = ",".join(reply.headers.get_all("x-robots-tag", [])).lower()
        if "nofollow" in directives or "none" in directives:
            return []
        return links_of(reply.body, reply.headers.get_param("charset") or "", url)  # type: ignore[arg-type]

    def _is_allowed(self, url: str) -> bool:
        authority = authority_of(url)
        if authority not in self._robots:
            robots = RobotFileParser()
            reply = self._answered(f"{url.split('//', 1)[0]}//{authority}/robots.txt")
            robots.parse(reply.body.decode("utf-8", "replace").splitlines() if reply.status == 200 else [])
            self._robots[authority] = robots
        return self._robots[authority].can_fetch(self._user_agent, url)

    def _answered(self, url: str) -> Reply:
        """The answer to a GET; 429 and 5xx are tried again."""
        for last in (*[False] * (_TRIES - 1), True):
            reply = self._get(url)
            if last or (reply.status < 500 and reply.status != 429):
                break
            rest = reply.headers.get("retry-after", "")
            time.sleep(min(float(rest), _LONGEST_REST) if rest.isdigit() else 0.0)
        return reply

    def _get(self, url: str) -> Reply:
        scheme, _, authority, *path = url.split("/", 3)
        target = "/" + "".join(path)
        headers = {"Accept-Encoding": "gzip, deflate", "User-Agent": f"{self._user_agent} (independent search)"}
        key = f"{scheme}//{authority}"
        make = http.client.HTTPSConnection if scheme == "https:" else http.client.HTTPConnection
        for is_kept_alive in (key in self._connections, False):
            connection = self._connections.setdefault(key, make(authority, timeout=30))
            try:
                connection.request("GET", target, headers=headers)
                response = connection.getresponse()
                body = response.read()
                break
            except (http.client.HTTPException, OSError):
                connection.close()
                del self._connections[key]
                if not is_kept_alive:
                    raise
        self.requests += 1
        return Reply(response.status, response.headers, _undone(body, response.headers.get("content-encoding", "")))


def _undone(body: bytes, coding: str) -> bytes:
    """The body without its content coding."""
    if coding == "gzip":
        return gzip.decompress(body)
    if coding == "deflate":
        return zlib.decompress(body)
    return body
