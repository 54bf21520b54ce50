"""How fast it went lately."""

from __future__ import annotations

from gossamer.stats.rate import RateWindow


def test_before_anything_happened_the_rate_is_zero() -> None:
    assert RateWindow(20).per_second(100.0) == (0.0, 0.0, 0.0)


def test_a_window_that_is_not_full_counts_over_the_time_there_was() -> None:
    rate = RateWindow(20)
    for quarter in range(16):
        rate.add(100 + quarter / 4, 1, quarter % 2 == 0, 100)
    assert rate.per_second(104.0) == (4.0, 2.0, 400.0)


def test_what_is_older_than_the_window_does_not_count() -> None:
    rate = RateWindow(10)
    for second in range(100):
        rate.add(float(second), 1, 1, 0)
    assert rate.per_second(99.0) == (1.0, 1.0, 0.0)
    assert rate.per_second(200.0) == (0.0, 0.0, 0.0)


def test_the_first_moment_is_not_taken_for_a_rate_of_thousands() -> None:
    rate = RateWindow(10)
    rate.add(5.0, 1, 1, 7)
    assert rate.per_second(5.0) == (1.0, 1.0, 7.0)


def test_memory_is_one_bucket_for_each_second_of_the_window() -> None:
    rate = RateWindow(5)
    for tenth in range(10_000):
        rate.add(tenth / 10, 1, 0, 0)
    assert len(rate._buckets) <= 6


def test_many_are_added_at_once() -> None:
    rate = RateWindow(10)
    rate.add(5.0, 3, 2, 100)
    rate.add(6.0, 1, 0, 20)
    assert rate.per_second(7.0) == (2.0, 1.0, 60.0)
