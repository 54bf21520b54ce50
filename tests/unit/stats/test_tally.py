"""Counting by names that strangers choose."""

from __future__ import annotations

from gossamer.stats.tally import Tally


def test_names_beyond_the_bound_are_counted_together() -> None:
    tally: Tally[str] = Tally(2)
    for name, size in [("a", 1), ("b", 2), ("c", 3), ("b", 4), ("d", 5), ("a", 6), ("b", 7)]:
        tally.add(name, size)
    assert tally.largest() == [("b", 3, 13), ("a", 2, 7)]
    assert tally.largest(1) == [("b", 3, 13)]
    assert tally.other == (2, 8)
    assert tally.names == 2


def test_equal_counts_are_in_the_order_of_names() -> None:
    tally: Tally[int] = Tally(10)
    for status in (500, 200, 404):
        tally.add(status)
    assert tally.largest() == [(200, 1, 0), (404, 1, 0), (500, 1, 0)]


def test_many_are_counted_as_one_by_one() -> None:
    names, sizes = ["a", "b", "a", "c", "b", "d"], [1, 2, 3, 4, 5, 6]
    together: Tally[str] = Tally(2)
    together.add_all(names, sizes)
    assert together.largest() == [("a", 2, 4), ("b", 2, 7)]
    assert together.other == (2, 10)
    together.count_all(names)
    assert together.largest() == [("a", 4, 4), ("b", 4, 7)]
    assert together.other == (4, 10)
