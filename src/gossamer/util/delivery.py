"""Delivery: events brought to a subscriber that may be slow, on a daemon thread of its own.

    put (from the loop, never waits) -> a queue -> the subscriber, one event after the other -> end

What does not fit into the queue is dropped, counted, and warned of once; it is not held back until there is room, since
then whoever listens would set the pace of the crawl. A delivery without a bound drops nothing. An exception in the
subscriber is logged and counted, and the next event comes all the same.

`end` lets what waits be delivered, and the thread ends with it. Nobody can stop a thread: one whose subscriber does not
come to an end is abandoned and named in the log, is brought nothing more, and keeps no process from exiting.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

log = logging.getLogger(__name__)


class Delivery:
    """The events of one subscription."""

    def __init__(self, subscriber: Callable[[Any], None], name: str, at_most: int | None = None) -> None:
        """`name` says what is delivered; `at_most` is how many events may wait, None = any number."""
        self.errors = 0
        self.dropped = 0
        """Events that did not fit, or were left when the subscriber was abandoned."""
        self._subscriber = subscriber
        self._name = name
        self._at_most = at_most
        self._events: SimpleQueue[object] = SimpleQueue()
        self._has_ended = False
        self._is_abandoned = False
        self._moved_at = 0.0
        """Monotonic time at which it was told to end, or was done with an event, whichever is later."""
        self._thread: threading.Thread | None = None

    def put(self, event: object) -> None:
        """Have it delivered; after `end` it is ignored. For one thread."""
        if self._has_ended:
            return
        if self._at_most is not None and self._events.qsize() >= self._at_most:
            self._drop()
            return
        self._events.put(event)
        if self._thread is None:
            # Not before there is something to do: a subscription that never hears anything costs nothing.
            self._thread = threading.Thread(target=self._run, name=f"subscriber to {self._name}", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Deliver what waits, and no more; returns at once. Idempotent."""
        if not self._has_ended:
            self._has_ended = True
            self._moved_at = time.monotonic()
            self._events.put(_END)

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits; the last event may be under way."""
        return self._events.empty()

    @property
    def is_done(self) -> bool:
        """Whether it was told to end, and nothing of it is left."""
        return self._has_ended and (self._thread is None or not self._thread.is_alive())

    def wait_done(self, patience: float, until: float) -> bool:
        """Wait, having told it to end, up to the monotonic time `until`; whether it is done.

        It is abandoned then, or once an event has taken longer than `patience` seconds.
        """
        thread = self._thread
        while thread is not None and not self.is_done:
            left = min(until, self._moved_at + patience) - time.monotonic()
            if left <= 0:
                self._abandon()
                return False
            thread.join(left)
        return True

    def _abandon(self) -> None:
        if self._is_abandoned:
            return
        self._is_abandoned = True
        left = max(0, self._events.qsize() - 1)  # but for the mark of the end
        self.dropped += left
        log.error("a subscriber to %s does not come to an end and was abandoned, %d events were left", self._name, left)

    def _drop(self) -> None:
        if not self.dropped:
            log.warning(
                "a subscriber to %s is too slow: %d events wait, more are dropped and counted",
                self._name,
                self._at_most,
            )
        self.dropped += 1

    def _run(self) -> None:
        while (event := self._events.get()) is not _END and not self._is_abandoned:
            try:
                self._subscriber(event)
            except BaseException:  # even one that means to exit: nobody else hears it, and the next event may go well
                self.errors += 1
                log.exception("a subscriber to %s failed", self._name)
            self._moved_at = time.monotonic()
            del event  # or it would live until the next one comes


_END = object()
