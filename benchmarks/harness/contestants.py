"""Who takes part in a comparison, and how each is run: the crawler itself, the floor, and drivers of other crawlers.

All get the same course: seeds, a limit of pages, requests at once. Each run is a process of its own; its CPU is that of
its whole tree, from start to exit. What it did is told by the crawl's log, by the floor, or by a driver:

    COMMAND PAGES CONCURRENCY FOLDER SEED…

PAGES is when to stop (0: at the end), CONCURRENCY the requests at once over all hosts, FOLDER an empty folder to write
to. At its end a driver prints one line of JSON with `version`, `pages` (HTML responses with status 200), `responses`
(without it: as many as pages) and `bytes` (of bodies); what else is in it is not looked at.
"""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from .crawl import GOSSAMER, CrawlCommand, Ran, run
from .job import read_crawl_log
from .weburl import authority_of

FLOOR = Path(__file__).parents[1] / "floor.py"
VISITING = Path(__file__).parents[1] / "peers" / "gossamer_visit.py"


class Failed(Exception):
    """A run that gives no figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """The work, the same for all."""

    seeds: tuple[str, ...]
    connections: int
    """Requests at once to a host."""
    pages: int = 0
    """Stop after so many; 0: at the end."""
    timeout_seconds: float = 3600.0

    @property
    def concurrency(self) -> int:
        """Requests at once over all hosts."""
        return self.connections * len({authority_of(seed) for seed in self.seeds})


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one run did and cost."""

    name: str
    version: str
    pages: int
    """HTML responses with status 200."""
    responses: int
    body_bytes: int
    cpu_seconds: float
    wall_seconds: float
    peak_rss_bytes: int
    """Of the largest process of its tree."""

    @property
    def cpu_us_per_page(self) -> float:
        return self.cpu_seconds * 1e6 / self.pages

    @property
    def pages_per_second(self) -> float:
        """From start to exit."""
        return self.pages / self.wall_seconds


class Contestant(Protocol):
    """One row of the table."""

    @property
    def name(self) -> str: ...

    @property
    def stores(self) -> str:
        """What is left on disk, in a few words."""

    def run(self, course: Course, folder: Path) -> Result:
        """Do the work once, with a folder of its own. Raises Failed."""


@dataclass(slots=True)
class GossamerCrawl:
    """The full path: WARC, journal, robots.txt, scope, log."""

    toes: int = 0
    """0: as many as requests at once."""
    options: tuple[str, ...] = ()
    """Further options of `gossamer crawl`."""
    program: tuple[str, ...] = GOSSAMER
    """Or what stands in for it."""
    answered: list[str] = field(default_factory=list)
    """The URLs of the last run that had an answer."""
    name: str = "gossamer"
    stores: str = "WARC, queue + seen on disk, log"

    def run(self, course: Course, folder: Path) -> Result:
        limit = ("--max-pages", str(course.pages)) if course.pages else ()
        command = CrawlCommand(
            seeds=course.seeds,
            toes=self.toes or course.concurrency,
            connections=course.connections,
            program=self.program,
            is_fenced=False,  # no peer looks for a pattern in its links, and few crawls have one
            options=(*self.options, *limit),
        )
        job = folder / "job"
        ran = _ended_well(self.name, run(command.line(job), folder, timeout_seconds=course.timeout_seconds))
        lines = [line for line in read_crawl_log(job) if line.has_response and line.url.startswith("http://")]
        self.answered = [line.url for line in lines]
        pages = sum(line.status == 200 and line.content_type == "text/html" for line in lines)
        size = sum(line.size for line in lines)
        return _result(self.name, version("gossamer"), ran, pages, len(lines), size)


def visiting(hook: str) -> tuple[str, ...]:
    """What stands in for the program to crawl from Python, with an empty `visit` that is a `def` or an `async` one."""
    return (sys.executable, str(VISITING), hook)


@dataclass(frozen=True, slots=True)
class Floor:
    """The floor, over the URLs that the crawl's last run had an answer of."""

    crawl: GossamerCrawl
    name: str = "floor"
    stores: str = "nothing; follows no link"

    def run(self, course: Course, folder: Path) -> Result:
        folder.mkdir(parents=True, exist_ok=True)
        urls = folder / "urls.txt"
        urls.write_text("".join(url + "\n" for url in self.crawl.answered), encoding="utf-8")
        line = [sys.executable, str(FLOOR), str(urls), "--connections", str(course.connections)]
        ran = _ended_well(self.name, run(line, folder, timeout_seconds=course.timeout_seconds))
        told = last_json(ran.output)
        if told["responses"] != len(self.crawl.answered):
            raise Failed(f"floor: {told['responses']} answers to {len(self.crawl.answered)} URLs")
        return _result(self.name, "", ran, told["pages"], told["responses"], told["body_bytes"])


@dataclass(frozen=True, slots=True)
class Driver:
    """Another crawler, by the command that drives it."""

    name: str
    command: tuple[str, ...]
    stores: str

    def run(self, course: Course, folder: Path) -> Result:
        out = folder / "out"
        out.mkdir(parents=True)
        line = [*self.command, str(course.pages), str(course.concurrency), str(out), *course.seeds]
        ran = _ended_well(self.name, run(line, folder, timeout_seconds=course.timeout_seconds))
        told = last_json(ran.output)
        try:
            counts = int(told["pages"]), int(told.get("responses", told["pages"])), int(told.get("bytes", 0))
        except (KeyError, TypeError, ValueError) as error:
            raise Failed(f"{self.name}: its last line should tell pages, responses and bytes: {told}") from error
        return _result(self.name, str(told.get("version", "")), ran, *counts)


def last_json(output: str) -> dict[str, Any]:
    """The last line of an output that is a JSON object. Raises Failed if there is none."""
    for line in reversed(output.splitlines()):
        if line.startswith("{"):
            try:
                told: dict[str, Any] = json.loads(line)
            except ValueError:
                continue
            return told
    raise Failed(f"no line of JSON at the end of:\n{output}")


def _ended_well(name: str, ran: Ran) -> Ran:
    if ran.exit_code:
        raise Failed(f"{name} ended with exit code {ran.exit_code}:\n{ran.output}")
    return ran


def _result(name: str, release: str, ran: Ran, pages: int, responses: int, size: int) -> Result:
    if not pages:
        raise Failed(f"{name} found no page:\n{ran.output}")
    return Result(
        name=name,
        version=release,
        pages=pages,
        responses=responses,
        body_bytes=size,
        cpu_seconds=ran.cpu_seconds,
        wall_seconds=ran.wall_seconds,
        peak_rss_bytes=ran.peak_rss_bytes,
    )


def parse_driver(text: str) -> Driver:
    """A driver from `NAME=COMMAND`, COMMAND split as a shell would. Raises ValueError with the reason."""
    name, _, command = text.partition("=")
    words = shlex.split(command)
    if not name or not words:
        raise ValueError(f"a driver is given as NAME=COMMAND, not as {text!r}")
    return Driver(name, tuple(words), "not told")
