"""Several contestants over the same course, one after another, again and again.

One crawl that is not counted comes first: it warms the server's and the file system's caches, compiles modules, and
finds the URLs that the floor asks for. Then each round runs everybody once, every second round in reverse order, so
that a machine that is busy for a while, or warms up, is so for all. A run that fails is told and left out.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .contestants import Contestant, Course, Failed, GossamerCrawl, Result
from .report import note


@dataclass(slots=True)
class Race:
    """All results so far, and what went wrong."""

    contestants: Sequence[Contestant]
    course: Course
    folder: Path
    """Where the runs put what they write; emptied after each."""
    results: list[Result] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def warm_up(self, crawl: GossamerCrawl) -> None:
        """The crawl that is not counted. Raises Failed."""
        self._run(crawl)

    def round(self, number: int) -> None:
        """Run everybody once; rounds count from 1."""
        for contestant in order(self.contestants, number):
            try:
                result = self._run(contestant)
            except Failed as error:
                self.failed(f"{contestant.name}, round {number}", error)
            else:
                note(f"round {number}: {result.name}: {result.cpu_us_per_page:,.0f} µs/page, {result.pages:,} pages")
                self.results.append(result)

    def failed(self, what: str, error: Failed) -> None:
        """Note it, and go on."""
        note(f"{what}: {error}")
        self.failures.append(f"{what}: {str(error).splitlines()[0]}")

    def _run(self, contestant: Contestant) -> Result:
        folder = self.folder / contestant.name
        try:
            return contestant.run(self.course, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def order(contestants: Sequence[Contestant], number: int) -> Sequence[Contestant]:
    """Who runs when in this round."""
    return contestants if number % 2 else contestants[::-1]
