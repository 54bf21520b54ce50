"""The frontier alone, without a network: its speed, its memory and its disk, with millions of URLs over many hosts.

Each size runs in a process of its own that has the whole program imported, as a crawl has, on the real store.

1. Pages of 100 links come, half of them known (`harness.linkgraph`), until so many URLs are scheduled. Measured from
   canonical URLs: identity, look-up, the record of each new one, schedule. A rate counts links, the new ones and the
   known ones.
2. URIs are taken and finished, --active of them out at any time, each on a host of its own, on hosts that have enough
   of them to stay active; every finish has two spans of archive files for the journal, and there is a commit as often
   as there would be in a crawl.
3. The same with whatever host has its turn: most have one URI, so every second finish ends a queue and begins another.
4. The same with the links of a page, 5 of 100 new: what the frontier costs a crawl per page.
5. In the midst of such finishes the process is killed, and another one, the whole program in it, asks for a URI.

CPU is that of the whole process, RocksDB's threads and their compactions included, less what it takes to think up the
links and the outcomes. With --floor each size is also run on the bare store: the same keys and values put and read with
nothing around them, which tells how much of the time is the store's. Exit code 1 if memory ever exceeds --limit.
"""

from __future__ import annotations

import argparse
import importlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.linkgraph import Link, LinkGraph, busy_first
from harness.report import note, print_table, write_json

if TYPE_CHECKING:
    from gossamer.frontier import LocalFrontier
    from gossamer.model.crawluri import CrawlURI
    from gossamer.model.disposition import Disposition

WHOLE_PROGRAM = "gossamer.cli.main", "gossamer.control.assembly"
NEW_PER_PAGE = 5
COMMIT_EVERY = 1_000
"""Finishes; a fast crawl does about so many in the second between two commits."""
FILES = "warc/00000.warc.gz", "logs/crawl.log"
RECORD_ID = "urn:uuid:5f7c2b1e-3c3a-4f0e-9d57-0a9f5a1f2b3c"
KILL_AFTER_SECONDS = 0.5
COMPARED = "schedule_rate", "finish_rate", "turnover_rate", "page_us"
MB = 1_000_000


@dataclass(slots=True)
class Stopwatch:
    """CPU seconds of this process, but for what is done while it is stopped."""

    started: float = field(default_factory=time.process_time)
    outside: float = 0.0

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Leave out what this thread does meanwhile; what the store's threads do still counts."""
        before = time.thread_time()
        yield
        self.outside += time.thread_time() - before

    def seconds(self) -> float:
        return max(1e-9, time.process_time() - self.started - self.outside)


class Crawl:
    """Drives one frontier as toes would."""

    def __init__(self, frontier: LocalFrontier) -> None:
        self.frontier = frontier
        self.out: deque[CrawlURI] = deque()
        self._outcomes = _Outcomes()
        for file in FILES:
            frontier.register_file(file)
        self._finished = 0

    def candidates(self, page: list[Link]) -> list[CrawlURI]:
        """The links that are not known, as records; what a toe does with a page before `finish`."""
        from gossamer.model.crawluri import NOT_GIVEN, PRIORITY_ORDINARY, ClassKey, CrawlURI, DocId

        identities = self.frontier.identify_all(page)
        via, seed = "https://www.host-1.example/section-1/page-about-something-1.html", "https://www.host-1.example/"
        return [
            CrawlURI(
                url,
                ClassKey(host),
                identity,
                NOT_GIVEN,
                PRIORITY_ORDINARY,
                0,  # attempts
                3,  # depth
                None,  # fetch_url
                via,
                DocId(1_000_000),
                "LLL",
                "a@href",
                None,  # rel
                "About something",
                seed,
                False,  # is_seed
                0,  # redirects
                0.0,  # not_before
                False,  # force
                1_790_000_000.0,
            )
            for (url, host), identity, is_new in zip(page, identities, self.frontier.unseen(identities), strict=True)
            if is_new
        ]

    async def take(self, count: int) -> None:
        """Have so many URIs out."""
        while len(self.out) < count:
            self.out.append(await self.frontier.next())

    def schedule(self, page: list[Link]) -> int:
        """Offer the links of a page; how many were new."""
        return self.frontier.schedule(self.candidates(page))

    def prepare(self, count: int) -> None:
        """Think up the outcomes of so many fetches."""
        self._outcomes.prepare(count)

    async def finish_one(self, page: list[Link] | None = None) -> None:
        """Finish the URI that is out longest and take another."""
        curi = self.out.popleft()
        outcome = self._outcomes.take()
        self.frontier.started(curi, outcome.started)
        discovered = self.candidates(page) if page else []
        self.frontier.finish(curi, outcome, discovered)
        self.out.append(await self.frontier.next())
        self._finished += 1
        if self._finished % COMMIT_EVERY == 0:
            await self.frontier.commit(_sync_nothing)


class _Outcomes:
    """What became of fetches that nobody made."""

    def __init__(self) -> None:
        self._archive = _Archive()
        self._ready: deque[Disposition] = deque()

    def prepare(self, count: int) -> None:
        """Have so many more at hand."""
        self._ready.extend([self._made() for _ in range(count)])

    def take(self) -> Disposition:
        """The next one; made now if none is at hand."""
        return self._ready.popleft() if self._ready else self._made()

    def _made(self) -> Disposition:
        from gossamer.model.disposition import Disposition, Fate, Span

        return Disposition(
            fate=Fate.SUCCEEDED,
            status=200,
            is_page=True,
            requested=True,
            started=time.monotonic(),
            wire_bytes=8_000,
            when=time.time(),
            spans=tuple([Span(*span) for span in self._archive.append()]),
        )


class Bare:
    """Drives the bare store through the same steps."""

    def __init__(self, folder: Path) -> None:
        from frontier_floor import BareStore

        self.store = BareStore(folder)
        self.schedule = self.store.schedule
        self._archive = _Archive()
        self._finished = 0

    async def take(self, count: int) -> None:
        """Have so many URLs out."""
        self.store.take(count)

    def prepare(self, count: int) -> None:
        """There is nothing to prepare."""

    async def finish_one(self, page: list[Link] | None = None) -> None:
        """Finish the URL that is out longest and take another."""
        self.store.finish_one(page, self._archive.append())
        self._finished += 1
        if self._finished % COMMIT_EVERY == 0:
            self.store.commit()


class _Archive:
    """What a toe appends before it finishes: a record and a line of the log."""

    def __init__(self) -> None:
        self._tail = 0

    def append(self) -> tuple[tuple[str, int, int, str], ...]:
        """file, start, end, record id."""
        start = self._tail
        self._tail += 8_000
        return tuple([(file, start, self._tail, RECORD_ID) for file in FILES])


class _Whole:
    """Archive files that are always as the store says, and cost nothing."""

    def size(self, file: str) -> int | None:
        return 1 << 60

    def is_final(self, file: str) -> bool:
        return False

    def is_whole(self, span: object) -> bool:
        return True

    def truncate(self, file: str, size: int) -> None:
        """There are no bytes to cut."""

    def sync(self, file: str) -> None:
        """There are no bytes to sync."""


def _sync_nothing(files: list[str]) -> None:
    """There are no files; the store is synced all the same."""


def _opened(folder: Path) -> LocalFrontier:
    from gossamer.config import Politeness  # imported late, with the rest, so that its memory is counted once
    from gossamer.frontier import FAMILIES, LocalFrontier
    from gossamer.storage.rocks import RocksKV
    from gossamer.util.clock import SystemClock

    politeness = Politeness(delay=0.0, delay_factor=0.0)
    store = RocksKV(folder, FAMILIES)
    return LocalFrontier(store, SystemClock(), politeness, files=_Whole(), precedence=busy_first)


class _Progress:
    """Tells, ten times in the course of a size, how far it has come."""

    def __init__(self, urls: int) -> None:
        self._step = max(1, urls // 10)
        self._next = self._step

    def tell(self, scheduled: int, offered: int, watch: Stopwatch) -> None:
        if scheduled >= self._next:
            self._next += self._step
            rate = offered / watch.seconds()
            note(f"  {scheduled:,} URLs scheduled; {rate:,.0f} links per CPU s so far; RSS {_rss() / MB:,.0f} MB")


async def fill(options: argparse.Namespace, folder: Path) -> None:
    """Schedule, finish, tell, and go on finishing until killed."""
    _import_program()
    imported = _rss()
    crawl = Crawl(_opened(folder))
    facts = {"imported_rss": imported} | await measure(crawl, options, folder)
    counts = crawl.frontier.counts()
    facts |= {"hosts": counts.queues, "active": counts.active_queues, "peak_rss": _peak_rss()}
    print(json.dumps(facts), flush=True)
    while not options.no_kill:
        await crawl.finish_one()


async def floor(options: argparse.Namespace, folder: Path) -> None:
    """The same on the bare store."""
    print(json.dumps(await measure(Bare(folder), options, folder)))


async def measure(crawl: Crawl | Bare, options: argparse.Namespace, folder: Path) -> dict[str, float]:
    """Schedule, then finish without and with discoveries; rates per CPU second."""
    urls, graph = options.urls[0], LinkGraph(options.hosts)
    facts: dict[str, float] = {"urls": urls}
    watch, scheduled, offered = Stopwatch(), 0, 0
    progress = _Progress(urls)
    while scheduled < urls:
        with watch.stopped():
            page = graph.page()
            progress.tell(scheduled, offered, watch)
        scheduled += crawl.schedule(page)
        offered += len(page)
        if scheduled < urls // 2:
            facts["half_rss"] = _rss()
    facts |= {"new_share": scheduled / offered, "schedule_rate": offered / watch.seconds()}
    facts |= {"scheduled_rss": _rss(), "disk_per_url": _size(folder) / scheduled}
    for page in graph.busy_hosts(options.active, options.finishes // options.active + 1):
        crawl.schedule(page)
    await crawl.take(options.active)
    for name in ("finish_rate", "turnover_rate"):
        watch = Stopwatch()
        for number in range(options.finishes):
            if number % COMMIT_EVERY == 0:
                with watch.stopped():
                    crawl.prepare(min(COMMIT_EVERY, options.finishes - number))
            await crawl.finish_one()
        facts[name] = options.finishes / watch.seconds()
    pages = options.finishes // 4
    watch = Stopwatch()
    for _ in range(pages):
        with watch.stopped():
            page = graph.few_new(NEW_PER_PAGE)
        await crawl.finish_one(page)
    return facts | {"page_us": 1e6 * watch.seconds() / pages, "finished_rss": _rss()}


async def reopen(options: argparse.Namespace, folder: Path) -> None:
    """Open the store of a process that was killed, and take one URI."""
    _import_program()
    began = time.monotonic()
    frontier = _opened(folder)
    await frontier.next()
    now = time.monotonic()
    if frontier.recovery.undone:
        raise RuntimeError(f"{frontier.recovery.undone} finishes were undone, though nothing was lost")
    facts = {"open_seconds": now - began, "start_seconds": now - options.began, "reopened_peak_rss": _peak_rss()}
    print(json.dumps(facts | {"journal_entries": frontier.recovery.kept}))
    frontier.close()


def _import_program() -> None:
    for module in WHOLE_PROGRAM:
        importlib.import_module(module)


def _rss() -> int:
    """Resident memory now; where /proc is not there, the highest so far."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    except FileNotFoundError:
        return _peak_rss()


def _peak_rss() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _measured_apart(urls: int, options: argparse.Namespace) -> dict[str, float]:
    """Measure one size in new processes; the one that fills is killed in its work."""
    with tempfile.TemporaryDirectory(prefix="frontier-", dir=options.folder) as scratch:
        with _phase("fill", urls, options, scratch) as filling:
            told = filling.stdout.readline() if filling.stdout is not None else ""
            if told and not options.no_kill:
                time.sleep(KILL_AFTER_SECONDS)
            filling.kill()
        if not told:
            raise RuntimeError(f"the process that schedules {urls:,} URLs ended without a result")
        facts: dict[str, float] = json.loads(told)
        if not options.no_kill:
            facts |= _told("reopen", urls, options, scratch)
    if options.floor:
        with tempfile.TemporaryDirectory(prefix="frontier-", dir=options.folder) as scratch:
            bare = _told("floor", urls, options, scratch)
        facts |= {f"floor_{name}": value for name, value in bare.items() if name in COMPARED}
    return facts


def _phase(phase: str, urls: int, options: argparse.Namespace, scratch: str) -> subprocess.Popen[str]:
    line = [sys.executable, __file__, "--phase", phase, "--began", str(time.monotonic()), "--folder", scratch]
    line += ["--urls", str(urls), "--hosts", str(options.hosts)]
    line += ["--finishes", str(options.finishes), "--active", str(options.active)]
    return subprocess.Popen(line + ["--no-kill"] * options.no_kill, stdout=subprocess.PIPE, text=True)


def _told(phase: str, urls: int, options: argparse.Namespace, scratch: str) -> dict[str, float]:
    """What a phase that ends by itself tells."""
    with _phase(phase, urls, options, scratch) as process:
        told, _ = process.communicate()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    facts: dict[str, float] = json.loads(told.splitlines()[-1])
    return facts


def main() -> int:
    """Measure every size; returns the exit code."""
    options = _options()
    if options.phase:
        import uvloop

        phases = {"fill": fill, "reopen": reopen, "floor": floor}
        uvloop.run(phases[options.phase](options, options.folder / "state"))
        return 0
    results = []
    if options.folder is not None:
        options.folder.mkdir(parents=True, exist_ok=True)
    for urls in options.urls:
        note(f"{urls:,} URLs over at most {options.hosts:,} hosts …")
        results.append(_measured_apart(urls, options))
        # After each: the next may take the better part of an hour.
        write_json(options.json, results)
    _show(results)
    peaks = [one.get(name, 0) for one in results for name in ("peak_rss", "reopened_peak_rss")]
    return 0 if max(peaks) <= options.limit * MB else 1


def _show(results: list[dict[str, float]]) -> None:
    megabytes = "imported_rss", "half_rss", "scheduled_rss", "finished_rss", "peak_rss", "reopened_peak_rss"
    rows: list[tuple[str, str, Callable[[float], Any]]] = [
        ("URLs", "urls", int),
        ("hosts with URLs", "hosts", int),
        ("hosts active", "active", int),
        ("links offered per CPU s", "schedule_rate", int),
        ("— bare store", "floor_schedule_rate", int),
        ("next+finish per CPU s", "finish_rate", int),
        ("— bare store", "floor_finish_rate", int),
        ("— with queues that come and go", "turnover_rate", int),
        ("— bare store", "floor_turnover_rate", int),
        ("CPU µs of a page with 5 of 100 links new", "page_us", int),
        ("— bare store", "floor_page_us", int),
        ("disk, bytes per URL", "disk_per_url", int),
        ("journal entries at the kill", "journal_entries", int),
        ("s to open after it and take a URI", "open_seconds", float),
        ("— from the start of the process", "start_seconds", float),
        *((f"RSS MB, {name.removesuffix('_rss')}", name, lambda value: round(value / MB)) for name in megabytes),
    ]
    shown = [
        (title, *(convert(one[name]) if name in one else "" for one in results))
        for title, name, convert in rows
        if any(name in one for one in results)
    ]
    print_table(("", *(f"{int(one['urls']) / 1e6:g} M" for one in results)), shown)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urls", type=int, nargs="+", default=[1_000_000], help="sizes (1,000,000)")
    parser.add_argument("--hosts", type=int, default=1_000_000, help="at most (%(default)s)")
    parser.add_argument("--active", type=int, default=2_000, help="URIs out at a time (%(default)s)")
    parser.add_argument("--finishes", type=int, default=100_000, help="URIs taken and finished (%(default)s)")
    parser.add_argument("--floor", action="store_true", help="measure the bare store, too")
    parser.add_argument("--no-kill", action="store_true", help="do not kill and reopen")
    parser.add_argument("--limit", type=int, default=350, help="highest good resident memory in MB (%(default)s)")
    parser.add_argument("--folder", type=Path, help="where to put the store; the system's temporary folder otherwise")
    parser.add_argument("--json", type=Path, help="write the result here")
    parser.add_argument("--phase", choices=("fill", "reopen", "floor"), help=argparse.SUPPRESS)
    parser.add_argument("--began", type=float, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
