"""Wall time of a crawl of one page, from start to exit.

The site is one HTML page without links, served by another process; each round has a new job folder. Shown are all
rounds and the median; exit code 1 if the median is above --limit seconds.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from harness.crawl import CrawlCommand, run
from harness.report import print_table, write_json
from harness.sites import static_server

PAGE = "<!DOCTYPE html>\n<title>One page</title>\n<h1>One page</h1>\n<p>Nothing leads away from here.</p>\n"


def main() -> int:
    """Run all rounds; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="(%(default)s)")
    parser.add_argument("--limit", type=float, default=1.5, help="highest good median, in seconds (%(default)s)")
    parser.add_argument("--option", action="append", default=[], help="a further option for `gossamer crawl`")
    parser.add_argument("--json", type=Path, help="write the result here")
    options = parser.parse_args()
    walls: list[float] = []
    rows: list[tuple[object, ...]] = []
    with tempfile.TemporaryDirectory(prefix="one-page-") as scratch:
        site = Path(scratch) / "site"
        site.mkdir()
        (site / "index.html").write_text(PAGE, encoding="utf-8")
        with static_server(site) as url:
            command = CrawlCommand(seeds=(url,), options=tuple(options.option))
            for number in range(options.rounds):
                ran = run(command.line(Path(scratch) / f"job-{number}"), Path(scratch) / f"out-{number}")
                if ran.exit_code:
                    print(f"exit code {ran.exit_code}:\n{ran.output}", file=sys.stderr)
                    return 1
                walls.append(ran.wall_seconds)
                rows.append((str(number + 1), ran.wall_seconds, ran.cpu_seconds, round(ran.peak_rss_bytes / 2**20)))
    median = statistics.median(walls)
    rows.append(("median", median, "", ""))
    print_table(("round", "wall s", "CPU s", "peak RSS MiB"), rows)
    write_json(options.json, {"wall_seconds": walls, "median_seconds": median})
    return 0 if median <= options.limit else 1


if __name__ == "__main__":
    sys.exit(main())
