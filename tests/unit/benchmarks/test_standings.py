from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.harness.contestants import Course, Failed, Result
from benchmarks.harness.race import Race, order
from benchmarks.harness.standings import Goals, standings, standings_table, unmet

COURSE = Course(seeds=("http://a.example/",), connections=1)
GOALS = Goals(floor_ratio=2.0, rss_mb=150, leads={"scrapy": 14})


@dataclass
class Fake:
    name: str
    cpu: list[float]
    """Seconds of each run; 0 fails."""
    stores: str = "nothing"
    rss: int = 100_000_000

    def run(self, course: Course, folder: Path) -> Result:
        folder.mkdir()
        (folder / "left").touch()
        cpu = self.cpu.pop(0)
        if not cpu:
            raise Failed("lost\nand why")
        return Result(
            name=self.name,
            version="1",
            pages=1000,
            responses=1100,
            body_bytes=30_000_000,
            cpu_seconds=cpu,
            wall_seconds=2 * cpu,
            peak_rss_bytes=self.rss,
        )


def raced(folder: Path, *fakes: Fake, rounds: int = 2) -> Race:
    race = Race(fakes, COURSE, folder)
    for number in range(1, rounds + 1):
        race.round(number)
    return race


def test_rounds_alternate_in_order_and_leave_nothing_behind(tmp_path: Path) -> None:
    race = raced(tmp_path, Fake("a", [1, 1, 1]), Fake("b", [1, 1, 1]), rounds=3)
    assert [one.name for one in race.results] == ["a", "b", "b", "a", "a", "b"]
    assert list(tmp_path.iterdir()) == []
    assert order((), 2) == ()


def test_the_warm_up_is_not_counted(tmp_path: Path) -> None:
    race = Race([], COURSE, tmp_path)
    race.warm_up(Fake("a", [1]))  # type: ignore[arg-type]
    assert race.results == []


def test_a_failed_run_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    fakes = Fake("a", [0, 3]), Fake("b", [1, 2])
    race = raced(tmp_path, *fakes)
    assert race.failures == ["a, round 1: lost"]
    assert {name: one.runs for name, one in standings(fakes, race.results).items()} == {"b": 2, "a": 1}


def test_a_standing_has_minimum_and_median_and_both_ratios(tmp_path: Path) -> None:
    fakes = Fake("gossamer", [1.5, 1.0, 9.0]), Fake("floor", [0.5, 0.5, 1.0]), Fake("scrapy", [20, 15, 30])
    found = standings(fakes, raced(tmp_path, *fakes, rounds=3).results)
    assert list(found) == ["floor", "gossamer", "scrapy"]
    crawl = found["gossamer"]
    assert (crawl.least_cpu_us_per_page, crawl.cpu_us_per_page) == pytest.approx((1000, 1500))
    assert crawl.ratios(found["floor"]) == pytest.approx((2.0, 3.0))
    assert found["scrapy"].ratios(crawl) == pytest.approx((15.0, 20 / 1.5))
    lines = standings_table(found).splitlines()
    assert {line.count("|") for line in lines} == {16}
    cells = [cell.strip() for cell in lines[3].split("|")[1:-1]]
    assert cells[:3] == ["gossamer", "1", "nothing"]
    assert cells[3:] == "1,000 1,100 30 1,000 1,500 333 100 2.00 3.00 1.00 1.00 3".split()
    assert unmet(found, GOALS) == []


def test_each_goal_that_is_missed_is_told(tmp_path: Path) -> None:
    fakes = Fake("gossamer", [1], rss=151_000_000), Fake("floor", [0.25]), Fake("scrapy", [6])
    race = raced(tmp_path, *fakes, rounds=1)
    assert unmet(standings(fakes, race.results), GOALS) == [
        "the crawl costs 4.00 × the floor, more than 2 ×",
        "the crawl took 151 MB, more than 150 MB",
        "scrapy costs 6.0 × the crawl, less than 14 ×",
    ]
    assert unmet(standings(fakes, race.results[:1]), GOALS) == ["there is no figure for both the crawl and the floor"]
