"""RateWindow: how fast something happened lately, from one bucket a second."""

from __future__ import annotations

from collections import deque


class RateWindow:
    """URIs, pages and bytes over the last `window_seconds`."""

    def __init__(self, window_seconds: int) -> None:
        self._window = window_seconds
        self._buckets: deque[list[int]] = deque()
        """[second, URIs, pages, bytes], oldest first; at most one for each second of the window."""
        self._first: float | None = None

    def add(self, now: float, uris: int, pages: int, wire_bytes: int) -> None:
        """So many were finished at monotonic `now`, or since then in the same second."""
        second = int(now)
        if self._first is None:
            self._first = now
        if not self._buckets or self._buckets[-1][0] != second:
            self._drop_old(now)
            self._buckets.append([second, 0, 0, 0])
        bucket = self._buckets[-1]
        bucket[1] += uris
        bucket[2] += pages
        bucket[3] += wire_bytes

    def per_second(self, now: float) -> tuple[float, float, float]:
        """(URIs, pages, bytes) a second; over a shorter time while the window is not yet full, but never under 1 s."""
        self._drop_old(now)
        if self._first is None:
            return 0.0, 0.0, 0.0
        seconds = min(max(now - self._first, 1.0), float(self._window))
        totals = [sum(bucket[column] for bucket in self._buckets) for column in (1, 2, 3)]
        return totals[0] / seconds, totals[1] / seconds, totals[2] / seconds

    def _drop_old(self, now: float) -> None:
        while self._buckets and self._buckets[0][0] <= now - self._window:
            self._buckets.popleft()
