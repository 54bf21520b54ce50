"""The event bus: typed events to whoever subscribed, in order, at once, on the publisher's own call.

A subscriber that raises is logged and counted and harms nobody. A subscriber must not block: one with slow work to do
puts the event into a queue of its own.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable
from typing import Any, TypeVar

E = TypeVar("E")

log = logging.getLogger(__name__)


class EventBus:
    """Event type -> subscribers."""

    def __init__(self) -> None:
        self._subscribers: dict[type, list[Callable[[Any], None]]] = defaultdict(list)
        self.errors = 0

    def subscribe(self, event_type: type[E], subscriber: Callable[[E], None]) -> Callable[[], None]:
        """Call `subscriber` for each event of exactly this type; returns what ends the subscription."""
        self._subscribers[event_type].append(subscriber)

        def unsubscribe() -> None:
            if subscriber in self._subscribers[event_type]:
                self._subscribers[event_type].remove(subscriber)

        return unsubscribe

    def publish(self, event: object) -> None:
        for subscriber in tuple(self._subscribers.get(type(event), ())):
            try:
                subscriber(event)
            except Exception:
                self.errors += 1
                log.exception("a subscriber to %s failed", type(event).__name__)
