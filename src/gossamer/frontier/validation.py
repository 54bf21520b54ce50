"""Validation: every table held against every other and against the counters. Slow; for tests and for doubts."""

from __future__ import annotations

from collections import Counter

from gossamer.frontier.keys import INACTIVE, QUEUE, SEEN, SNOOZED, inactive_key, parse_queue_key, snoozed_key
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.queue_state import QueueState, state_of
from gossamer.frontier.records import Place, QueueRow, identity_in, is_waiting
from gossamer.frontier.report import stored_queues
from gossamer.frontier.turns import Turns
from gossamer.frontier.workbench import Workbench
from gossamer.frontier.workqueue import WorkQueue
from gossamer.model.crawluri import ClassKey
from gossamer.storage.kv import KV, scan_all


def validate(store: KV, ledger: Ledger, bench: Workbench, turns: Turns, now: float) -> None:
    """Raise AssertionError with what differs."""
    rows = dict(stored_queues(store))
    entries = _entries(store)
    _check_rows(rows, entries, ledger)
    _check_places(store, rows, ledger)
    _check_shelf(rows, ledger, bench)
    _check_seen(store, entries)
    for queue in bench.queues.values():
        _check_active(queue, rows[queue.class_key], entries.get(queue.class_key, {}))
    _check_bench(bench, turns, now)
    assert turns.in_process == sum(queue.in_process for queue in bench.queues.values()), "in_process is wrong"


def _entries(store: KV) -> dict[ClassKey, dict[bytes, bytes]]:
    entries: dict[ClassKey, dict[bytes, bytes]] = {}
    for key, value in scan_all(store, QUEUE):
        class_key, suffix = parse_queue_key(key)
        entries.setdefault(class_key, {})[suffix] = value
    return entries


def _check_rows(rows: dict[ClassKey, QueueRow], entries: dict[ClassKey, dict[bytes, bytes]], ledger: Ledger) -> None:
    counters = ledger.counters
    for class_key, row in rows.items():
        stored = entries.get(class_key, {})
        assert row.queued == len(stored), f"{class_key} counts {row.queued} URIs and holds {len(stored)}"
        if stored:
            assert row.bound <= min(stored), f"{class_key} has a URI before its seek bound"
        assert ledger.row(class_key) == row, f"{class_key}: the row in memory differs from the stored one"
    assert set(entries) <= set(rows), "a URI stands in a queue without a row"
    assert counters.queues == len(rows), "queues is wrong"
    assert counters.queued == sum(row.queued for row in rows.values()), "queued is wrong"
    assert counters.retired == sum(row.queued for row in rows.values() if row.is_retired), "retired is wrong"
    ended = counters.succeeded + counters.failed + counters.disregarded
    assert counters.discovered == counters.queued + ended, f"discovered {counters.discovered} does not add up"


def _check_places(store: KV, rows: dict[ClassKey, QueueRow], ledger: Ledger) -> None:
    inactive = {key: ClassKey(value.decode()) for key, value in scan_all(store, INACTIVE)}
    snoozed = {key for key, _ in scan_all(store, SNOOZED)}
    placed = Counter(row.place for row in rows.values())
    for class_key, row in rows.items():
        is_eligible = row.queued > 0 and not row.is_retired
        assert (row.place is not Place.NOWHERE) == is_eligible, f"{class_key} has {row.queued} URIs, place {row.place}"
        if row.place is Place.INACTIVE:
            key = inactive_key(row.precedence, row.position)
            assert inactive.get(key) == class_key, f"{class_key} is not where its row says it is inactive"
        elif row.place is Place.SNOOZED:
            key = snoozed_key(row.position, class_key)
            assert key in snoozed, f"{class_key} is not where its row says it is snoozed"
    assert len(inactive) == placed[Place.INACTIVE] == ledger.counters.placed_inactive, "inactive entries differ"
    assert len(snoozed) == placed[Place.SNOOZED] == ledger.counters.placed_snoozed, "snoozed entries differ"


def _check_shelf(rows: dict[ClassKey, QueueRow], ledger: Ledger, bench: Workbench) -> None:
    shelf = ledger.shelf
    for class_key, row in rows.items():
        if class_key in bench.queues:
            continue
        if row.place is Place.INACTIVE:
            assert shelf.is_ahead_inactive(row.precedence, row.position), f"{class_key} would never get its turn"
        elif row.place is Place.SNOOZED:
            key = snoozed_key(row.position, class_key)
            assert shelf.is_ahead_snoozed(key), f"{class_key} would never wake"
            first = shelf.first_wake
            assert first is not None and first <= row.position / 1e6, f"{class_key} wakes before the first"


def _check_seen(store: KV, entries: dict[ClassKey, dict[bytes, bytes]]) -> None:
    queued = Counter(identity_in(value) for stored in entries.values() for value in stored.values())
    doubles = [identity.hex() for identity, count in queued.items() if count > 1]
    assert not doubles, f"queued more than once: {doubles}"
    waiting = {key for key, value in scan_all(store, SEEN) if is_waiting(value)}
    assert waiting == set(queued), f"{len(waiting)} URLs are said to wait, {len(queued)} stand in queues"


def _check_active(queue: WorkQueue, row: QueueRow, stored: dict[bytes, bytes]) -> None:
    name = queue.class_key
    heads = [suffix for suffix, _ in queue.heads]
    assert queue.row == row, f"{name}: the active row differs from the stored one"
    assert heads == sorted(set(heads)), f"{name}: the heads are out of order"
    for suffix, value in queue.heads:
        assert stored.get(suffix) == value, f"{name}: a head is not what is stored"
    for suffix, taken in queue.out.items():
        assert stored.get(suffix) == taken.value, f"{name}: a URI in process is not what is stored"
    assert not queue.ghosts & set(stored), f"{name}: a deleted URI is still stored"
    read = {suffix for suffix in stored if queue.filled is not None and suffix <= queue.filled}
    assert read == set(heads) | {suffix for suffix in queue.out if suffix in read}, f"{name}: a URI would be missed"
    if queue.is_complete:
        assert set(stored) == set(heads) | set(queue.out), f"{name}: more is stored than it knows"


def _check_bench(bench: Workbench, turns: Turns, now: float) -> None:
    ready = bench.ready_keys()
    snoozing = bench.snoozing_keys()
    for class_key, queue in bench.queues.items():
        facts = queue.facts(now, turns.connections)
        expected = state_of(facts)
        is_due = queue.state is QueueState.SNOOZED and queue.rest_until <= now
        assert is_due or queue.state is expected, f"{class_key} is {queue.state.value}, should be {expected.value}"
        assert (class_key in ready) == (queue.state is QueueState.READY), f"{class_key}: wrong about being ready"
        assert (class_key in snoozing) == (queue.state is QueueState.SNOOZED), f"{class_key}: wrong about snoozing"
    assert ready <= set(bench.queues), "a queue is ready but not active"
    assert bench.snoozed == len(snoozing), "the number of snoozed queues is wrong"
