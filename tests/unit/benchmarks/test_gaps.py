from __future__ import annotations

import pytest

from benchmarks.harness.gaps import earliness, gaps_of, without_probes
from gossamer.demosite import Request


def asked(*starts: float, host: str = "a") -> list[Request]:
    return [Request(host, "GET", "/", (), 1, start) for start in starts]


def probe(sent: float, noted: float) -> Request:
    return Request("a", "HEAD", "/robots.txt", (("x-sent", repr(sent)),), 2, noted)


@pytest.mark.parametrize(
    ("starts", "early"),
    [
        ([], 0.0),
        ([5.0], 0.0),
        ([0.0, 1.0, 2.0, 7.0], 0.0),
        ([0.0, 0.75, 2.0], 0.25),  # one gap is too short
        ([0.5, 1.0, 2.0, 3.0], 0.5),  # the first was noted late
        ([0.0, 0.75, 1.5, 2.25], 0.75),  # each gap a little too short: it adds up
        ([0.0, 9.0, 9.5, 20.0], 0.5),  # a rest before pays for nothing
    ],
)
def test_earliness_is_that_of_the_worst_stretch(starts: list[float], early: float) -> None:
    assert earliness(starts, 1.0) == pytest.approx(early)


def test_hosts_are_judged_apart_and_probes_are_no_requests() -> None:
    requests = [*asked(0.0, 1.0, 2.0), *asked(0.1, 1.1, host="b"), probe(0.5, 0.5625)]
    gaps = gaps_of(requests, 1.0)
    assert (gaps.count, gaps.below, gaps.early, gaps.late) == (3, 0, 0.0, 0.0625)
    assert without_probes(requests) == requests[:-1]


def test_gaps_are_kept_if_they_are_no_shorter_than_the_servers_own_jitter_explains() -> None:
    late = probe(0.5, 0.625)
    assert gaps_of([*asked(0.0, 0.9375), late], 1.0).is_kept
    assert not gaps_of([*asked(0.0, 0.8125), late], 1.0).is_kept
