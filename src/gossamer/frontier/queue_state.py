"""The states of a WorkQueue, as a table.

| state     | ready deque | snoozed | inactive | items to hand out | in process                                        |
|-----------|-------------|---------|----------|-------------------|---------------------------------------------------|
| READY     | must        | -       | -        | must              | < connections                                     |
| BUSY      | -           | -       | -        | may               | = connections, or no item left, or held           |
| SNOOZED   | -           | must    | -        | may               | < connections                                     |
| INACTIVE  | -           | -       | must     | must              | 0                                                 |
| RETIRED   | -           | -       | -        | do not count      | may                                               |
| EXHAUSTED | -           | -       | -        | not               | 0                                                 |

*Held* means that the next URI must wait for something that is under way: the host's robots.txt, or (with several
connections and a delay) the moment at which the last request is really sent.

The state of a queue follows from facts about it (`state_of`). Which states an event may lead to is the second table,
`ALLOWED`; `next_state` applies both, and raises for a move that must not happen. Pure: no clock, no store.
"""

from __future__ import annotations

from enum import Enum

import msgspec

from gossamer.errors import StateError


class QueueState(Enum):
    """Where a WorkQueue stands."""

    # Enum's own hash is written in Python and ten times slower; members are single objects.
    __hash__ = object.__hash__

    READY = "ready"
    """Its next URI may be handed out now."""
    BUSY = "busy"
    """It is being worked on and gives no further URI until something comes back."""
    SNOOZED = "snoozed"
    """Its host rests; a time is set at which it wakes."""
    INACTIVE = "inactive"
    """It waits for its turn in the store, and is no object in memory."""
    RETIRED = "retired"
    """Its URIs are kept but not crawled, until it is revived."""
    EXHAUSTED = "exhausted"
    """It has no URIs; one that is scheduled brings it back."""


# On the way of every URI these stand for the members: to look a name up in an Enum takes 0.1 µs before Python 3.12.
READY, BUSY, SNOOZED, INACTIVE, RETIRED, EXHAUSTED = QueueState


class QueueEvent(Enum):
    """What can happen to a WorkQueue."""

    __hash__ = object.__hash__

    SCHEDULED = "scheduled"
    """URIs were added."""
    ACTIVATED = "activated"
    """Its turn came, or a new session began."""
    TAKEN = "taken"
    """A URI was handed out."""
    STARTED = "started"
    """The request for a URI was sent."""
    RETURNED = "returned"
    """A URI was given back."""
    FINISHED = "finished"
    """A URI was settled."""
    WOKEN = "woken"
    """Its time came."""
    HELD = "held"
    """A toe claimed the fetch of its robots.txt."""
    FREED = "freed"
    """That claim ended."""
    PURGED = "purged"
    """URIs were deleted by the operator."""
    RETIRED = "retired"
    """The operator, or a spent budget, took it out of the crawl."""
    REVIVED = "revived"
    """The operator brought it back."""
    CHANGED = "changed"
    """Another number of connections is allowed."""


SCHEDULED, TAKEN, FINISHED = QueueEvent.SCHEDULED, QueueEvent.TAKEN, QueueEvent.FINISHED


class Facts(msgspec.Struct, frozen=True, gc=False):
    """All that decides the state of a queue."""

    items: int
    """URIs that could be handed out: stored, and not in process."""
    in_process: int
    connections: int
    is_held: bool = False
    is_resting: bool = False
    """Its wake time lies ahead."""
    is_spent: bool = False
    """Its session is over and it stands in the inactive FIFO again."""
    is_retired: bool = False


def state_of(facts: Facts) -> QueueState:
    """The one state that the facts allow."""
    if facts.is_retired:
        return RETIRED
    if facts.is_held or facts.in_process >= facts.connections:
        return BUSY
    if facts.is_resting:
        return SNOOZED
    if facts.is_spent and facts.in_process == 0 and facts.items:
        return INACTIVE
    if facts.items and not facts.is_spent:
        return READY
    return BUSY if facts.in_process else EXHAUSTED


_S, _E = QueueState, QueueEvent
_ANY = frozenset(QueueState)
_LIVE = frozenset({_S.READY, _S.BUSY, _S.SNOOZED, _S.INACTIVE, _S.EXHAUSTED})

# A snoozed queue whose time has come is not told of it until somebody wants a URI: any event may find it so.
ALLOWED: dict[tuple[QueueState, QueueEvent], frozenset[QueueState]] = {
    (_S.READY, _E.SCHEDULED): frozenset({_S.READY}),
    (_S.BUSY, _E.SCHEDULED): frozenset({_S.READY, _S.BUSY}),
    (_S.SNOOZED, _E.SCHEDULED): _LIVE,
    (_S.INACTIVE, _E.SCHEDULED): frozenset({_S.INACTIVE}),
    (_S.RETIRED, _E.SCHEDULED): frozenset({_S.RETIRED}),
    (_S.EXHAUSTED, _E.SCHEDULED): frozenset({_S.INACTIVE, _S.READY, _S.SNOOZED}),
    (_S.READY, _E.ACTIVATED): frozenset({_S.READY}),
    (_S.BUSY, _E.ACTIVATED): frozenset({_S.BUSY, _S.READY}),
    (_S.SNOOZED, _E.ACTIVATED): frozenset({_S.SNOOZED, _S.READY, _S.BUSY}),
    (_S.INACTIVE, _E.ACTIVATED): frozenset({_S.READY, _S.SNOOZED}),
    (_S.READY, _E.TAKEN): frozenset({_S.READY, _S.BUSY}),
    (_S.READY, _E.STARTED): frozenset({_S.READY, _S.SNOOZED}),
    (_S.BUSY, _E.STARTED): frozenset({_S.BUSY, _S.READY, _S.SNOOZED}),
    (_S.SNOOZED, _E.STARTED): _LIVE,
    (_S.RETIRED, _E.STARTED): frozenset({_S.RETIRED}),
    (_S.READY, _E.RETURNED): _LIVE,
    (_S.BUSY, _E.RETURNED): _LIVE,
    (_S.SNOOZED, _E.RETURNED): _LIVE,
    (_S.RETIRED, _E.RETURNED): frozenset({_S.RETIRED}),
    (_S.READY, _E.FINISHED): _LIVE,
    (_S.BUSY, _E.FINISHED): _LIVE,
    (_S.SNOOZED, _E.FINISHED): _LIVE,
    (_S.RETIRED, _E.FINISHED): frozenset({_S.RETIRED}),
    (_S.SNOOZED, _E.WOKEN): _LIVE,
    (_S.READY, _E.HELD): frozenset({_S.BUSY}),
    (_S.BUSY, _E.HELD): frozenset({_S.BUSY}),
    (_S.SNOOZED, _E.HELD): frozenset({_S.BUSY}),
    (_S.INACTIVE, _E.HELD): frozenset({_S.BUSY}),
    (_S.EXHAUSTED, _E.HELD): frozenset({_S.BUSY}),
    (_S.RETIRED, _E.HELD): frozenset({_S.RETIRED}),
    (_S.READY, _E.FREED): _LIVE,
    (_S.BUSY, _E.FREED): _LIVE,
    (_S.SNOOZED, _E.FREED): _LIVE,
    (_S.RETIRED, _E.FREED): frozenset({_S.RETIRED}),
    **{(state, _E.PURGED): _LIVE for state in _LIVE},
    (_S.RETIRED, _E.PURGED): frozenset({_S.RETIRED}),
    **{(state, _E.RETIRED): frozenset({_S.RETIRED}) for state in _ANY},
    **{(state, _E.REVIVED): _LIVE for state in _ANY},
    **{(state, _E.CHANGED): _LIVE for state in _LIVE},
    (_S.RETIRED, _E.CHANGED): frozenset({_S.RETIRED}),
}


MOVES = frozenset((state, event, target) for (state, event), targets in ALLOWED.items() for target in targets)
"""The same as one set, for who has found out the target already."""


def next_state(state: QueueState, event: QueueEvent, facts: Facts) -> QueueState:
    """Where `event` takes a queue in `state` whose facts are now `facts`.

    Raises StateError for an event the state does not know, or a state that the event cannot lead to.
    """
    target = state_of(facts)
    allowed = ALLOWED.get((state, event))
    if allowed is None:
        known = [known_event.value for known_state, known_event in ALLOWED if known_state is state]
        raise StateError(f"a queue that is {state.value} cannot be {event.value}", allowed=known)
    if target not in allowed:
        raise StateError(
            f"{event.value} cannot take a queue from {state.value} to {target.value} ({facts})",
            allowed=[choice.value for choice in allowed],
        )
    return target
