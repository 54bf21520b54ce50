"""The crawl's state machine, as a table. Pure.

Where the crawl is (`CrawlState`) and why it ended (`ExitStatus`) are two enums. `TRANSITIONS` holds every (state,
event) pair that is allowed; `advance` applies it and raises StateError, changing nothing, for all others. The diagram
in docs/ is generated from the table (`python -m gossamer.control.state`).

    NASCENT --start--> PREPARING --ready--> RUNNING <--> EMPTY
                                     RUNNING/EMPTY --pause--> PAUSING --idle--> PAUSED --resume--> RUNNING
                                     any live state --stop/limit/failed--> STOPPING --idle--> FINISHED
"""

from __future__ import annotations

from enum import Enum

from gossamer.errors import StateError


class CrawlState(Enum):
    """Where the crawl is."""

    NASCENT = "Built; nothing is opened yet."
    PREPARING = "Opening the stores, recovering, announcing the seeds."
    RUNNING = "Toes take URIs."
    EMPTY = "Nothing is eligible, snoozed or in process."
    PAUSING = "The frontier is held; toes finish what they hold."
    PAUSED = "Stable: no URI is in process."
    STOPPING = "The frontier is held for good; toes finish what they hold."
    FINISHED = "Everything is closed; the exit status says why."


class CrawlEvent(Enum):
    """What can happen to it."""

    START = "start"
    READY = "ready"
    READY_PAUSED = "ready, and a pause was asked for"
    DRAINED = "drained"
    SCHEDULED = "scheduled"
    PAUSE = "pause"
    RESUME = "resume"
    IDLE = "all idle"
    STOP = "stop"
    LIMIT = "limit"
    TIME_LIMIT = "time limit"
    DONE = "done"
    FAILED = "failed"


class ExitStatus(Enum):
    """Why the crawl ended."""

    FINISHED = "Everything in scope was fetched."
    ABORTED = "Stopped by the operator; can be resumed."
    TIME_LIMIT = "Stopped by the time limit; can be resumed with a higher one."
    DOCUMENT_LIMIT = "Stopped by the page limit; can be resumed with a higher one."
    BYTE_LIMIT = "Stopped by the byte limit; can be resumed with a higher one."
    DISK_FULL = "Stopped for want of disk space; can be resumed when there is some."
    FAILED = "Stopped by an error; see the log."


_S = CrawlState
_E = CrawlEvent

TRANSITIONS: dict[tuple[CrawlState, CrawlEvent], CrawlState] = {
    (_S.NASCENT, _E.START): _S.PREPARING,
    (_S.NASCENT, _E.STOP): _S.FINISHED,
    (_S.PREPARING, _E.READY): _S.RUNNING,
    (_S.PREPARING, _E.READY_PAUSED): _S.PAUSED,
    (_S.PREPARING, _E.STOP): _S.STOPPING,
    (_S.PREPARING, _E.FAILED): _S.FINISHED,
    (_S.RUNNING, _E.DRAINED): _S.EMPTY,
    (_S.RUNNING, _E.PAUSE): _S.PAUSING,
    (_S.RUNNING, _E.STOP): _S.STOPPING,
    (_S.RUNNING, _E.LIMIT): _S.STOPPING,
    (_S.RUNNING, _E.TIME_LIMIT): _S.STOPPING,
    (_S.RUNNING, _E.FAILED): _S.STOPPING,
    (_S.EMPTY, _E.SCHEDULED): _S.RUNNING,
    (_S.EMPTY, _E.DONE): _S.STOPPING,
    (_S.EMPTY, _E.PAUSE): _S.PAUSING,
    (_S.EMPTY, _E.STOP): _S.STOPPING,
    (_S.EMPTY, _E.LIMIT): _S.STOPPING,
    (_S.EMPTY, _E.TIME_LIMIT): _S.STOPPING,
    (_S.EMPTY, _E.FAILED): _S.STOPPING,
    (_S.PAUSING, _E.IDLE): _S.PAUSED,
    (_S.PAUSING, _E.RESUME): _S.RUNNING,
    (_S.PAUSING, _E.STOP): _S.STOPPING,
    (_S.PAUSING, _E.LIMIT): _S.STOPPING,
    (_S.PAUSING, _E.TIME_LIMIT): _S.STOPPING,
    (_S.PAUSING, _E.FAILED): _S.STOPPING,
    (_S.PAUSED, _E.RESUME): _S.RUNNING,
    (_S.PAUSED, _E.STOP): _S.STOPPING,
    (_S.PAUSED, _E.TIME_LIMIT): _S.STOPPING,
    (_S.PAUSED, _E.FAILED): _S.STOPPING,
    (_S.STOPPING, _E.IDLE): _S.FINISHED,
    (_S.STOPPING, _E.STOP): _S.STOPPING,
    (_S.STOPPING, _E.FAILED): _S.STOPPING,
}


def allowed(state: CrawlState) -> tuple[CrawlEvent, ...]:
    """The events that a state takes, in the order of the enum."""
    return tuple(event for event in CrawlEvent if (state, event) in TRANSITIONS)


def advance(state: CrawlState, event: CrawlEvent) -> CrawlState:
    """The state after `event`. Raises StateError, naming what is allowed, if the table has no such pair."""
    try:
        return TRANSITIONS[state, event]
    except KeyError:
        names = [possible.value for possible in allowed(state)]
        raise StateError(
            f"'{event.value}' is not possible in state {state.name}; possible: {', '.join(names) or 'nothing'}",
            allowed=names,
        ) from None


def settle(status: ExitStatus | None, proposed: ExitStatus) -> ExitStatus:
    """The exit status after another reason to end came up: the first stays, but an error is never hidden by a stop.

    FINISHED is never overwritten (Heritrix's rule).
    """
    if status is None or (proposed is ExitStatus.FAILED and status is not ExitStatus.FINISHED):
        return proposed
    return status


def diagram() -> str:
    """The table as a Mermaid state diagram."""
    merged: dict[tuple[CrawlState, CrawlState], list[str]] = {}
    for (state, event), after in TRANSITIONS.items():
        merged.setdefault((state, after), []).append(event.value)
    lines = ["stateDiagram-v2", "    [*] --> NASCENT"]
    lines += [f"    {a.name} --> {b.name}: {', '.join(events)}" for (a, b), events in merged.items()]
    return "\n".join([*lines, "    FINISHED --> [*]"])


if __name__ == "__main__":
    print(diagram())
