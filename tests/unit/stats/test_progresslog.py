from __future__ import annotations

import itertools
from pathlib import Path

import msgspec
import pytest

from gossamer.stats import ProgressLog, ProgressSnapshot, congestion_ratio, progresslog
from gossamer.stats.progresslog import resident_bytes

SNAPSHOT = ProgressSnapshot(
    at=1_700_000_000.0,
    state="RUNNING",
    uris_per_second=85.04,
    bytes_per_second=2_610_000.0,
    queued=912,
    in_process=12,
    succeeded=4031,
    failed=3,
    disregarded=17,
    toes=50,
    busy_toes=12,
    congestion=1.5,
    memory=84_000_000,
)


def at(seconds: float) -> ProgressSnapshot:
    return msgspec.structs.replace(SNAPSHOT, at=seconds)


def test_each_run_begins_with_headings_and_adds_a_line_per_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "progress.log"
    for _ in range(2):
        log = ProgressLog(path)
        log.add(SNAPSHOT)
        log.add(SNAPSHOT)
    words = [line.split() for line in path.read_text().splitlines()]
    assert [line[0] for line in words] == ["time", *["2023-11-14T22:13:20Z"] * 2] * 2
    assert words[1][1:] == "RUNNING 85.0 2610 912 12 4031 3 17 50 12 1.50 84".split()
    assert len(words[0]) == len(words[1])


def test_the_file_is_bounded_and_one_older_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progresslog, "MAX_BYTES", 1000)
    path = tmp_path / "progress.log"
    log = ProgressLog(path)
    for _ in range(100):
        log.add(SNAPSHOT)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["progress.log", "progress.log.1"]
    assert all(file.stat().st_size < 1400 for file in tmp_path.iterdir())
    assert all(file.read_text().split()[0] == "time" for file in tmp_path.iterdir())


def test_snapshots_are_kept_for_the_run_in_bounded_memory_and_evenly_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progresslog, "KEPT", 10)
    log = ProgressLog(None)
    for second in range(100):
        log.add(at(float(second)))
    kept = [snapshot.at for snapshot in log.snapshots]
    assert 5 <= len(kept) <= 10
    assert kept[0] == 0.0
    steps = {after - before for before, after in itertools.pairwise(kept)}
    assert steps == {16.0}


@pytest.mark.parametrize(
    ("ready", "inactive", "in_process", "snoozed", "ratio"),
    [(0, 0, 0, 0, 0.0), (0, 0, 5, 5, 1.0), (5, 5, 5, 5, 2.0), (3, 0, 0, 0, 3.0), (0, 0, 0, 4, 1.0)],
)
def test_congestion_tells_how_many_times_more_toes_would_help(
    ready: int, inactive: int, in_process: int, snoozed: int, ratio: float
) -> None:
    assert congestion_ratio(ready=ready, inactive=inactive, in_process=in_process, snoozed=snoozed) == ratio


def test_the_memory_of_this_process_is_more_than_that_of_none() -> None:
    assert resident_bytes() > 1_000_000
