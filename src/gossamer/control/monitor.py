"""Monitor: watches that no toe is stuck.

Every step of a toe is bounded by a timeout of its own; the longest is the wall clock of a fetch. A toe that is in one
step for longer than that, and a margin, is stuck on its URI: it is reported, cancelled and replaced, and its URI is
charged an attempt. The user's own hooks have a bound of their own. A toe in a thread that does not come back cannot be
ended; that is said once.
"""

from __future__ import annotations

import logging
from collections.abc import Container

from gossamer.process import ToePool, ToeReport, ToeStep
from gossamer.util.clock import Clock

log = logging.getLogger(__name__)

CHECK_SECONDS = 5.0
MARGIN_SECONDS = 60.0
"""A fetch may be repeated once on a dead connection, its page parsed and written in threads: all of it well below."""

_AT_WORK = frozenset({ToeStep.PROCESSING, ToeStep.SETTLING})


class Monitor:
    """Watches the toes of one open crawl."""

    def __init__(self, toes: ToePool, clock: Clock, wall_clock_seconds: float, unwatched: Container[str] = ()) -> None:
        """`unwatched` are names of processors that bound themselves."""
        self._toes = toes
        self._clock = clock
        self._unwatched = unwatched
        self._cap = wall_clock_seconds + MARGIN_SECONDS
        self._ended: dict[int, float] = {}
        """Serial number -> when the step began in which it was found stuck and ended."""
        self._told: set[int] = set()
        """Those of them that did not end, which was said."""
        self.stuck = 0
        """Toes found stuck so far."""

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            await self._clock.sleep(CHECK_SECONDS)
            self.look()

    def look(self) -> None:
        """End the toes that are stuck now."""
        now = self._clock.monotonic()
        reports = {report.serial: report for report in self._toes.reports() if self._is_watched(report)}
        # One that ended, or went on to another step, may be found stuck again.
        self._ended = {
            serial: since
            for serial, since in self._ended.items()
            if serial in reports and reports[serial].since == since
        }
        self._told &= self._ended.keys()
        for serial, report in reports.items():
            if now - report.since <= self._cap:
                continue
            if serial not in self._ended:
                self._end(report, now)
            elif serial not in self._told:
                self._told.add(serial)
                log.error("toe %d does not end: what it does in a thread cannot be cancelled", serial)

    def _is_watched(self, report: ToeReport) -> bool:
        return report.step in _AT_WORK and report.processor not in self._unwatched

    def _end(self, report: ToeReport, now: float) -> None:
        self.stuck += 1
        self._ended[report.serial] = report.since
        log.error(
            "toe %d is stuck in %s for %.0f s on %r; it is replaced",
            report.serial,
            report.processor or report.step.value,
            now - report.since,
            report.uri,
        )
        self._toes.kill(report.serial, is_stuck=True)
