"""Does a crawl archive exactly what there is to find?

A breadth-first search that shares no code with the crawler (standard library: html.parser, http.client, a URL parser of
its own) walks the sites; then the crawler does, at delay 0. The search's set of URLs is held against the response
records of the WARC files. Exit code 1 on any difference: missing, archived twice, extra, or another final status.

Known limits: a link written by a script is seen by neither; pages that change between the two walks differ; query
strings with non-ASCII characters on pages that are not UTF-8 may differ; `/a?` and `/a` are taken for one URL.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from harness.comparison import Comparison, Outcome, compare
from harness.crawl import CrawlCommand, run
from harness.job import warc_files
from harness.report import note, print_table, write_json
from harness.search import Search
from harness.sites import add_site_options, served
from harness.warcs import read_archive

SHOWN = 20


def main() -> int:
    """Run both and compare; returns the exit code."""
    options = _options()
    with served(options) as sites, tempfile.TemporaryDirectory(prefix="completeness-") as scratch:
        job = options.job or Path(scratch) / "job"
        started = time.monotonic()
        search = Search(list(sites.seeds))
        search.run(_progress)
        note(f"search: {len(search.found):,} URLs in {time.monotonic() - started:.0f} s")
        command = CrawlCommand(
            seeds=sites.seeds, toes=options.toes, connections=options.connections, options=tuple(options.option)
        )
        ran = run(command.line(job), Path(scratch), timeout_seconds=options.timeout)
        note(f"crawl: exit code {ran.exit_code} after {ran.wall_seconds:.1f} s")
        archive = read_archive(warc_files(job))
    reference = {url: Outcome(found.status, found.is_html_page) for url, found in search.found.items()}
    result = compare(reference, archive.responses)
    forbidden = [record.uri for record in archive.responses if record.uri in search.forbidden]
    _show(result, [*archive.problems, *(f"forbidden by robots.txt, but fetched: {url}" for url in forbidden)])
    if ran.exit_code:
        print(f"\nthe crawl ended with exit code {ran.exit_code}:\n{ran.output}")
    write_json(options.json, _as_json(result, archive.problems, ran.exit_code))
    return 0 if result.is_equal and not archive.problems and not forbidden and ran.exit_code == 0 else 1


def _show(result: Comparison, problems: list[str]) -> None:
    print_table(("", "search", "archive", "missing", "twice", "extra", "other status"), result.rows())
    for name in ("missing", "twice", "extra", "changed"):
        urls = sorted(getattr(result, name))
        for url in urls[:SHOWN]:
            print(f"{name}: {url}")
        if len(urls) > SHOWN:
            print(f"{name}: … and {len(urls) - SHOWN:,} more")
    for problem in problems[:SHOWN]:
        print(problem)


def _as_json(result: Comparison, problems: list[str], exit_code: int) -> dict[str, object]:
    lists = {name: sorted(getattr(result, name)) for name in ("missing", "twice", "extra", "changed")}
    counts = {"search": result.reference.total(), "archive": result.archived.total()}
    return {**lists, **counts, "kinds": result.rows(), "problems": problems, "exit_code": exit_code}


def _progress(done: int, waiting: int) -> None:
    if done % 1000 == 0:
        note(f"search: {done:,} done, {waiting:,} waiting")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog="completeness.py"
    )
    add_site_options(parser, pages=500)
    parser.add_argument("--toes", type=int, default=50, help="(%(default)s)")
    parser.add_argument("--connections", type=int, default=4, help="per host (%(default)s)")
    parser.add_argument("--job", type=Path, help="keep the job folder here")
    parser.add_argument("--option", action="append", default=[], help="a further option for `gossamer crawl`")
    parser.add_argument("--timeout", type=float, default=1800, help="seconds the crawl may take (%(default)s)")
    parser.add_argument("--json", type=Path, help="write the result here")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
