from __future__ import annotations

from gossamer.frontier.keys import FAMILIES, INACTIVE, SNOOZED, inactive_key, microseconds, snoozed_key
from gossamer.frontier.shelf import READ_AHEAD, Shelf
from gossamer.model.crawluri import ClassKey
from gossamer.storage.memory import MemoryKV


def store_with(inactive: list[tuple[int, int]] = [], snoozed: list[float] = []) -> MemoryKV:  # noqa: B006
    store = MemoryKV(FAMILIES)
    for precedence, ordinal in inactive:
        add(store, precedence, ordinal)
    for wake in snoozed:
        add_snoozed(store, wake)
    return store


def add(store: MemoryKV, precedence: int, ordinal: int) -> None:
    batch = store.batch()
    batch.put(INACTIVE, inactive_key(precedence, ordinal), f"q{ordinal}".encode())
    store.write(batch)


def add_snoozed(store: MemoryKV, wake: float) -> bytes:
    key = snoozed_key(microseconds(wake), ClassKey(f"q{wake}"))
    batch = store.batch()
    batch.put(SNOOZED, key, b"")
    store.write(batch)
    return key


def taken(shelf: Shelf) -> list[int]:
    found = []
    while (entry := shelf.next_inactive()) is not None:
        found.append(entry[1])
    return found


def test_inactive_queues_come_by_precedence_and_then_in_their_order() -> None:
    shelf = Shelf(store_with([(200, 1), (128, 5), (128, 2), (0, 9), (255, 3)]))
    assert taken(shelf) == [9, 2, 5, 1, 3]


def test_an_entry_is_taken_once_and_one_that_comes_later_is_found() -> None:
    store = store_with([(128, n) for n in range(1, 2 * READ_AHEAD)])
    shelf = Shelf(store)
    assert len(taken(shelf)) == 2 * READ_AHEAD - 1
    add(store, 128, 1000)
    shelf.added_inactive(128, 1000)
    assert taken(shelf) == [1000]


def test_a_better_precedence_goes_before_what_was_read_ahead() -> None:
    store = store_with([(128, 1), (128, 2), (128, 3)])
    shelf = Shelf(store)
    assert shelf.next_inactive() == ("q1", 1)
    add(store, 50, 4)
    shelf.added_inactive(50, 4)
    assert taken(shelf) == [4, 2, 3]


def test_an_entry_before_the_cursor_is_come_back_to() -> None:
    shelf = Shelf(store_with([(128, 1), (128, 2), (128, 3)]))
    assert shelf.next_inactive() == ("q1", 1)
    assert shelf.next_inactive() == ("q2", 2)
    assert not shelf.is_ahead_inactive(128, 1)
    shelf.added_inactive(128, 1)
    assert shelf.is_ahead_inactive(128, 1)
    assert taken(shelf) == [1, 2, 3]


def test_snoozed_queues_come_by_their_wake_time() -> None:
    store = store_with(snoozed=[30.5, 10.5, 20.5])
    shelf = Shelf(store)
    assert shelf.first_wake == 10.5
    assert shelf.next_snoozed() == ("q10.5", 10_500_000)
    assert shelf.first_wake == 20.5
    key = add_snoozed(store, 15.5)
    shelf.added_snoozed(key)
    assert shelf.first_wake == 15.5
    batch = store.batch()
    batch.delete(SNOOZED, key)
    store.write(batch)
    shelf.removed_snoozed(key)
    assert shelf.first_wake == 20.5
    shelf.next_snoozed()
    shelf.next_snoozed()
    assert shelf.first_wake is None
