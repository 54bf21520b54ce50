"""S7, S8: the crawl's states are a table, and nothing else moves the crawl."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from gossamer.control.state import (
    TRANSITIONS,
    CrawlEvent,
    CrawlState,
    ExitStatus,
    advance,
    allowed,
    diagram,
    settle,
)
from gossamer.errors import StateError

EVERY_PAIR = list(itertools.product(CrawlState, CrawlEvent))


@pytest.mark.parametrize(("state", "event"), EVERY_PAIR, ids=lambda value: value.name)
def test_every_pair_is_either_in_the_table_or_refused_with_the_allowed_events_named(
    state: CrawlState, event: CrawlEvent
) -> None:
    if (state, event) in TRANSITIONS:
        assert advance(state, event) is TRANSITIONS[state, event]
        assert event in allowed(state)
        return
    with pytest.raises(StateError) as caught:
        advance(state, event)
    assert state.name in str(caught.value)
    assert event.value in str(caught.value)
    assert caught.value.allowed == tuple(possible.value for possible in allowed(state))


def test_finished_is_the_only_state_without_a_way_out() -> None:
    assert [state for state in CrawlState if not allowed(state)] == [CrawlState.FINISHED]


def test_every_state_can_be_reached_from_nascent_and_finished_from_every_state() -> None:
    def reachable(start: CrawlState) -> set[CrawlState]:
        found, todo = {start}, [start]
        while todo:
            state = todo.pop()
            for event in allowed(state):
                after = advance(state, event)
                if after not in found:
                    found.add(after)
                    todo.append(after)
        return found

    assert reachable(CrawlState.NASCENT) == set(CrawlState)
    assert all(CrawlState.FINISHED in reachable(state) for state in CrawlState)


def test_a_stop_in_nascent_goes_straight_to_finished() -> None:
    assert advance(CrawlState.NASCENT, CrawlEvent.STOP) is CrawlState.FINISHED


def test_a_second_stop_is_allowed_while_stopping_and_changes_no_state() -> None:
    assert advance(CrawlState.STOPPING, CrawlEvent.STOP) is CrawlState.STOPPING


@pytest.mark.parametrize("proposed", ExitStatus)
def test_an_exit_status_finished_is_never_overwritten(proposed: ExitStatus) -> None:
    assert settle(ExitStatus.FINISHED, proposed) is ExitStatus.FINISHED


def test_an_error_is_not_hidden_by_the_stop_before_it() -> None:
    assert settle(ExitStatus.ABORTED, ExitStatus.FAILED) is ExitStatus.FAILED
    assert settle(ExitStatus.FAILED, ExitStatus.ABORTED) is ExitStatus.FAILED


def test_the_first_reason_to_end_stays() -> None:
    assert settle(ExitStatus.TIME_LIMIT, ExitStatus.ABORTED) is ExitStatus.TIME_LIMIT


def test_the_diagram_shows_every_transition() -> None:
    drawn = diagram()
    for (state, event), after in TRANSITIONS.items():
        line = next(line for line in drawn.splitlines() if f"{state.name} --> {after.name}:" in line)
        assert event.value in line


def test_the_diagram_in_the_docs_is_the_table() -> None:
    docs = Path(__file__).parents[3] / "docs" / "architecture.md"
    assert diagram() in docs.read_text()
