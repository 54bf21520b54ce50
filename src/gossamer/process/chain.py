"""A chain: processors in a row, each of which looks at an Attempt, adds to it, and says how to go on.

Flow is a return value, never an exception. A processor that only computes is still `async`, so that one which must
wait can take its place without a change to the chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Protocol

from gossamer.model.attempt import Attempt


class Flow(Enum):
    """What a processor says at its end."""

    PROCEED = "proceed"
    """On to the next one."""
    SKIP = "skip"
    """Enough is known: leave this chain, go on with the next chain."""
    GIVE_BACK = "give back"
    """The URI goes back to its place, uncharged; nothing is settled."""


class Processor(Protocol):
    """One step. `name` stands in reports."""

    name: str

    async def process(self, attempt: Attempt) -> Flow: ...


class Chain:
    """Processors in order."""

    def __init__(self, name: str, processors: Sequence[Processor]) -> None:
        self.name = name
        self.steps = tuple((processor.name, processor.process) for processor in processors)
        """Each processor's name and what it does, as toes ask for them for every URI."""
