"""CPU per page of a whole crawl, of the floor, and of other crawlers, side by side over the same sites.

Everybody gets the same seeds, page limit and number of requests at once, and no delay; the runs are interleaved over
several rounds (harness/race.py), and what each does is in harness/contestants.py. CPU is user and system time of the
whole process tree, start-up and shutdown included; the server is another process and in no figure. A page is an HTML
response with status 200. Without peers it is a race of two: the crawl against the floor.

    compare.py --peers scrapy wget                             on a demo site with the sizes and links of real manuals
    compare.py --peers scrapy --sites-script PATH              on what a script serves (see harness/sites.py)
    compare.py --peer-driver 'other=python3 other.py' URL …    with another crawler's driver (see harness/contestants.py)

Exit code 1 if a run failed or a goal is not reached: --limit, --rss-limit, --lead.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from harness.contestants import Contestant, Course, Driver, Failed, Floor, GossamerCrawl, parse_driver, visiting
from harness.crawl import GOSSAMER
from harness.machine import load, machine
from harness.race import Race
from harness.report import write_json
from harness.sites import add_site_options, served
from harness.stagecosts import STAGES, stage_costs, stage_table
from harness.standings import Goals, Standing, standings, standings_table, unmet
from harness.venv import cache_folder, interpreter

PEERS = {
    "scrapy": ("scrapy==2.19.0", "scrapy_links.py", "nothing"),
    "wget": ("", "wget_warc.py", "WARC"),
}
"""Name -> what it needs from the package index, its driver in peers/, what it stores."""
READ_WITH_CARE = (
    "A page is an HTML response with status 200. CPU: of the whole process tree, start to exit, minimum and median of"
    " the rounds; noise only adds, so the minimum is the figure. pages/s: start to exit, server and crawler sharing the"
    " cores. Peak RSS: of the largest process."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all rounds; returns the exit code."""
    options = _options(arguments)
    program = visiting(options.visit) if options.visit else GOSSAMER
    crawl = GossamerCrawl(toes=options.toes, options=tuple(options.option), program=program)
    contestants: list[Contestant] = [crawl, Floor(crawl), *map(_peer, options.peers), *options.peer_driver]
    costs: dict[str, float] = {}
    before = load()
    with served(options) as sites, tempfile.TemporaryDirectory(prefix="compare-", dir=options.scratch) as scratch:
        course = Course(
            seeds=sites.seeds,
            connections=options.connections,
            pages=options.max_pages,
            timeout_seconds=options.timeout,
        )
        race = Race(contestants, course, Path(scratch))
        try:
            race.warm_up(crawl)
        except Failed as error:
            print(error, file=sys.stderr)
            return 1
        for number in range(1, options.rounds + 1):
            race.round(number)
        if options.stages and STAGES.exists():
            try:
                costs = stage_costs(crawl, course, options.stages, Path(scratch) / "stages")
            except Failed as error:
                race.failed("stages", error)
    found = standings(contestants, race.results)
    text = _report(options, course, found, costs, f"{before:.1f} before, {load():.1f} after")
    print(text, end="")
    if options.markdown:
        options.markdown.write_text(text, encoding="utf-8")
    short = [
        *race.failures,
        *unmet(found, Goals(floor_ratio=options.limit, rss_mb=options.rss_limit, leads={"scrapy": options.lead})),
    ]
    write_json(
        options.json,
        {
            "machine": machine(),
            "course": asdict(course),
            "standings": {name: asdict(one) for name, one in found.items()},
            "runs": [asdict(one) for one in race.results],
            "stages": costs,
            "not reached": short,
        },
    )
    print(*(f"\nnot reached: {sentence}" for sentence in short), sep="", file=sys.stderr)
    return 1 if short else 0


def _peer(name: str) -> Driver:
    """A crawler that is driven here, with its environment made if need be; wget is the system's own."""
    requirement, script, stores = PEERS[name]
    python = interpreter(cache_folder() / name, requirement) if requirement else sys.executable
    return Driver(name, (str(python), str(Path(__file__).parent / "peers" / script)), stores)


def _report(
    options: argparse.Namespace, course: Course, found: dict[str, Standing], costs: dict[str, float], loads: str
) -> str:
    """The Markdown: what was done, on what, the tables."""
    end = f"the first {course.pages:,} pages" if course.pages else "to the end"
    done = f"{len(course.seeds)} sites, {end}, {course.concurrency} requests at once, {options.rounds} rounds"
    done += f", an empty `{options.visit} visit`" if options.visit else ""
    facts = {**machine(), "load": loads}
    lines = [
        f"{datetime.date.today()}: {done}. {READ_WITH_CARE}\n",
        "".join(f"* {name}: {fact}\n" for name, fact in facts.items()),
        standings_table(found),
    ]
    return "\n".join([*lines, stage_table(costs)] if costs else lines)


def _driver(text: str) -> Driver:
    try:
        return parse_driver(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_site_options(parser, pages=2000)
    # Odd answers are put off and tried again: of use where completeness is asked, not speed.
    parser.set_defaults(plain=True, hosts=5)
    parser.add_argument("--peers", nargs="+", default=[], choices=tuple(PEERS), help="crawlers that are driven here")
    parser.add_argument(
        "--peer-driver", action="append", default=[], type=_driver, metavar="NAME=COMMAND", help="any other"
    )
    parser.add_argument("--rounds", type=int, default=3, help="(%(default)s)")
    parser.add_argument("--connections", type=int, default=8, help="per host, of all (%(default)s)")
    parser.add_argument("--toes", type=int, default=0, help="as many as requests at once over all hosts, if not given")
    parser.add_argument("--visit", choices=("def", "async"), default="", help="crawl from Python with an empty visit")
    parser.add_argument("--max-pages", type=int, default=0, help="stop after so many; 0: at the end (%(default)s)")
    parser.add_argument("--option", action="append", default=[], help="a further option for `gossamer crawl`")
    parser.add_argument("--stages", type=int, default=1, metavar="ROUNDS", help="of stages.py; 0: none (%(default)s)")
    parser.add_argument("--timeout", type=float, default=1800, help="seconds for each run (%(default)s)")
    parser.add_argument("--limit", type=float, default=2.0, help="highest good ratio to the floor (%(default)s)")
    parser.add_argument("--rss-limit", type=float, default=150, help="highest good peak in MB (%(default)s)")
    parser.add_argument("--lead", type=float, default=14, help="least good ratio of Scrapy to the crawl (%(default)s)")
    parser.add_argument("--scratch", type=Path, help="where runs write; the system's temporary folder otherwise")
    parser.add_argument("--markdown", type=Path, help="write the tables here, too")
    parser.add_argument("--json", type=Path, help="write the result here")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
