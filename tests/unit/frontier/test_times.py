from __future__ import annotations

import pytest

from gossamer.frontier.times import Times
from gossamer.testing import FakeClock


def test_a_stored_wake_time_becomes_a_moment_and_back() -> None:
    clock = FakeClock(monotonic=50.0, wall=1000.0)
    times = Times(clock, 600.0)
    assert times.wall(60.0) == 1010.0
    assert times.moment(1010.0, 50.0) == 60.0


@pytest.mark.parametrize("jump", [-1e6, 1e6])
def test_a_wall_clock_that_is_set_later_changes_nothing(jump: float) -> None:
    """P9."""
    clock = FakeClock(monotonic=50.0, wall=1000.0)
    times = Times(clock, 600.0)
    clock.set_wall(1000.0 + jump)
    assert times.wall(60.0) == 1010.0
    assert times.moment(1010.0, 50.0) == 60.0


def test_no_wake_time_lies_further_ahead_than_the_longest_rest() -> None:
    """P9."""
    times = Times(FakeClock(monotonic=50.0, wall=1000.0), 600.0)
    assert times.moment(1e9, 50.0) == 650.0
    assert times.moment(1e9, 400.0) == 650.0
