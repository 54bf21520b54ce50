"""Which queue comes first: a number from 0 to 255 per queue, lower first, decided when the queue is made.

Queues of the same precedence take turns; one of a higher number gets its turn only while none of a lower waits. This
orders queues, `priority` orders the URIs within one.
"""

from __future__ import annotations

from collections.abc import Callable

from gossamer.model.crawluri import ClassKey

QueuePrecedence = Callable[[ClassKey], int]

ORDINARY = 128
"""The middle, so that a queue can be put before or behind the others."""


def equal(class_key: ClassKey) -> int:
    """All queues alike."""
    return ORDINARY
