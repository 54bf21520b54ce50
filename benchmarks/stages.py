"""CPU per page of a whole crawl by stage: where does the time go?

Rounds alternate: a crawl at delay 0 under a sampling profiler (harness/sampler.py), then the same crawl without it,
which tells what the profiler itself costs. A sample belongs to the innermost function on its stack whose module has a
stage, so what a library in C takes is charged to the stage that called it, and what a shared module (model, util,
storage) takes to the stage that it was taken for. Shown is the sum over all rounds, per HTML page with status 200.
What is in them beyond their names is told in harness/stagetable.py. The figures of a stage are good to a per cent or so
of the whole: the kernel's tick gives 250 samples a second of CPU.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from harness.contestants import Course, Failed, GossamerCrawl, visiting
from harness.crawl import GOSSAMER
from harness.report import note, print_table, write_json
from harness.sites import add_site_options, served
from harness.stagetable import ORDER, REST, STORES_THREADS, judge

SAMPLER = Path(__file__).parent / "harness" / "sampler.py"


@dataclass(slots=True)
class Profile:
    """Sums over all rounds."""

    pages: int = 0
    seconds: Counter[str] = field(default_factory=Counter)
    """By stage."""
    functions: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By stage and innermost function of the crawler, `module:name`."""
    sampled_seconds: float = 0.0
    """CPU of the sampled crawls, by the kernel's count, start-up and shutdown of the interpreter included."""
    plain_seconds: float = 0.0
    """CPU of the crawls without the sampler."""
    own_seconds: float = 0.0
    """CPU of the sampler within its samples."""
    samples: int = 0

    def add(self, told: dict[str, object], cpu_seconds: float, pages: int) -> None:
        """Take in one sampled crawl."""
        stacks: dict[str, float] = told["stacks"]  # type: ignore[assignment]
        for text, seconds in stacks.items():
            stage, function = judge(text.split(" "))
            self.seconds[stage] += seconds
            self.functions[stage, function] += seconds
        seen = sum(stacks.values()) + told["own_seconds"]  # type: ignore[operator]
        self.seconds[STORES_THREADS] += max(0.0, told["process_seconds"] - seen)  # type: ignore[operator]
        self.own_seconds += told["own_seconds"]  # type: ignore[operator]
        self.samples += told["samples"]  # type: ignore[operator]
        self.sampled_seconds += cpu_seconds
        self.pages += pages
        # What came before the first sample and after the last is the interpreter's.
        self.seconds[REST] += max(0.0, cpu_seconds - told["process_seconds"])  # type: ignore[operator]


def measure(profile: Profile, options: argparse.Namespace, course: Course, folder: Path) -> None:
    """One round: sampled, then plain. Raises Failed if either does not end well."""
    out = folder / "samples.json"
    further = tuple(options.option)
    program = visiting(options.visit) if options.visit else GOSSAMER
    sampled_program = (*program[1:], "--main-thread") if options.visit else ("gossamer",)
    under_sampler = (sys.executable, str(SAMPLER), str(out), *sampled_program)
    sampled = GossamerCrawl(options.toes, further, under_sampler).run(course, folder / "sampled")
    profile.add(json.loads(out.read_text(encoding="utf-8")), sampled.cpu_seconds, sampled.pages)
    plain = GossamerCrawl(options.toes, further, program).run(course, folder / "plain")
    profile.plain_seconds += plain.cpu_seconds * sampled.pages / plain.pages


def main() -> int:
    """Run all rounds; returns the exit code."""
    options = _options()
    profile = Profile()
    with served(options) as sites, tempfile.TemporaryDirectory(prefix="stages-") as scratch:
        course = Course(seeds=sites.seeds, connections=options.connections, timeout_seconds=options.timeout)
        for number in range(options.rounds):
            folder = Path(scratch) / str(number)
            folder.mkdir()
            try:
                measure(profile, options, course, folder)
            except Failed as error:
                print(error, file=sys.stderr)
                return 1
            note(f"round {number + 1}: {profile.sampled_seconds * 1e6 / profile.pages:.0f} µs of CPU a page so far")
    show(profile, options.functions)
    write_json(options.json, as_json(profile))
    return 0


def show(profile: Profile, functions: int) -> None:
    """Print the table of stages, and so many functions of each."""
    whole = profile.seconds.total()
    rows: list[tuple[object, ...]] = []
    for stage in ORDER:
        seconds = profile.seconds[stage]
        rows.append((stage, round(seconds * 1e6 / profile.pages), 100 * seconds / whole))
        inside = Counter({name: s for (other, name), s in profile.functions.items() if other == stage})
        for name, s in inside.most_common(functions):
            rows.append((f"  {name.removeprefix('gossamer.')}", round(s * 1e6 / profile.pages), 100 * s / whole))
    rows.append(("all", round(whole * 1e6 / profile.pages), 100.0))
    print_table(("stage", "CPU µs/page", "%"), rows)
    own = profile.own_seconds / profile.samples if profile.samples else 0.0
    print(
        f"\n{profile.pages:,} pages, {profile.samples:,} samples. The profiler took {own * 1e6:.0f} µs a sample, left out"
        f" above; a crawl under it took {profile.sampled_seconds / profile.plain_seconds:.3f} × the CPU of one without."
    )


def as_json(profile: Profile) -> dict[str, object]:
    """The same for programs; all times are CPU µs per page."""
    per_page = 1e6 / profile.pages
    functions: dict[str, dict[str, float]] = {stage: {} for stage in ORDER}
    for (stage, name), seconds in profile.functions.most_common():
        functions[stage][name] = seconds * per_page
    return {
        "pages": profile.pages,
        "samples": profile.samples,
        "stages": {stage: profile.seconds[stage] * per_page for stage in ORDER},
        "functions": functions,
        "all": profile.seconds.total() * per_page,
        "profiler": profile.own_seconds * per_page,
        "unprofiled": profile.plain_seconds * per_page,
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_site_options(parser, pages=2000)
    parser.add_argument("--rounds", type=int, default=3, help="(%(default)s)")
    parser.add_argument("--toes", type=int, default=50, help="(%(default)s)")
    parser.add_argument("--connections", type=int, default=1, help="per host (%(default)s)")
    parser.add_argument("--functions", type=int, default=0, help="show so many of each stage, too (%(default)s)")
    parser.add_argument("--visit", choices=("def", "async"), default="", help="crawl from Python with an empty visit")
    parser.add_argument("--option", action="append", default=[], help="a further option for `gossamer crawl`")
    parser.add_argument("--timeout", type=float, default=1800, help="seconds for each run (%(default)s)")
    parser.add_argument("--json", type=Path, help="write the result here")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
