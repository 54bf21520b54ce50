"""kill -9, many times: does a crawl lose anything, fetch too much again, or leave a torn archive?

The crawl is killed at random moments, while it recovers from the kill before, and (where strace may be used) at chosen
system calls, among them the gap between the append to a WARC file and the batch that settles it. After each lap, the
job folder is audited; see harness/killing.py. Exit code 1 on any violation.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from harness.crawl import GOSSAMER, CrawlCommand
from harness.killing import KillPlan, KillReport, kill_crawl, plan_for
from harness.report import note, print_table, write_json
from harness.sites import add_site_options, served


def main() -> int:
    """Kill as asked; returns the exit code."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="kills-") as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        with served(options, log=folder / "requests.jsonl") as sites:
            command = CrawlCommand(
                seeds=sites.seeds,
                toes=options.toes,
                connections=options.connections,
                program=tuple(shlex.split(options.program)) if options.program else GOSSAMER,
                options=tuple(options.option),
            )
            more = {"between": options.between, "starting": options.starting, "seed": options.seed}
            more["run_seconds"] = options.timeout
            if sites.demo:
                plan = plan_for(sites.demo, command, options.kills, **more)
            else:
                plan = KillPlan(command=command, kills=options.kills, **more)
            report = kill_crawl(plan, folder, note)
    _show(report)
    write_json(options.json, _as_json(report))
    return 1 if report.problems else 0


def _show(report: KillReport) -> None:
    print_table(("kills", "number"), [*sorted(report.kinds().items()), ("all", report.kills)])
    print()
    print_table(
        ("", "number"),
        [
            ("laps", len(report.audits) - 1),
            ("kills between an append and its batch", report.between if report.has_strace else "no strace"),
            ("kills in a start, before anything was settled", report.starting),
            ("URLs of the last lap", report.audits[-1].urls if report.audits else 0),
            ("records checked", sum(a.records for a in report.audits)),
            ("lost", sum(a.lost for a in report.audits)),
            ("archived twice", sum(a.twice for a in report.audits)),
            ("fetched again, all kills", sum(report.refetched) if report.refetched else "no server log"),
            ("fetched again, worst kill", max(report.refetched, default=0)),
            ("violations", len(report.problems)),
        ],
    )
    for problem in report.problems:
        print(problem)


def _as_json(report: KillReport) -> dict[str, object]:
    runs = [{**asdict(run), "kind": run.kind.value if run.kind else None} for run in report.runs]
    kills = {"kills": report.kills, "between": report.between, "starting": report.starting, "kinds": report.kinds()}
    audits = [asdict(one) for one in report.audits]
    return {**kills, "runs": runs, "audits": audits, "refetched": report.refetched, "problems": report.problems}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_site_options(parser, pages=1000)
    parser.set_defaults(latency=0.02)  # so that many requests are under way when the kill comes
    parser.add_argument("--kills", type=int, default=50, help="at least so many (%(default)s)")
    parser.add_argument("--between", type=int, default=10, help="of them between append and batch (%(default)s)")
    parser.add_argument("--starting", type=int, default=5, help="of them while starting again (%(default)s)")
    parser.add_argument("--toes", type=int, default=20, help="(%(default)s)")
    parser.add_argument("--connections", type=int, default=8, help="per host (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the random choices (%(default)s)")
    parser.add_argument("--program", help="what to run instead of `python -m gossamer`")
    parser.add_argument("--option", action="append", default=[], help="a further option for `crawl`")
    parser.add_argument("--timeout", type=float, default=300, help="seconds after which a run hangs (%(default)s)")
    parser.add_argument("--keep", type=Path, help="work in this folder and keep it")
    parser.add_argument("--json", type=Path, help="write the result here")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
