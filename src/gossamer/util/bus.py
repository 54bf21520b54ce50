"""The event bus: typed events to whoever subscribed, each once, in the order in which they were published.

There are two ways to listen. `subscribe` is for the program's own parts: called at once, on the publisher's own call,
and trusted to be quick. `deliver` is for everybody else's code, which may block as long as it likes: called on a thread
of its own (`util.delivery`). Either may raise: that is logged and counted, and harms nobody.

An event that is published by a subscriber waits until the one that it was called for has reached everybody, or those
who are called last would hear of the two in the wrong order.

When the last event has been published, `end` lets the deliveries come to their end, and `wait_ended` waits for that,
but not for one that is stuck.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

from gossamer.util.delivery import Delivery
from gossamer.util.tasks import blocking

E = TypeVar("E")

log = logging.getLogger(__name__)


class EventBus:
    """Event type -> subscribers. For one thread."""

    def __init__(self) -> None:
        self._subscribers: dict[type, tuple[Callable[[Any], None], ...]] = {}
        self._deliveries: list[Delivery] = []
        self._published: deque[object] = deque()
        self._is_publishing = False
        self._errors = 0
        self._dropped = 0

    @property
    def errors(self) -> int:
        """Events whose subscriber failed."""
        return self._errors + sum(delivery.errors for delivery in self._deliveries)

    @property
    def dropped(self) -> int:
        """Events that never reached a subscriber which was too slow or stuck."""
        return self._dropped + sum(delivery.dropped for delivery in self._deliveries)

    def subscribe(self, event_type: type[E], subscriber: Callable[[E], None]) -> Callable[[], None]:
        """Call `subscriber` for each event of exactly this type; returns what ends the subscription.

        It must not block: everything waits until it returns.
        """
        self._subscribers[event_type] = (*self._subscribers.get(event_type, ()), subscriber)

        def unsubscribe() -> None:
            left = list(self._subscribers[event_type])
            if subscriber in left:
                left.remove(subscriber)
                self._subscribers[event_type] = tuple(left)

        return unsubscribe

    def deliver(
        self, event_type: type[E], subscriber: Callable[[E], None], *, at_most: int | None = None
    ) -> Callable[[], None]:
        """The same for a subscriber that may block, called on a daemon thread of its own.

        `at_most` events wait for it, what comes then is dropped and counted; None = none is ever dropped, for events
        that are few. What ends the subscription returns at once; events that wait are delivered still.
        """
        self._forget_done()
        delivery = Delivery(subscriber, event_type.__name__, at_most)
        self._deliveries.append(delivery)
        unsubscribe = self.subscribe(event_type, delivery.put)

        def end() -> None:
            unsubscribe()
            delivery.end()

        return end

    def publish(self, event: object) -> None:
        """Tell everybody, at once; from within a subscriber: as soon as the present event has been told."""
        if self._is_publishing:
            self._published.append(event)
            return
        self._is_publishing = True
        try:
            self._tell(event)
            while self._published:
                self._tell(self._published.popleft())
        finally:
            self._is_publishing = False

    def _tell(self, event: object) -> None:
        for subscriber in self._subscribers.get(type(event), ()):
            try:
                subscriber(event)
            except Exception:
                self._errors += 1
                log.exception("a subscriber to %s failed", type(event).__name__)

    def end(self) -> None:
        """Nothing more will be published: deliveries end with what waits. Returns at once; idempotent."""
        for delivery in self._deliveries:
            delivery.end()

    async def wait_ended(self, patience: float, seconds: float) -> None:
        """Wait, after `end`, for the deliveries to be done.

        Those that take longer than `seconds`, or than `patience` over one event, are abandoned.
        """
        if all(delivery.is_done for delivery in self._deliveries):
            return
        until = time.monotonic() + seconds
        for delivery in self._deliveries:
            await blocking(delivery.wait_done, patience, until)

    def _forget_done(self) -> None:
        """Keep the counts of deliveries that were ended, and nothing else of them."""
        for delivery in [one for one in self._deliveries if one.is_done]:
            self._errors += delivery.errors
            self._dropped += delivery.dropped
            self._deliveries.remove(delivery)
