"""The crawl's CPU by stage, as `stages.py` beside the benchmarks measures it in crawls of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from .contestants import Course, Failed, GossamerCrawl
from .crawl import run
from .report import table

STAGES = Path(__file__).parents[1] / "stages.py"


def stage_costs(crawl: GossamerCrawl, course: Course, rounds: int, folder: Path) -> dict[str, float]:
    """CPU µs per page by stage, the dearest first. Raises Failed."""
    out = folder / "stages.json"
    line = [sys.executable, str(STAGES), *course.seeds, "--rounds", str(rounds), "--json", str(out)]
    line += ["--toes", str(crawl.toes or course.concurrency), "--connections", str(course.connections)]
    limit = ("--max-pages", str(course.pages)) if course.pages else ()
    line += [f"--option={option}" for option in (*crawl.options, *limit)]
    ran = run(line, folder, timeout_seconds=2 * rounds * course.timeout_seconds)
    if ran.exit_code:
        raise Failed(f"stages.py ended with exit code {ran.exit_code}:\n{ran.output}")
    costs: dict[str, float] = json.loads(out.read_text(encoding="utf-8"))["stages"]
    return dict(sorted(costs.items(), key=lambda cost: -cost[1]))


def stage_table(costs: dict[str, float]) -> str:
    """A Markdown table of one row."""
    return table(
        ("CPU µs/page", *costs, "all"), [("gossamer", *map(round, costs.values()), round(sum(costs.values())))]
    )
