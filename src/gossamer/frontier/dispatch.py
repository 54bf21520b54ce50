"""Dispatch: who gets the next URI, and whether the frontier has got where it was told to go.

A URI that a queue can give goes to the toe that waits longest; only the toe that has just finished one comes before
them all. There is one timer, for the moment at which the next queue wakes by itself, and only while somebody waits for
it: nothing here polls. Whatever changes queues ends with `moved`, a finish with `finished`.
"""

from __future__ import annotations

from collections.abc import Callable

from gossamer.errors import FrontierClosed
from gossamer.frontier.base import FrontierTarget
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.turns import Turns
from gossamer.frontier.waiting import Milestones, Waiters
from gossamer.model.crawluri import CrawlURI
from gossamer.util.clock import Cancellable, Clock

_RUN = FrontierTarget.RUN


class Dispatch:
    """Hands out URIs while the target is RUN."""

    def __init__(
        self,
        ledger: Ledger,
        turns: Turns,
        clock: Clock,
        give_back: Callable[[CrawlURI], None],
        max_pages: int | None,
    ) -> None:
        """`give_back` takes a URI that was handed to a cancelled waiter."""
        self._ledger = ledger
        self._turns = turns
        self._clock = clock
        self._give_back = give_back
        self._max_pages = max_pages
        self._target = _RUN
        self._waiters = Waiters()
        self._milestones = Milestones()
        self._timer: tuple[float, Cancellable] | None = None
        self._is_open = True

    # ---- URIs

    async def next(self) -> CrawlURI:
        """The next URI, when there is one. Raises FrontierClosed."""
        curi = self.take()
        if curi is not None:
            return curi
        if self._target is FrontierTarget.FINISH or not self._is_open:
            raise FrontierClosed
        self._set_timer(is_awaited=True)
        return await self._waiters.wait(self._give_back)

    def take(self) -> CrawlURI | None:
        """The next URI, if there is one now."""
        if self._target is not _RUN or not self._is_open:
            return None
        # Each URI in process may turn out to be a page.
        if self._max_pages is not None and self._ledger.counters.pages + self._turns.in_process >= self._max_pages:
            return None
        return self._turns.take()

    def moved(self) -> None:
        """Queues changed: serve those who wait, set the timer, tell those who watch."""
        # Asked after every step, and mostly in vain: toes seldom wait while there is much to do.
        if self._waiters.futures:
            self._serve()
        elif self._timer is not None:
            self._set_timer(is_awaited=False)
        if self._milestones.waiting:
            self._milestones.reach(self.reached)

    def finished(self) -> None:
        """A URI was finished: as `moved`, but who waits is served in the next turn of the event loop.

        The toe that finished it is awake and asks for the next in this turn; to wake another in its place costs more
        than to find the URI.
        """
        if self._waiters.futures:
            self._waiters.tell(self._serve)
        elif self._timer is not None:
            self._set_timer(is_awaited=False)
        # Whatever may be reached by a finish is not reached while anything else is in process.
        if not self._turns.in_process and self._milestones.waiting:
            self._milestones.reach(self.reached)

    def _serve(self) -> None:
        self._give_all()
        self._set_timer(is_awaited=bool(self._waiters))

    def _give_all(self) -> None:
        while self._waiters:
            try:
                curi = self.take()
            except Exception as error:
                # Who caused this has settled his own step: it is the one who asked for a URI that cannot be served.
                self._waiters.fail(error)
                return
            if curi is None:
                return
            self._waiters.give(curi)

    def _set_timer(self, *, is_awaited: bool) -> None:
        is_needed = is_awaited and self._target is _RUN and self._is_open
        moment = self._turns.wakes_at() if is_needed else None
        if self._timer is not None:
            if moment is not None and self._timer[0] <= moment:
                # It comes early enough, and will then be set anew.
                return
            self._timer[1].cancel()
            self._timer = None
        if moment is not None:
            self._timer = (moment, self._clock.call_at(moment, self._wake))

    def _wake(self) -> None:
        self._timer = None
        self.moved()

    def set_max_pages(self, max_pages: int | None) -> None:
        """Another limit; None = none."""
        self._max_pages = max_pages
        self.moved()

    # ---- targets

    def seek(self, target: FrontierTarget) -> None:
        """Head for a target. Raises StateError for one that cannot be sought (any more)."""
        self._target.check_successor(target)
        self._target = target
        if target is FrontierTarget.FINISH:
            self._waiters.close()
        self.moved()

    @property
    def reached(self) -> FrontierTarget:
        if self._target is _RUN:
            return FrontierTarget.EMPTY if self.is_empty else FrontierTarget.RUN
        return FrontierTarget.HOLD if self._turns.in_process else self._target

    async def wait_reached(self, targets: frozenset[FrontierTarget]) -> FrontierTarget:
        return self.reached if self.reached in targets else await self._milestones.wait(targets)

    @property
    def is_empty(self) -> bool:
        counters = self._ledger.counters
        return counters.queued == counters.retired and self._turns.in_process == 0

    @property
    def is_page_limit_reached(self) -> bool:
        return self._max_pages is not None and self._ledger.counters.pages >= self._max_pages

    def close(self) -> None:
        """Send everybody away."""
        self._is_open = False
        self._waiters.close()
        self._set_timer(is_awaited=False)
