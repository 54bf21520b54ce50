"""Times: between the wall clock, in which wake times are stored, and the monotonic one, on which is waited.

The distance between the two is taken once, when the frontier opens: a wall clock that is set while the crawl runs
shortens and lengthens no rest. One that was set between two runs makes stored wake times wrong; none can be further
ahead than the longest rest, counted from the opening.
"""

from __future__ import annotations

from gossamer.util.clock import Clock


class Times:
    """One run's conversion between the clocks."""

    def __init__(self, clock: Clock, longest_seconds: float) -> None:
        self.opened = clock.monotonic()
        self._distance = clock.wall() - self.opened
        self._longest = longest_seconds

    def set_longest(self, seconds: float) -> None:
        """Rests may be as long as this from now on; those made before stay believed."""
        self._longest = max(self._longest, seconds)

    def wall(self, moment: float) -> float:
        """The wall time of a monotonic moment."""
        return moment + self._distance

    def moment(self, wake: float, now: float) -> float:
        """The monotonic moment of a stored wake time."""
        due = wake - self._distance
        return due if due <= now + self._longest else self.opened + self._longest
