"""A crawl that is paused, resumed, resized, checkpointed, terminated and killed: does it come out as if undisturbed?

Each run crawls a demo site of its own and is given random commands on the way; see harness/commanding.py. Afterwards
the archive must be what the site knows of itself, each state and step in the table, and the delay kept as the server's
kernel saw it. Exit code 1 on any violation.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, fields, replace
from pathlib import Path

from harness.commanding import COMMANDS, CommandPlan, CommandRun, command_crawl
from harness.report import note, print_table, write_json
from harness.states import table_of_program

from gossamer.demosite import DemoPlan


def main() -> int:
    """Run as often as asked; returns the exit code."""
    options = _options()
    site = DemoPlan(pages=options.pages, hosts=options.hosts)
    plan = CommandPlan(site=site, commands=options.commands, delay=options.delay, run_seconds=options.timeout)
    table = table_of_program()
    runs: list[CommandRun] = []
    end = time.monotonic() + options.minutes * 60
    with tempfile.TemporaryDirectory(prefix="commands-") as scratch:
        folder = options.keep or Path(scratch)
        for seed in range(options.seed, options.seed + options.runs):
            if time.monotonic() > end:
                break
            run = command_crawl(plan, seed, table, folder / f"run-{seed}", note)
            runs.append(run)
            done = f"{run.given.total()} commands given, {run.refused.total()} refused"
            note(f"run {seed}: {run.seconds:.0f} s, {done}, {len(run.problems)} violations")
            if not options.keep and not run.problems:
                shutil.rmtree(folder / f"run-{seed}")
    _show(runs, options.runs)
    write_json(options.json, {"asked": options.runs, "runs": [_as_json(run) for run in runs]})
    return 1 if not runs or any(run.problems for run in runs) else 0


def _show(runs: list[CommandRun], asked: int) -> None:
    header = ("run", "s", "given", "refused", "launches", "kills", "URLs", "lost", "twice", "refetched")
    print_table((*header, "least gap ms", "early ms", "pause s", "violations"), map(_row, runs))
    print()
    given = sum((run.given for run in runs), Counter[str]())
    refused = sum((run.refused for run in runs), Counter[str]())
    print_table(("command", "given", "refused"), [(name, given[name], refused[name]) for name in COMMANDS])
    print()
    states = sum((run.states for run in runs), Counter[str]())
    polled = sum((run.polled for run in runs), Counter[str]())
    rows = [(name, states[name], polled[name]) for name in sorted(states | polled)]
    print_table(("state", "in job.log", "found by asking"), rows)
    print(f"\n{len(runs)} of {asked} runs were made")
    if unjudged := sum(run.gaps is None for run in runs):
        print(f"the gaps of {unjudged} were not judged: this system does not tell when a request came")
    for run in runs:
        for problem in run.problems:
            print(f"run {run.seed}: {problem}")


def _row(run: CommandRun) -> tuple[object, ...]:
    audit, gaps = run.audit, run.gaps
    archive = (audit.urls, audit.lost, audit.twice) if audit else ("", "", "")
    times = tuple(value * 1000 for value in (gaps.least, gaps.early)) if gaps else ("", "")
    commands = (run.given.total(), run.refused.total(), run.launches, run.given["kill"])
    return (run.seed, run.seconds, *commands, *archive, run.refetched, *times, run.slowest_pause, len(run.problems))


def _as_json(run: CommandRun) -> dict[str, object]:
    # A Counter is no dict that `asdict` can copy.
    counts = {f.name: dict(value) for f in fields(run) if isinstance(value := getattr(run, f.name), Counter)}
    return asdict(replace(run, **{name: {} for name in counts})) | counts


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2000, help="of the demo site (%(default)s)")
    parser.add_argument("--hosts", type=int, default=4, help="over which they are dealt out (%(default)s)")
    parser.add_argument("--runs", type=int, default=20, help="each with the next seed (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the first run's random choices (%(default)s)")
    parser.add_argument("--commands", type=int, default=30, help="in each run (%(default)s)")
    parser.add_argument("--delay", type=float, default=0.01, help="seconds, per host (%(default)s)")
    parser.add_argument("--timeout", type=float, default=300, help="seconds after which a run hangs (%(default)s)")
    parser.add_argument("--minutes", type=float, default=600, help="begin no run after so many (%(default)s)")
    parser.add_argument("--keep", type=Path, help="work in this folder and keep it")
    parser.add_argument("--json", type=Path, help="write the result here")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
