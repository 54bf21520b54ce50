"""Recent: what was used lately, in bounded memory.

Two dicts. What is used goes into the young one; when that is full it becomes the old one and the former old one is
forgotten. So something used at least once per `capacity` insertions stays, at the price of a dict look-up, with no
list to keep in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """A cache of at most `2 * capacity` entries."""

    __slots__ = ("_old", "_young", "capacity")

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._young: dict[K, V] = {}
        self._old: dict[K, V] = {}

    def get(self, key: K) -> V | None:
        value = self._young.get(key)
        if value is None:
            value = self._old.get(key)
            if value is not None:
                self.put(key, value)
        return value

    def put(self, key: K, value: V) -> None:
        self._young[key] = value
        if len(self._young) >= self.capacity:
            self._turn_over()

    def update(self, entries: Mapping[K, V]) -> None:
        """Put all of `entries`, by which the capacity may be exceeded: one step instead of as many calls."""
        self._young.update(entries)
        if len(self._young) >= self.capacity:
            self._turn_over()

    def _turn_over(self) -> None:
        self._old = self._young
        self._young = {}

    def forget(self, key: K) -> None:
        self._young.pop(key, None)
        self._old.pop(key, None)

    def clear(self) -> None:
        self._young = {}
        self._old = {}

    def __len__(self) -> int:
        return len(self._young) + len(self._old)
