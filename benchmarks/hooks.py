"""What the hooks of a crawler cost, and whether one that blocks holds up the crawl.

First the CPU of this process per page, for crawls with no hook, an empty `def visit`, an empty `async def visit`, and a
`should_visit` that looks at the host of every link; rounds alternate, the least of each counts. Then a `visit` that
sleeps 50 ms with 20 toes: at best it is called 400 times a second, if the machine can fetch so many pages, which a
crawl of the same site without a hook tells. Exit code 1 below --share of the lesser of the two.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import NamedTuple

from harness.flat import flat_site
from harness.report import note, print_table, write_json

import gossamer
from gossamer.demosite import DemoPlan, DemoProcess

SLEEP_SECONDS = 0.05
SLEEPING_TOES = 20


class NoHook(gossamer.WebCrawler):
    pass


class DefVisit(gossamer.WebCrawler):
    def visit(self, page: gossamer.Page) -> None:
        pass


class AsyncVisit(gossamer.WebCrawler):
    async def visit(self, page: gossamer.Page) -> None:
        pass


class Asking(gossamer.WebCrawler):
    links = 0

    def should_visit(self, page: gossamer.Page, url: gossamer.Link) -> bool:
        Asking.links += 1
        return url.host != "nowhere.example"


class Sleeping(gossamer.WebCrawler):
    def on_start(self) -> None:
        self.local_data = []

    def visit(self, page: gossamer.Page) -> None:
        self.local_data.append(time.monotonic())
        time.sleep(SLEEP_SECONDS)


KINDS = {"none": NoHook, "def visit": DefVisit, "async def visit": AsyncVisit, "should_visit": Asking}


class Cost(NamedTuple):
    pages: int
    cpu_seconds: float
    wall_seconds: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1000, help="of the demo site for the CPU (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="of each kind (%(default)s)")
    parser.add_argument("--toes", type=int, default=20, help="of the crawls for the CPU (%(default)s)")
    parser.add_argument("--sleeping-pages", type=int, default=5000, help="(%(default)s)")
    parser.add_argument("--share", type=float, default=0.9, help="of 400 pages/s that is good (%(default)s)")
    parser.add_argument("--json", type=Path, help="write the result here")
    options = parser.parse_args()
    costs = measure_cpu(options.pages, options.rounds, options.toes)
    base = costs["none"].cpu_seconds / costs["none"].pages
    rows = []
    for kind, cost in costs.items():
        each = cost.cpu_seconds / cost.pages
        rows.append((kind, cost.pages, each * 1e6, (each - base) * 1e6, cost.pages / cost.wall_seconds))
    print_table(("hooks", "pages", "CPU/page, us", "more than none, us", "pages/s"), rows)
    print(f"should_visit was asked {Asking.links // options.rounds:,} times in a crawl\n")
    called, rate, plain = measure_sleeping(options.sleeping_pages)
    best = min(plain, SLEEPING_TOES / SLEEP_SECONDS)
    print(
        f"a visit of {SLEEP_SECONDS * 1000:.0f} ms, {SLEEPING_TOES} toes: {called:,} calls, {rate:.0f}/s"
        f" of {SLEEPING_TOES / SLEEP_SECONDS:.0f}; without a hook {plain:.0f} pages/s"
    )
    write_json(options.json, {"cpu": costs, "sleeping_rate": rate, "sleeping_share": rate / best})
    return 0 if rate >= options.share * best else 1


def measure_cpu(pages: int, rounds: int, toes: int) -> dict[str, Cost]:
    """The least CPU of each kind of crawl."""
    best: dict[str, Cost] = {}
    with DemoProcess(DemoPlan(pages=pages, oddities=False)) as site:
        for number in range(rounds + 1):
            kinds = list(KINDS.items())
            for kind, crawler in kinds[number % len(kinds) :] + kinds[: number % len(kinds)]:
                cost = crawl(site.seeds, crawler, toes)
                note(f"round {number}, {kind}: {cost.cpu_seconds / cost.pages * 1e6:.0f} us CPU per page")
                if number == 0:
                    Asking.links = 0  # imports and caches: not counted
                elif kind not in best or cost.cpu_seconds < best[kind].cpu_seconds:
                    best[kind] = cost
    return best


def crawl(seeds: list[str], crawler: type[gossamer.WebCrawler], toes: int) -> Cost:
    controller = gossamer.CrawlController(config(toes))
    controller.add_seeds(seeds)
    cpu = time.process_time()
    outcome = controller.start(crawler)
    assert outcome is not None
    return Cost(outcome.progress.counts.pages, time.process_time() - cpu, outcome.seconds)


def config(toes: int) -> gossamer.CrawlConfig:
    politeness = gossamer.Politeness(delay=0, delay_factor=0, connections_per_host=min(64, toes))
    return gossamer.CrawlConfig(toes=toes, politeness=politeness, scope=gossamer.Scope(max_embed_hops=0))


def measure_sleeping(pages: int) -> tuple[int, float, float]:
    """How many times a sleeping visit was called, how often in a second, and pages per second without a hook."""
    with flat_site(pages) as url:
        plain = crawl([url], NoHook, SLEEPING_TOES)
        controller = gossamer.CrawlController(config(SLEEPING_TOES))
        controller.add_seed(url)
        controller.start(Sleeping)
    calls = sorted(moment for data in controller.local_data for moment in data)
    # The first call is the start page's, which leads to all others: until it is through the toes have nothing to do.
    seconds = calls[-1] + SLEEP_SECONDS - calls[1]
    return len(calls), (len(calls) - 1) / seconds, plain.pages / plain.wall_seconds


if __name__ == "__main__":
    sys.exit(main())
