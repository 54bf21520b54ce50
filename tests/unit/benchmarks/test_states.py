from __future__ import annotations

import pytest

from benchmarks.harness.states import read_launches, read_table, state_problems
from gossamer.control.state import TRANSITIONS, diagram

TABLE = read_table(diagram())


def log(*states: str, launch: str = "1") -> str:
    return "".join(f"2026-07-02T10:11:12.345Z {launch} state {state} why\n" for state in states)


def test_the_table_is_read_whole_from_its_diagram() -> None:
    assert set(TABLE.events) == {(before.name, after.name) for (before, _), after in TRANSITIONS.items()}
    assert TABLE.actions("PAUSED") == {"resume", "terminate"}
    assert TABLE.actions("FINISHED") == set()


def test_launches_are_told_apart_with_their_states_and_commands() -> None:
    text = log("RUNNING") + "2026-07-02T10:11:13.000Z 1 command pause\n" + log("RUNNING", "STOPPING", launch="2")
    launches = read_launches(text + "2026-07-02T10:11:14.000Z 2 refused resume: state RUNNING\ntorn li")
    assert (launches["1"].states, launches["1"].commands) == (["RUNNING"], ["pause"])
    assert (launches["2"].states, launches["2"].commands) == (["RUNNING", "STOPPING"], [])


@pytest.mark.parametrize(
    "states",
    [
        ("RUNNING", "EMPTY", "STOPPING", "FINISHED"),
        ("PAUSED", "RUNNING", "PAUSING", "RUNNING", "STOPPING", "FINISHED"),
    ],
)
def test_what_the_table_allows_is_not_objected_to(states: tuple[str, ...]) -> None:
    assert state_problems(read_launches(log(*states)), TABLE) == []


@pytest.mark.parametrize(
    ("states", "problem"),
    [
        (("RUNNING", "FINISHED"), "no step leads from RUNNING to FINISHED"),
        (("EMPTY", "STOPPING", "FINISHED"), "no step leads from PREPARING to EMPTY"),
        (("RUNNING", "RUNNING", "STOPPING", "FINISHED"), "no step leads from RUNNING to RUNNING"),
        (("RUNNING", "SLEEPING"), "no such state: SLEEPING"),
        (("RUNNING", "PAUSING"), "its last state is PAUSING, and nobody killed it"),
    ],
)
def test_each_thing_that_the_table_does_not_have_is_told(states: tuple[str, ...], problem: str) -> None:
    assert f"launch 1: {problem}" in state_problems(read_launches(log(*states)), TABLE)


def test_a_launch_that_was_killed_may_end_anywhere() -> None:
    assert state_problems(read_launches(log("RUNNING", "PAUSING")), TABLE, killed={"1"}) == []
