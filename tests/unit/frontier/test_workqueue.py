from __future__ import annotations

import random
from itertools import product

from gossamer.frontier.keys import queue_suffix
from gossamer.frontier.queue_state import state_of
from gossamer.frontier.records import QueueRow
from gossamer.frontier.workqueue import HEADS, HEADS_IN_ALL, MOST_HEADS, Taken, WorkQueue
from gossamer.model.crawluri import ClassKey


class Stored:
    """A queue and its part of the store."""

    def __init__(self, *docids: int, active: int = HEADS_IN_ALL) -> None:
        """`active`: how many queues there are; by default so many that each keeps the fewest heads."""
        self.active = active
        self.store: dict[bytes, bytes] = {}
        self.queue = WorkQueue(ClassKey("a"), QueueRow(), 0.0)
        for docid in docids:
            self.store[suffix(docid)] = b"%d" % docid
        self.queue.row.queued = len(self.store)

    def refill(self) -> None:
        start, limit = self.queue.refill_start(), self.queue.wanted(self.active)
        entries = sorted((self.queue.prefix + key, value) for key, value in self.store.items())
        self.queue.refill([entry for entry in entries if start <= entry[0] < self.queue.stop][:limit], limit)

    def read(self) -> list[tuple[bytes, bytes]]:
        self.refill()
        return self.queue.heads

    def take(self) -> int:
        while not self.queue.heads and not self.queue.is_complete:
            self.refill()
        return int(self.queue.take(0.0)[1])

    def insert(self, docid: int) -> None:
        self.store[suffix(docid)] = b"%d" % docid
        self.queue.row.queued += 1
        self.queue.row.bound = min(self.queue.row.bound, suffix(docid))
        self.queue.insert(suffix(docid), b"%d" % docid)

    def settle(self, docid: int) -> None:
        self.queue.row.bound = self.queue.bound_without(suffix(docid))
        del self.store[suffix(docid)]
        self.queue.row.queued -= 1
        self.queue.settle(suffix(docid))


def suffix(docid: int) -> bytes:
    return queue_suffix(128, 0, 0, docid)


def test_heads_are_read_a_few_at_a_time() -> None:
    stored = Stored(*range(1, 100))
    assert stored.take() == 1
    assert len(stored.queue.heads) == HEADS - 1
    assert not stored.queue.is_complete


def test_the_fewer_queues_are_active_the_more_is_read_at_once() -> None:
    kept = {active: len(Stored(*range(1, 200), active=active).read()) for active in (1, 20, 1_000, 10_000, 10**6)}
    assert kept == {1: MOST_HEADS, 20: MOST_HEADS, 1_000: HEADS_IN_ALL // 1_000, 10_000: HEADS, 10**6: HEADS}


def test_what_is_put_in_front_of_many_heads_drops_none_of_them() -> None:
    stored = Stored(*range(10, 200), active=1)
    stored.read()
    for docid in (3, 2, 1):
        stored.insert(docid)
    assert [int(value) for _, value in stored.queue.heads] == [1, 2, 3, *range(10, 10 + MOST_HEADS)]


def test_a_short_queue_is_known_whole_and_appended_to_without_reading() -> None:
    stored = Stored(1, 2)
    assert stored.take() == 1
    assert stored.queue.is_complete
    stored.insert(3)
    assert [int(value) for _, value in stored.queue.heads] == [2, 3]


def test_a_full_front_lets_the_rest_be_in_the_store() -> None:
    stored = Stored(1)
    assert stored.take() == 1
    for docid in range(2, 100):
        stored.insert(docid)
    assert len(stored.queue.heads) == HEADS
    assert [stored.take() for _ in range(98)] == list(range(2, 100))


def test_what_is_put_back_comes_first_again() -> None:
    stored = Stored(*range(1, 30))
    first, second = stored.take(), stored.take()
    assert stored.queue.put_back(suffix(second))
    assert stored.queue.put_back(suffix(first))
    assert not stored.queue.put_back(suffix(first))
    assert [stored.take(), stored.take()] == [1, 2]


def test_the_seek_bound_never_passes_a_uri_that_is_there() -> None:
    luck = random.Random(5)
    for _ in range(30):
        stored = Stored(*luck.sample(range(1000), 30))
        out: list[int] = []
        for _ in range(200):
            choice = luck.random()
            if choice < 0.4 and stored.queue.items:
                out.append(stored.take())
                assert out[-1] == min(int(value) for key, value in stored.store.items() if int(value) not in out[:-1])
            elif choice < 0.7 and out:
                stored.settle(out.pop(luck.randrange(len(out))))
            elif choice < 0.8 and out:
                docid = out.pop(luck.randrange(len(out)))
                stored.queue.put_back(suffix(docid))
            elif (docid := luck.randrange(1000)) and suffix(docid) not in stored.store:
                stored.insert(docid)
            assert all(key >= stored.queue.row.bound for key in stored.store)


def test_a_deleted_uri_in_process_is_a_ghost_until_it_comes_back() -> None:
    stored = Stored(1, 2)
    assert stored.take() == 1
    stored.queue.delete(suffix(1))
    stored.queue.delete(suffix(2))
    assert stored.queue.in_process == 1
    assert stored.queue.heads == []
    assert stored.queue.put_back(suffix(1))
    assert stored.queue.in_process == 0
    assert stored.queue.heads == []


def test_a_queue_is_in_the_state_that_its_facts_give() -> None:
    counts = product((0, 1, 5), (0, 1, 3), (0, 1), (1, 3))
    flags = tuple(product((False, True), repeat=5))
    for (items, out, ghosts, connections), (is_claimed, is_awaited, rests, is_spent, is_retired) in product(
        counts, flags
    ):
        queue = WorkQueue(ClassKey("a"), QueueRow(queued=items + out, is_retired=is_retired), 2.0 if rests else 1.0)
        queue.out = {suffix(docid): Taken(b"", 0.0) for docid in range(out)}
        queue.ghosts = frozenset(suffix(100 + number) for number in range(ghosts))
        queue.claims = frozenset({"https://a"} if is_claimed else ())
        queue.awaiting_start = suffix(1) if is_awaited else None
        queue.is_spent = is_spent
        assert queue.state_at(1.0, connections) is state_of(queue.facts(1.0, connections))
