"""Counting by names that strangers choose: a bounded number of names, the rest under one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Generic, TypeVar

K = TypeVar("K", int, str)


class Tally(Generic[K]):
    """How often, and how many bytes, by name. The first `max_names` names are told apart."""

    def __init__(self, max_names: int) -> None:
        self._max_names = max_names
        self._rows: dict[K, list[int]] = {}
        self._other = [0, 0]

    def add(self, name: K, count_bytes: int = 0) -> None:
        row = self._row(name)
        row[0] += 1
        row[1] += count_bytes

    def add_all(self, names: Iterable[K], sizes: Iterable[int]) -> None:
        """The same for each name with its size, in order."""
        known = self._rows.get
        for name, size in zip(names, sizes, strict=True):
            row = known(name) or self._row(name)
            row[0] += 1
            row[1] += size

    def count_all(self, names: Iterable[K]) -> None:
        """The same where sizes do not matter."""
        for name, count in Counter(names).items():
            self._row(name)[0] += count

    def _row(self, name: K) -> list[int]:
        row = self._rows.get(name)
        if row is None:
            row = self._other
            if len(self._rows) < self._max_names:
                row = self._rows[name] = [0, 0]
        return row

    def largest(self, limit: int | None = None) -> list[tuple[K, int, int]]:
        """(name, count, bytes), most frequent first."""
        rows = sorted(((name, row[0], row[1]) for name, row in self._rows.items()), key=lambda row: (-row[1], row[0]))
        return rows[:limit]

    @property
    def other(self) -> tuple[int, int]:
        """(count, bytes) of what came under names beyond `max_names`."""
        return self._other[0], self._other[1]

    @property
    def names(self) -> int:
        """How many names are told apart."""
        return len(self._rows)
