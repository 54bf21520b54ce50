"""The crawl's states as seen from outside, held against the table that the program itself prints.

`python -m gossamer.control.state` prints the table as a diagram, which is read here; what a crawl did stands in
logs/job.log, a line per state. A launch that was killed has no last state; every other one ends FINISHED.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import pairwise

from .crawl import environment

_ARROW = re.compile(r"^\s*([A-Z]+) --> ([A-Z]+): (.+)$")
_ACTIONS = {"pause": "pause", "resume": "resume", "terminate": "stop"}
FIRST, LAST = "PREPARING", "FINISHED"
"""The first is told to nobody outside: whether the folder is free is not known yet."""


@dataclass(frozen=True, slots=True)
class StateTable:
    """Which states there are, and which may follow which."""

    events: dict[tuple[str, str], frozenset[str]]
    """(before, after) -> what can have happened."""

    @property
    def states(self) -> frozenset[str]:
        return frozenset(state for step in self.events for state in step)

    def actions(self, state: str) -> set[str]:
        """What an operator may order there."""
        possible = {event for (before, _), events in self.events.items() if before == state for event in events}
        return {action for action, event in _ACTIONS.items() if event in possible}


@dataclass(slots=True)
class Launch:
    """What job.log says of one launch."""

    states: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)


def read_table(diagram: str) -> StateTable:
    """The table from its diagram."""
    found = [match for line in diagram.splitlines() if (match := _ARROW.match(line))]
    return StateTable({(match[1], match[2]): frozenset(match[3].split(", ")) for match in found})


def table_of_program() -> StateTable:
    """The table of the installed program."""
    line = [sys.executable, "-W", "ignore", "-m", "gossamer.control.state"]
    return read_table(subprocess.run(line, capture_output=True, text=True, check=True, env=environment()).stdout)


def read_launches(job_log: str) -> dict[str, Launch]:
    """Each launch by its id, in order."""
    launches: dict[str, Launch] = {}
    for line in job_log.splitlines():
        words = line.split(" ", 4)
        if len(words) < 4 or words[2] not in ("state", "command"):
            continue
        launch = launches.setdefault(words[1], Launch())
        (launch.states if words[2] == "state" else launch.commands).append(words[3])
    return launches


def state_problems(launches: dict[str, Launch], table: StateTable, killed: Collection[str] = ()) -> list[str]:
    """Every state that is none, every step that is not in the table, and every launch that did not come to its end."""
    problems: list[str] = []
    for name, launch in launches.items():
        problems += [f"launch {name}: no such state: {state}" for state in launch.states if state not in table.states]
        for before, after in pairwise([FIRST, *launch.states]):
            if (before, after) not in table.events:
                problems.append(f"launch {name}: no step leads from {before} to {after}")
        last = launch.states[-1] if launch.states else FIRST
        if last != LAST and name not in killed:
            problems.append(f"launch {name}: its last state is {last}, and nobody killed it")
    return problems
