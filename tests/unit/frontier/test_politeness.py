from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.config import Politeness
from gossamer.config.settings import changed
from gossamer.frontier.politeness import (
    gap_seconds,
    longest_seconds,
    throttled_seconds,
    unreachable_seconds,
)

POLITE = Politeness(
    delay=1.0,
    delay_factor=2.0,
    max_delay=30.0,
    max_crawl_delay=300.0,
    max_retry_after=3600.0,
    host_schedule=(60.0, 300.0),
    throttle_start=5.0,
    max_throttle=100.0,
)
seconds = st.floats(0, 1e12)


@pytest.mark.parametrize(
    ("fetch", "crawl_delay", "gap"),
    [
        (0.0, None, 1.0),
        (0.4, None, 1.0),
        (4.0, None, 8.0),
        (1000.0, None, 30.0),
        (0.0, 10.0, 10.0),
        (0.0, 0.1, 1.0),
        (0.0, -5.0, 1.0),
        (0.0, 1e9, 300.0),
        (10.0, 5.0, 20.0),
    ],
)
def test_the_gap_is_the_largest_of_delay_factor_and_crawl_delay(
    fetch: float, crawl_delay: float | None, gap: float
) -> None:
    """P9."""
    assert gap_seconds(POLITE, fetch, crawl_delay) == gap


@pytest.mark.parametrize(
    ("throttles", "retry_after", "rest"),
    [
        (1, None, 5.0),
        (2, None, 10.0),
        (3, None, 20.0),
        (9, None, 100.0),
        (200, None, 100.0),
        (0, None, 5.0),
        (1, 40.0, 40.0),
        (1, 1e12, 3600.0),
        (1, 0.0, 1.0),
        (1, -3.0, 1.0),
    ],
)
def test_throttling_doubles_or_obeys_the_server(throttles: int, retry_after: float | None, rest: float) -> None:
    """P9."""
    assert throttled_seconds(POLITE, throttles, retry_after, 0.5) == rest


@given(st.integers(1, 255), st.floats(0, 1, exclude_max=True))
def test_jitter_is_a_tenth_up_or_down_and_never_beyond_the_bound(throttles: int, luck: float) -> None:
    even = throttled_seconds(POLITE, throttles, None, 0.5)
    rest = throttled_seconds(POLITE, throttles, None, luck)
    assert 0.9 * even - 1e-9 <= rest <= min(1.1 * even + 1e-9, POLITE.max_throttle)


def test_an_unreachable_host_is_given_up_after_its_schedule() -> None:
    assert [unreachable_seconds(POLITE, failures, True) for failures in (1, 2, 3)] == [60.0, 300.0, None]
    first = changed(POLITE, {"first_contact_schedule": (5.0,)})
    assert [unreachable_seconds(first, failures, False) for failures in (1, 2)] == [5.0, None]
    assert unreachable_seconds(first, 1, True) == 60.0
    assert unreachable_seconds(Politeness(host_schedule=()), 1, True) is None


@given(seconds, st.none() | seconds, st.none() | seconds, st.integers(1, 255), st.floats(0, 1, exclude_max=True))
def test_no_rest_is_longer_than_the_longest(
    fetch: float, crawl_delay: float | None, retry_after: float | None, count: int, luck: float
) -> None:
    longest = longest_seconds(POLITE)
    assert gap_seconds(POLITE, fetch, crawl_delay) <= longest
    assert throttled_seconds(POLITE, count, retry_after, luck) <= longest
    assert (unreachable_seconds(POLITE, count, True) or 0) <= longest


def test_a_delay_of_0_asks_for_no_rest_however_long_a_fetch_took_but_a_crawl_delay_does() -> None:
    politeness = Politeness(delay=0.0, delay_factor=1.0)
    assert gap_seconds(politeness, 10.0, None) == 0.0
    assert gap_seconds(politeness, 10.0, 2.5) == 2.5
