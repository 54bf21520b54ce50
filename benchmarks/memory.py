"""Memory, disk and speed of the frontier with very many URLs waiting.

A generator schedules URLs over many hosts into the real frontier on its real store, no network; then some are taken
and finished, as toes would. Each size is measured in a process of its own that has the whole program imported, as a
crawl has; another one opens the store again. Links come in batches of 100, each to a few hosts, as the links of a page
do. Exit code 1 if the resident memory of either process ever exceeds --limit.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from harness.report import note, print_table, write_json

WHOLE_PROGRAM = "gossamer.cli.main", "gossamer.control.assembly"
LINKS_PER_PAGE = 100
HOSTS_PER_PAGE = 5
MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Measured:
    """One size. Memory and disk in bytes, rates per second of CPU of the whole process, RocksDB's threads included."""

    urls: int
    hosts: int
    imported_rss: int
    scheduled_rss: int
    finished_rss: int
    peak_rss: int
    disk_per_url: float
    schedule_rate: float
    finish_rate: float
    reopen_seconds: float
    """Until the first URI was handed out."""
    reopened_peak_rss: int


async def fill(urls: int, hosts: int, finishes: int, folder: Path) -> dict[str, float]:
    """Schedule, take and finish, close."""
    for module in WHOLE_PROGRAM:
        importlib.import_module(module)
    from gossamer.config import Politeness  # imported late, with the rest, so that its memory is counted once
    from gossamer.frontier import FAMILIES, LocalFrontier
    from gossamer.model.disposition import Disposition, Fate
    from gossamer.storage.rocks import RocksKV
    from gossamer.util.clock import SystemClock

    clock, politeness = SystemClock(), Politeness(delay=0.0, delay_factor=0.0)
    imported = _rss()
    frontier = LocalFrontier(RocksKV(folder, FAMILIES), clock, politeness)
    cpu = _cpu()
    scheduled = 0
    for page in _pages(frontier, urls, hosts):
        scheduled += frontier.schedule(page)
    schedule_rate = scheduled / (_cpu() - cpu)
    scheduled_rss, disk = _rss(), _size(folder)
    if scheduled != urls or frontier.counts().queued != urls:
        raise RuntimeError(f"{urls} URLs scheduled, but {scheduled} taken and {frontier.counts().queued} queued")
    cpu = _cpu()
    for _ in range(finishes):
        curi = await frontier.next()
        now = clock.monotonic()
        frontier.started(curi, now)
        done = Disposition(
            fate=Fate.SUCCEEDED, status=200, is_page=True, requested=True, started=now, when=clock.wall()
        )
        frontier.finish(curi, done)
    finish_rate = finishes / max(1e-9, _cpu() - cpu)
    finished_rss = _rss()
    frontier.close()
    return {
        "urls": urls,
        "hosts": hosts,
        "imported_rss": imported,
        "scheduled_rss": scheduled_rss,
        "finished_rss": finished_rss,
        "peak_rss": _peak_rss(),
        "disk_per_url": disk / urls,
        "schedule_rate": schedule_rate,
        "finish_rate": finish_rate,
    }


async def reopen(queued: int, folder: Path) -> dict[str, float]:
    """Open a store again, and hand out one URI."""
    for module in WHOLE_PROGRAM:
        importlib.import_module(module)
    from gossamer.config import Politeness
    from gossamer.frontier import FAMILIES, LocalFrontier
    from gossamer.storage.rocks import RocksKV
    from gossamer.util.clock import SystemClock

    started = time.monotonic()
    frontier = LocalFrontier(RocksKV(folder, FAMILIES), SystemClock(), Politeness(delay=0.0, delay_factor=0.0))
    frontier.give_back(await frontier.next())
    seconds = time.monotonic() - started
    if frontier.counts().queued != queued:
        raise RuntimeError(f"{queued} URLs should be queued after reopening, not {frontier.counts().queued}")
    frontier.close()
    return {"reopen_seconds": seconds, "reopened_peak_rss": _peak_rss()}


def _pages(frontier: object, urls: int, hosts: int) -> Iterator[list[object]]:
    """The links of one page after another, `urls` in all, every one of them new."""
    from gossamer.model.crawluri import ClassKey, CrawlURI
    from gossamer.url import canonicalize

    chance = random.Random(1)
    identify = frontier.identify  # type: ignore[attr-defined]
    # Round and round over all hosts in random order, so that each has its share and none comes in order.
    order = list(range(hosts))
    chance.shuffle(order)
    run = max(1, min(LINKS_PER_PAGE // HOSTS_PER_PAGE, urls // hosts))
    number = 0
    while number < urls:
        page: list[object] = []
        via = f"https://www.host-{chance.randrange(hosts)}.example/section-{number % 97}/page-{number}.html"
        while len(page) < LINKS_PER_PAGE and number < urls:
            host = f"www.host-{order[number // run % hosts]}.example"
            url = f"https://{host}/section-{number % 97}/page-about-something-{number}.html"
            page.append(
                CrawlURI(
                    url=url,
                    class_key=ClassKey(host),
                    identity=identify(canonicalize(url), host),
                    depth=number % 7,
                    via=via,
                    parent_docid=number // LINKS_PER_PAGE + 1,
                    hops="LLL",
                    element="a@href",
                    anchor="About something",
                    seed="https://www.host-1.example/",
                    discovered=1_790_000_000.0 + number,
                )
            )
            number += 1
        yield page


def _rss() -> int:
    """Resident memory now; where /proc is not there, the highest so far."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    except FileNotFoundError:
        return _peak_rss()


def _peak_rss() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _measured_apart(urls: int, options: argparse.Namespace) -> Measured:
    """Measure one size in new processes."""
    with tempfile.TemporaryDirectory(prefix="memory-", dir=options.folder) as scratch:
        arguments = [
            "--urls",
            str(urls),
            "--hosts",
            str(options.hosts),
            "--finishes",
            str(min(urls // 2, options.finishes)),
        ]
        facts: dict[str, float] = {}
        for phase in ("fill", "reopen"):
            line = [sys.executable, __file__, "--phase", phase, *arguments, "--folder", scratch]
            done = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=True)
            facts |= json.loads(done.stdout.splitlines()[-1])
    return Measured(**facts)  # type: ignore[arg-type]


def main() -> int:
    """Measure every size; returns the exit code."""
    options = _options()
    if options.phase:
        import uvloop

        urls, store = options.urls[0], options.folder / "state"
        if options.phase == "fill":
            facts = uvloop.run(fill(urls, options.hosts, options.finishes, store))
        else:
            facts = uvloop.run(reopen(urls - options.finishes, store))
        print(json.dumps(facts))
        return 0
    results: list[Measured] = []
    for urls in options.urls:
        note(f"{urls:,} URLs over {options.hosts:,} hosts …")
        results.append(_measured_apart(urls, options))
    header = ("URLs", "hosts", "RSS MB imported", "scheduled", "after finishes", "peak", "reopened", "disk B/URL")
    rows = [
        (
            f"{one.urls:,}",
            one.hosts,
            *(round(value / MB) for value in (one.imported_rss, one.scheduled_rss, one.finished_rss, one.peak_rss)),
            round(one.reopened_peak_rss / MB),
            one.disk_per_url,
            round(one.schedule_rate),
            round(one.finish_rate),
            one.reopen_seconds,
        )
        for one in results
    ]
    print_table((*header, "scheduled/CPU s", "next+finish/CPU s", "reopen s"), rows)
    write_json(options.json, [asdict(one) for one in results])
    return 0 if all(max(one.peak_rss, one.reopened_peak_rss) <= options.limit * MB for one in results) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--urls", type=int, nargs="+", default=[1_000_000, 2_000_000], help="sizes (1,000,000 2,000,000)"
    )
    parser.add_argument("--hosts", type=int, default=50_000, help="(%(default)s)")
    parser.add_argument("--finishes", type=int, default=100_000, help="URLs taken and finished (%(default)s)")
    parser.add_argument("--limit", type=int, default=250, help="highest good resident memory in MB (%(default)s)")
    parser.add_argument("--folder", type=Path, help="where to put the store; the system's temporary folder otherwise")
    parser.add_argument("--json", type=Path, help="write the result here")
    parser.add_argument("--phase", choices=("fill", "reopen"), help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
