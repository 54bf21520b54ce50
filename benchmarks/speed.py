"""CPU per page of a whole crawl, against the floor, over the same pages in the same run.

Rounds alternate: a crawl at delay 0, then the floor (floor.py) over exactly the URLs that the crawl's log says were
answered. Each is a process of its own; its CPU is user and system time of the process and its children, start-up and
shutdown included. The server is another process and in neither figure. A page is an HTML response with status 200.
Shown are each round, the medians and their ratio; exit code 1 if the ratio is above --limit.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from harness.crawl import CrawlCommand, Ran, run
from harness.job import read_crawl_log
from harness.report import note, print_table, write_json
from harness.sites import add_site_options, served

FLOOR = Path(__file__).with_name("floor.py")


@dataclass(frozen=True, slots=True)
class Round:
    """One crawl and the floor over the same URLs."""

    pages: int
    responses: int
    wire_bytes: int
    crawl_cpu_us_per_page: float
    floor_cpu_us_per_page: float
    crawl_wall_seconds: float
    floor_wall_seconds: float
    crawl_peak_rss_mib: float

    @property
    def ratio(self) -> float:
        return self.crawl_cpu_us_per_page / self.floor_cpu_us_per_page


class Failed(Exception):
    """A run that gives no figure."""


def measure(command: CrawlCommand, folder: Path, connections: int, timeout_seconds: float) -> Round:
    """One round. Raises Failed if either run does not end well."""
    job = folder / "job"
    crawl = run(command.line(job), folder, timeout_seconds=timeout_seconds)
    if crawl.exit_code:
        raise Failed(f"the crawl ended with exit code {crawl.exit_code}:\n{crawl.output}")
    answered = [line for line in read_crawl_log(job) if line.has_response and line.url.startswith("http://")]
    pages = sum(line.status == 200 and line.content_type == "text/html" for line in answered)
    urls = folder / "urls.txt"
    urls.write_text("".join(line.url + "\n" for line in answered), encoding="utf-8")
    floor_line = [sys.executable, str(FLOOR), str(urls), "--connections", str(connections)]
    floor = run(floor_line, folder / "floor", timeout_seconds=timeout_seconds)
    told = _told_by(floor)
    if not pages or told["responses"] != len(answered):
        raise Failed(f"{pages} pages; {len(answered)} URLs answered in the crawl, {told['responses']} by the floor")
    return Round(
        pages,
        len(answered),
        told["wire_bytes"],
        crawl.cpu_seconds * 1e6 / pages,
        floor.cpu_seconds * 1e6 / pages,
        crawl.wall_seconds,
        floor.wall_seconds,
        crawl.peak_rss_bytes / 2**20,
    )


def _told_by(floor: Ran) -> dict[str, int]:
    if floor.exit_code:
        raise Failed(f"the floor ended with exit code {floor.exit_code}:\n{floor.output}")
    told: dict[str, int] = json.loads(floor.output.splitlines()[-1])
    return told


def main() -> int:
    """Run all rounds; returns the exit code."""
    options = _options()
    extra = list(options.option)
    if options.max_pages:
        extra += ["--max-pages", str(options.max_pages)]
    rounds: list[Round] = []
    with served(options) as sites, tempfile.TemporaryDirectory(prefix="speed-") as scratch:
        command = CrawlCommand(
            seeds=sites.seeds, toes=options.toes, connections=options.connections, options=tuple(extra)
        )
        for number in range(options.rounds):
            try:
                rounds.append(measure(command, Path(scratch) / str(number), options.connections, options.timeout))
            except Failed as error:
                print(error, file=sys.stderr)
                return 1
            note(f"round {number + 1}: ratio {rounds[-1].ratio:.2f}")
    ratio = _show(rounds)
    write_json(options.json, {"rounds": [asdict(one) for one in rounds], "ratio_of_medians": ratio})
    return 0 if ratio <= options.limit else 1


def _show(rounds: Sequence[Round]) -> float:
    """Print the table; returns the ratio of the medians."""
    crawl = statistics.median(one.crawl_cpu_us_per_page for one in rounds)
    floor = statistics.median(one.floor_cpu_us_per_page for one in rounds)
    header = (
        "round",
        "pages",
        "responses",
        "MB",
        "crawl CPU µs/page",
        "floor CPU µs/page",
        "ratio",
        "crawl s",
        "floor s",
    )
    rows: list[tuple[object, ...]] = [
        (
            str(number),
            one.pages,
            one.responses,
            one.wire_bytes / 1e6,
            round(one.crawl_cpu_us_per_page),
            round(one.floor_cpu_us_per_page),
            one.ratio,
            one.crawl_wall_seconds,
            one.floor_wall_seconds,
        )
        for number, one in enumerate(rounds, 1)
    ]
    rows.append(("median", "", "", "", round(crawl), round(floor), crawl / floor, "", ""))
    print_table((*header, "peak RSS MiB"), [(*row, rss) for row, rss in zip(rows, _rss(rounds), strict=True)])
    return crawl / floor


def _rss(rounds: Sequence[Round]) -> list[int | str]:
    return [*(round(one.crawl_peak_rss_mib) for one in rounds), ""]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_site_options(parser, pages=2000)
    parser.add_argument("--rounds", type=int, default=3, help="(%(default)s)")
    parser.add_argument("--toes", type=int, default=50, help="(%(default)s)")
    parser.add_argument("--connections", type=int, default=1, help="per host, of both (%(default)s)")
    parser.add_argument("--max-pages", type=int, help="stop the crawl after so many")
    parser.add_argument("--option", action="append", default=[], help="a further option for `gossamer crawl`")
    parser.add_argument("--timeout", type=float, default=1800, help="seconds for each run (%(default)s)")
    parser.add_argument("--limit", type=float, default=3.0, help="highest ratio that is good (%(default)s)")
    parser.add_argument("--json", type=Path, help="write the result here")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
