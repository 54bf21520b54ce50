"""The manual: the ordinary pages of one host, shaped like a documentation set.

Pages lie in sections of up to 40, a folder each; every page carries a navigation bar, a side bar with its whole
section, and links in its text: to its own section, to a few popular pages, anywhere. So most links of a page are known
already, as in real manuals. A section's front page has two names (`folder/` and `folder/index.html`), and its folder
without the slash redirects. Nothing is kept but a cache: a page is composed from its number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from random import Random
from typing import NamedTuple

from gossamer.demosite.answer import HTML, Answer, answer
from gossamer.demosite.assets import SCRIPT, STYLE, png
from gossamer.demosite.plan import DemoPlan
from gossamer.demosite.reference import relative, written
from gossamer.demosite.resource import Resource, fixed, moved
from gossamer.demosite.words import WORDS

LARGEST_SECTION = 40
_SECTIONS_IN_BAR = 20
_POPULAR = 50
_CACHED_PAGES = 2048
_PAGE_NAME = re.compile(r"/[a-z]+-(\d+)\.html$")


class Composed(NamedTuple):
    """A page and what it links to."""

    body: bytes
    links: tuple[str, ...]
    """Absolute, without fragment, in order, with repeats."""


class Manual:
    """All pages of one host, by path."""

    def __init__(
        self,
        plan: DemoPlan,
        host: int,
        top: str,
        origins: Sequence[str],
        paragraphs: list[str],
        entrances: Sequence[str],
    ) -> None:
        """`top` is the folder everything lies in, `origins` those of all hosts, in order.

        The top page also links to the paths in `entrances`.
        """
        self._plan = plan
        self._seed = f"{plan.seed}/{host}"
        self._origin = origins[host]
        self.top = top
        self._paragraphs = paragraphs
        self.pages = plan.pages_of(host)
        self._section_size = min(LARGEST_SECTION, max(5, math.isqrt(self.pages)))
        self._folders = [self._folder_name(s) for s in range(-(-(self.pages - 1) // self._section_size))]
        self._sections = {folder: s for s, folder in enumerate(self._folders)}
        self._figures = max(1, self.pages // 5)
        self._elsewhere = [origin + "/" for origin in origins if origin != self._origin]
        self._entrances = entrances
        self._compose = lru_cache(max(8, _CACHED_PAGES // plan.hosts))(self._compose_now)
        self._bar = lru_cache(256)(self._bar_now)

    def find(self, path: str) -> Resource | None:
        """What stands at `path`; None if it is not of the manual."""
        number = self._number(path)
        if number is not None:
            return Resource(lambda _: self._answer(number), lambda: self._links(number, path))
        if path + "/" in self._sections:
            target = self._origin + path + "/"
            return moved(301, target, target)
        return self._asset(path)

    def paths(self) -> Iterator[str]:
        """The main name of each page, in order."""
        return (self._path(number) for number in range(self.pages))

    # ---- numbers and names: page 0 is the top, then the sections one after the other, front page first

    def _folder_name(self, section: int) -> str:
        first, second = WORDS[section * 31 % len(WORDS)], WORDS[section * 17 % len(WORDS)]
        return f"{self.top}{first}/{second}-{section}/" if section % 3 == 2 else f"{self.top}{first}-{section}/"

    def _folder(self, number: int) -> str:
        return self._folders[(number - 1) // self._section_size] if number else self.top

    def _path(self, number: int) -> str:
        if number == 0:
            return self.top
        position = (number - 1) % self._section_size
        return self._folder(number) + (f"{_word(number)}-{number}.html" if position else "index.html")

    def _number(self, path: str) -> int | None:
        front = path.removesuffix("index.html")
        if front == self.top:
            return 0
        if front in self._sections:
            return 1 + self._sections[front] * self._section_size
        match = _PAGE_NAME.search(path)
        number = int(match[1]) if match and len(match[1]) < 10 else self.pages
        return number if number < self.pages and self._path(number) == path else None

    # ---- what is served

    def _answer(self, number: int) -> Answer:
        return answer(200, HTML, self._compose(number).body)

    def _links(self, number: int, path: str) -> tuple[str, ...]:
        return (*self._compose(number).links, self._origin + path)

    def _asset(self, path: str) -> Resource | None:
        name = path.removeprefix(self.top)
        if name == "static/style.css":
            return fixed("text/css", STYLE)
        if name == "static/site.js":
            return fixed("text/javascript", SCRIPT)
        if name == "static/icon.png":
            return fixed("image/png", png(Random(self._seed)))
        if name == "sitemap.xml":
            return fixed("application/xml", self._sitemap())
        match = re.fullmatch(r"static/figure-(\d{1,9})\.png", name)
        if match and int(match[1]) < self._figures and str(int(match[1])) == match[1]:
            return fixed("image/png", png(Random(f"{self._seed}/figure/{match[1]}"), 96))
        return None

    def _sitemap(self) -> bytes:
        entries = "".join(f"<url><loc>{self._origin}{path}</loc></url>\n" for path in islice(self.paths(), 1000))
        return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</urlset>\n'.encode()

    # ---- how a page is written

    def _compose_now(self, number: int) -> Composed:
        random = Random(f"{self._seed}/{number}")
        folder = self._folder(number)
        has_base = number % 17 == 5
        if has_base:
            base = f'<base href="{relative(folder, self.top)}">\n'
            folder = self.top
        bar, bar_links = self._bar((number - 1) // self._section_size if number else -1, folder)
        head, head_links = self._head(number, folder)
        text, text_links = self._text(random, number, folder)
        # A bare fragment means the base, which is the top; without one it is the page itself, which `_links` adds.
        links = (*head_links, *bar_links, *text_links, *((self._origin + self.top,) if has_base else ()))
        parts = ("<!DOCTYPE html>\n<html lang=en>\n<head>\n", base if has_base else "", head, bar, *text, "</html>\n")
        return Composed("".join(parts).encode(), links)

    def _head(self, number: int, folder: str) -> tuple[str, list[str]]:
        named = [("stylesheet", "static/style.css"), ("icon", "static/icon.png")]
        targets = [(rel, self.top + name) for rel, name in named]
        if number:
            targets.append(("prev", self._path(number - 1)))
        if number + 1 < self.pages:
            targets.append(("next", self._path(number + 1)))
        lines = [f'<link rel="{rel}" href="{relative(folder, target)}">\n' for rel, target in targets]
        script = self.top + "static/site.js"
        html = (
            f"<meta charset=utf-8>\n<title>{_label(number)} ({number})</title>\n{''.join(lines)}"
            f'<script src="{relative(folder, script)}" defer></script>\n</head>\n<body>\n'
        )
        return html, [self._origin + target for _, target in targets] + [self._origin + script]

    def _bar_now(self, section: int, folder: str) -> tuple[str, list[str]]:
        """The navigation of a section's pages (-1: of the top, which lists every section)."""
        fronts = self._folders if section < 0 else self._folders[:_SECTIONS_IN_BAR]
        targets = [self.top + "index.html", *(front + "index.html" for front in fronts)]
        if section >= 0:
            first = 1 + section * self._section_size
            targets += [self._path(n) for n in range(first, min(first + self._section_size, self.pages))]
            targets.append(self._folders[section])
        items = [
            f'<li class="toctree-l1"><a class="reference internal" href="{relative(folder, target)}">'
            f"{target.rpartition('/')[2] or 'Up'}</a></li>\n"
            for target in targets
        ]
        return f"<nav>\n<ul>\n{''.join(items)}</ul>\n</nav>\n", [self._origin + target for target in targets]

    def _text(self, random: Random, number: int, folder: str) -> tuple[list[str], list[str]]:
        links: list[str] = []
        lines = [self._link(random, number, folder, links) for _ in range(_spread(random, 40, 0.6, 3, 400))]
        plan = self._plan
        size = _spread(random, plan.median_bytes, plan.size_sigma, 1500, plan.largest_bytes) - 6000 - 110 * len(lines)
        blocks = random.choices(self._paragraphs, k=max(1, size // 760))
        per_block = len(lines) / len(blocks)
        parts = [f"<main>\n<h1 id=top>{_label(number)}</h1>\n"]
        for i, block in enumerate(blocks):
            if i % 6 == 0:
                parts.append(f'<h2 id="s{i}">{i}<a class=headerlink href="#s{i}" title="Permalink">¶</a></h2>\n')
            parts.append(block)
            parts += lines[int(i * per_block) : int((i + 1) * per_block)]
        parts += lines[int(len(blocks) * per_block) :]
        parts.append(self._foot(random, number, folder, links))
        return parts, links

    def _link(self, random: Random, number: int, folder: str, links: list[str]) -> str:
        other = self._some_page(random, number)
        target = self._path(other)
        links.append(self._origin + target)
        fragment = f"#s{random.randrange(4) * 6}" if random.random() < 0.4 else ""
        rel = " rel=nofollow" if random.random() < 0.02 else ""
        href = written(random, folder, target, self._origin)
        label = f"<span>{_label(other)}</span>"
        return f'<p>See <a class="reference internal" href="{href}{fragment}"{rel}>{label}</a>.</p>\n'

    def _some_page(self, random: Random, number: int) -> int:
        dice = random.random()
        if dice < 0.5 and number:
            first = (number - 1) // self._section_size * self._section_size + 1
            return random.randrange(first, min(first + self._section_size, self.pages))
        return random.randrange(min(_POPULAR, self.pages) if dice < 0.8 else self.pages)

    def _foot(self, random: Random, number: int, folder: str, links: list[str]) -> str:
        figure = f"{self.top}static/figure-{random.randrange(self._figures)}.png"
        inside = [f"{self.top}sitemap.xml", *(self._entrances if number == 0 else ())]
        links += [self._origin + figure, *(self._origin + path for path in inside)]
        html = f'<p><img src="{relative(folder, figure)}" alt="A figure"></p>\n</main>\n<footer>\n'
        html += "".join(f'<a href="{relative(folder, path)}">{path}</a>\n' for path in inside)
        if number == 0:
            links += self._elsewhere
            html += "".join(f'<a href="{url}">{url}</a>\n' for url in self._elsewhere)
        if number % 3 == 1:
            html += f'<a class=external href="https://www.example.invalid/{number}">elsewhere</a>\n'
        return html + '<a href="mailto:docs@example.invalid">write to us</a>\n</footer>\n</body>\n'


def _word(number: int) -> str:
    return WORDS[number * 7919 % len(WORDS)]


def _label(number: int) -> str:
    return f"{_word(number).capitalize()} {_word(number + 1)}"


def _spread(random: Random, median: int, sigma: float, least: int, most: int) -> int:
    """A log-normal number within bounds."""
    return min(most, max(least, round(median * math.exp(random.gauss(0.0, sigma)))))
