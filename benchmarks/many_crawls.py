"""Do crawls one after another in one process leave anything behind: memory, threads, descriptors, folders?

Each round crawls a few pages, by turns with a class in a thread of the crawl's own, in the caller's loop, and as a loop
over pages that is left early. After the first --warm crawls there may be no thread, no descriptor, no temporary folder
more; resident memory may fill caches, but in the second half of all crawls it may grow by no more than --limit MiB.
Exit code 1 otherwise.

glibc gives threads memory from arenas of their own, up to eight per core, and takes a while to fill them all: with
--arenas that is left as it is, otherwise the script runs itself again with a single arena, so that what grows is ours.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import sys
import tempfile
import threading
from pathlib import Path
from typing import NamedTuple

from harness.report import print_table, write_json
from harness.sites import static_server

import gossamer

SETTINGS = gossamer.CrawlConfig(toes=5, politeness=gossamer.Politeness(delay=0, delay_factor=0, connections_per_host=5))
PAGES = 8


class Crawler(gossamer.WebCrawler):
    def visit(self, page: gossamer.Page) -> None:
        self.local_data = page.text


class Reading(NamedTuple):
    crawls: int
    rss_bytes: int
    threads: int
    descriptors: int
    folders: int


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crawls", type=int, default=100, help="(%(default)s)")
    parser.add_argument("--warm", type=int, default=10, help="crawls after which nothing may grow (%(default)s)")
    parser.add_argument("--limit", type=float, default=1.0, help="MiB (%(default)s)")
    parser.add_argument("--arenas", action="store_true", help="as many as glibc makes")
    parser.add_argument("--json", type=Path, help="write the result here")
    options = parser.parse_args()
    if not options.arenas and "MALLOC_ARENA_MAX" not in os.environ:
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"MALLOC_ARENA_MAX": "1"})
    with tempfile.TemporaryDirectory(prefix="many-crawls-") as scratch:
        site, temporary = Path(scratch) / "site", Path(scratch) / "temporary"
        write_site(site)
        temporary.mkdir()
        tempfile.tempdir = str(temporary)
        with static_server(site) as url:
            readings = [read(0, temporary)]
            for number in range(1, options.crawls + 1):
                WAYS[number % len(WAYS)](url)
                if number % options.warm == 0:
                    readings.append(read(number, temporary))
    rows = [(r.crawls, r.rss_bytes / 2**20, r.threads, r.descriptors, r.folders) for r in readings]
    print_table(("crawls", "RSS MiB", "threads", "descriptors", "folders"), rows)
    write_json(options.json, readings)
    warm, middle, last = readings[1], readings[len(readings) // 2], readings[-1]
    grown = (last.rss_bytes - middle.rss_bytes) / 2**20
    print(f"second half: {grown:+.2f} MiB")
    return 0 if grown <= options.limit and last[2:] == warm[2:] else 1


def write_site(site: Path) -> None:
    site.mkdir()
    links = "".join(f"<a href=/{number}.html>{number}</a>" for number in range(PAGES))
    (site / "index.html").write_text(f"<title>start</title>{links}")
    for number in range(PAGES):
        (site / f"{number}.html").write_text(f"<title>{number}</title>" + "<p>words and more words</p>" * 500)


def crawl_beside(url: str) -> None:
    controller = gossamer.CrawlController(SETTINGS)
    controller.add_seed(url)
    outcome = controller.start(Crawler)
    assert outcome is not None and outcome.progress.counts.pages == PAGES + 1


def crawl_here(url: str) -> None:
    async def run() -> None:
        controller = gossamer.CrawlController(SETTINGS)
        controller.add_seed(url)
        outcome = await controller.run(Crawler)
        assert outcome.progress.counts.pages == PAGES + 1

    asyncio.run(run())


def leave_early(url: str) -> None:
    async def run() -> None:
        async for _ in gossamer.pages(url, config=SETTINGS):
            break

    asyncio.run(run())


WAYS = (crawl_beside, crawl_here, leave_early)


def read(crawls: int, temporary: Path) -> Reading:
    """What the process holds now."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    descriptors = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 (the listing's own is among them each time)
    return Reading(
        crawls,
        pages * os.sysconf("SC_PAGE_SIZE"),
        threading.active_count(),
        descriptors,
        len(list(temporary.iterdir())),
    )


if __name__ == "__main__":
    sys.exit(main())
