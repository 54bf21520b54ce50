from __future__ import annotations

import pytest

from benchmarks.harness.gaps import earliness, gaps_of
from gossamer.demosite import Request
from gossamer.demosite.arrival import MISREADING


def asked(*arrivals: float | None, host: str = "a", late: float = 0.0) -> list[Request]:
    return [Request(host, "GET", "/", (), 1, (came or 0.0) + late, arrived=came) for came in arrivals]


@pytest.mark.parametrize(
    ("starts", "early"),
    [
        ([], 0.0),
        ([5.0], 0.0),
        ([0.0, 1.0, 2.0, 7.0], 0.0),
        ([0.0, 0.75, 2.0], 0.25),  # one gap is too short
        ([0.5, 1.0, 2.0, 3.0], 0.5),  # the first came late
        ([0.0, 0.75, 1.5, 2.25], 0.75),  # each gap a little too short: it adds up
        ([0.0, 9.0, 9.5, 20.0], 0.5),  # a rest before pays for nothing
    ],
)
def test_earliness_is_that_of_the_worst_stretch(starts: list[float], early: float) -> None:
    assert earliness(starts, 1.0) == pytest.approx(early)


def test_hosts_are_judged_apart() -> None:
    gaps = gaps_of([*asked(0.0, 1.0, 2.0), *asked(0.1, 1.1, host="b")], 1.0)
    assert gaps is not None
    assert (gaps.count, gaps.below, gaps.early, gaps.is_kept) == (3, 0, 0.0, True)


def test_a_server_that_looks_late_makes_no_gap_too_short() -> None:
    gaps = gaps_of([*asked(0.0, late=0.5), *asked(1.0)], 1.0)
    assert gaps is not None and gaps.is_kept


def test_a_request_that_comes_too_early_by_more_than_a_clock_is_misread_breaks_the_law() -> None:
    kept, broken = (gaps_of(asked(0.0, 1.0 - MISREADING * part), 1.0) for part in (0.5, 2.0))
    assert kept is not None and kept.is_kept
    assert broken is not None and not broken.is_kept


def test_nothing_is_judged_where_the_kernel_does_not_tell_when_a_request_came() -> None:
    assert gaps_of(asked(0.0, None, 2.0), 1.0) is None
