from __future__ import annotations

from itertools import product

import pytest

from gossamer.errors import StateError
from gossamer.frontier.queue_state import ALLOWED, Facts, QueueEvent, QueueState, next_state, state_of

ALL_FACTS = [
    Facts(items, in_process, connections, *flags)
    for items, in_process, connections in product((0, 1, 5), (0, 1, 3), (1, 3))
    for flags in product((False, True), repeat=4)
]


@pytest.mark.parametrize("facts", ALL_FACTS)
def test_the_state_that_facts_give_is_what_the_table_says(facts: Facts) -> None:
    """The first table of the module, row by row."""
    state = state_of(facts)
    if state is QueueState.READY:
        assert facts.items and facts.in_process < facts.connections
        assert not (facts.is_held or facts.is_resting or facts.is_spent or facts.is_retired)
    elif state is QueueState.BUSY:
        assert facts.in_process >= facts.connections or facts.is_held or (facts.in_process and not facts.is_resting)
    elif state is QueueState.SNOOZED:
        assert facts.is_resting and facts.in_process < facts.connections
    elif state is QueueState.INACTIVE:
        assert facts.items and facts.in_process == 0 and facts.is_spent
    elif state is QueueState.EXHAUSTED:
        assert facts.items == 0 and facts.in_process == 0
    assert (state is QueueState.RETIRED) == facts.is_retired


@pytest.mark.parametrize(("state", "event"), list(product(QueueState, QueueEvent)))
def test_every_pair_of_state_and_event_either_leads_somewhere_or_is_refused(
    state: QueueState, event: QueueEvent
) -> None:
    for facts in ALL_FACTS:
        target = state_of(facts)
        if target in ALLOWED.get((state, event), ()):
            assert next_state(state, event, facts) is target
        else:
            with pytest.raises(StateError) as refusal:
                next_state(state, event, facts)
            assert state.value in str(refusal.value)
            assert event.value in str(refusal.value)


def test_a_refusal_names_what_would_be_allowed() -> None:
    with pytest.raises(StateError) as refusal:
        next_state(QueueState.EXHAUSTED, QueueEvent.TAKEN, Facts(1, 0, 1))
    assert "scheduled" in refusal.value.allowed
    with pytest.raises(StateError) as refusal:
        next_state(QueueState.READY, QueueEvent.TAKEN, Facts(0, 0, 1))
    assert refusal.value.allowed == ("busy", "ready") or set(refusal.value.allowed) == {"busy", "ready"}


def test_every_state_and_every_event_is_in_the_table() -> None:
    assert {state for state, _ in ALLOWED} == set(QueueState)
    assert {event for _, event in ALLOWED} == set(QueueEvent)
    assert {target for targets in ALLOWED.values() for target in targets} == set(QueueState)


def test_only_reviving_leads_out_of_retirement() -> None:
    for (state, event), targets in ALLOWED.items():
        if state is QueueState.RETIRED and event is not QueueEvent.REVIVED:
            assert targets == {QueueState.RETIRED}
