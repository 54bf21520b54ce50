"""MemoryFrontier: the contract in plain dictionaries, as its executable specification and as a test double.

No store, no cursors, no activation: every queue is an object, and whether it can give a URI is asked each time. It
keeps every promise but those of durability, and a random walk holds `LocalFrontier` against it.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from gossamer.config import Politeness
from gossamer.errors import FrontierClosed, StateError
from gossamer.frontier.base import FrontierCounts, FrontierTarget, QueueReport, RobotsRecord, Seen
from gossamer.frontier.keys import suffix_of
from gossamer.frontier.politeness import gap_seconds, throttled_seconds, unreachable_seconds
from gossamer.frontier.queue_state import Facts, QueueState, state_of
from gossamer.frontier.seen import KEY_BYTES, Identifier, rising
from gossamer.frontier.visits import Visits
from gossamer.frontier.waiting import Milestones, Waiters
from gossamer.model.crawluri import ClassKey, CrawlURI, DocId, Identity
from gossamer.model.disposition import Charge, Disposition, Fate, Span
from gossamer.util.clock import Cancellable, Clock

MAX_DISCOVERED = 500


@dataclass(slots=True)
class _Taken:
    curi: CrawlURI
    at: float


@dataclass(slots=True)
class _Queue:
    items: dict[bytes, CrawlURI] = field(default_factory=dict)
    """Suffix of its key -> URI, those in process included."""
    out: dict[bytes, _Taken] = field(default_factory=dict)
    turn: int = 0
    """When it gave a URI last, or was made: the lowest comes first."""
    rest_until: float = 0.0
    gap: float = 0.0
    failures: int = 0
    throttles: int = 0
    has_answered: bool = False
    is_unreachable: bool = False
    stumbled_at: float = float("-inf")
    claims: set[str] = field(default_factory=set)
    awaiting_start: bytes | None = None

    def front(self) -> bytes:
        return min(suffix for suffix in self.items if suffix not in self.out)


class MemoryFrontier:
    """See `Frontier`."""

    def __init__(
        self, clock: Clock, politeness: Politeness, *, max_pages: int | None = None, seed: int | None = None
    ) -> None:
        self._clock = clock
        self._politeness = politeness
        self.max_pages = max_pages
        self._random = random.Random(seed)
        self._identifier = Identifier(os.urandom(KEY_BYTES))
        self._queues: dict[ClassKey, _Queue] = {}
        self._seen: dict[Identity, Seen] = {}
        self._waiting: set[Identity] = set()
        self._robots: dict[str, RobotsRecord] = {}
        self._claims: dict[str, tuple[ClassKey, ...]] = {}
        self._visits = Visits()
        self._last_docid = 0
        self._turn = 0
        self._numbers: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._target = FrontierTarget.RUN
        self._is_open = True
        self._waiters = Waiters()
        self._milestones = Milestones()
        self._timer: Cancellable | None = None

    # ---- what toes call

    def identify(self, canonical: str, host: str) -> Identity:
        return self._identifier.identify(canonical, host)

    def identify_all(self, links: Sequence[tuple[str, str]]) -> list[Identity]:
        return self._identifier.identify_all(links)

    def unseen(self, identities: Sequence[Identity]) -> list[bool]:
        return [identity not in self._seen for identity in identities]

    def schedule(self, candidates: Iterable[CrawlURI], *, force: bool = False) -> int:
        candidates = list(candidates)
        self._check_docids(candidates)
        scheduled = sum(self._schedule_one(candidate, force) for candidate in candidates)
        self._moved()
        return scheduled

    def _check_docids(self, candidates: Sequence[CrawlURI]) -> None:
        fresh: dict[Identity, CrawlURI] = {}
        for candidate in candidates:
            if candidate.identity not in self._seen:
                fresh.setdefault(candidate.identity, candidate)
        last = self._last_docid
        for candidate in fresh.values():
            last = rising(candidate.docid, last)

    def _schedule_one(self, candidate: CrawlURI, force: bool) -> bool:
        known = self._seen.get(candidate.identity)
        if known is not None and (candidate.identity in self._waiting or not (force or candidate.force)):
            return False
        if known is None:
            self._last_docid = rising(candidate.docid, self._last_docid)
        docid = DocId(self._last_docid) if known is None else known.docid
        self._seen[candidate.identity] = Seen(docid=docid)
        self._waiting.add(candidate.identity)
        self._put(replace(candidate, docid=docid))
        self._numbers["discovered"] += 1
        return True

    def _put(self, curi: CrawlURI) -> None:
        queue = self._queues.get(curi.class_key)
        if queue is None:
            queue = self._queues[curi.class_key] = _Queue(turn=self._next_turn())
        queue.items[suffix_of(curi)] = curi

    def _next_turn(self) -> int:
        self._turn += 1
        return self._turn

    async def next(self) -> CrawlURI:
        curi = self._take()
        if curi is not None:
            return curi
        if self._target is FrontierTarget.FINISH or not self._is_open:
            raise FrontierClosed
        waiting = self._waiters.wait(self.give_back)
        self._set_timer(is_expected=True)
        return await waiting

    async def next_batch(self, n: int) -> list[CrawlURI]:
        batch = [await self.next()]
        while len(batch) < n and (curi := self._take()) is not None:
            batch.append(curi)
        return batch

    def _take(self) -> CrawlURI | None:
        giving = self.giving()
        return self.take_from(min(giving, key=lambda key: self._queues[key].turn)) if giving else None

    def giving(self) -> list[ClassKey]:
        """The queues that would give a URI now."""
        if self._target is not FrontierTarget.RUN or not self._is_open:
            return []
        if self.max_pages is not None and self._numbers["pages"] + self._in_process() >= self.max_pages:
            return []
        return [key for key, queue in self._queues.items() if self._state(queue) is QueueState.READY]

    def take_from(self, class_key: ClassKey) -> CrawlURI:
        """Hand out the front of one queue."""
        queue = self._queues[class_key]
        suffix = queue.front()
        queue.out[suffix] = _Taken(queue.items[suffix], self._clock.monotonic())
        queue.turn = self._next_turn()
        if self._politeness.connections_per_host > 1 and self._gap(queue) > 0:
            queue.awaiting_start = suffix
        return queue.items[suffix]

    def _gap(self, queue: _Queue) -> float:
        return max(queue.gap, self._politeness.delay)

    def _state(self, queue: _Queue) -> QueueState:
        return state_of(
            Facts(
                items=len(queue.items) - len(queue.out),
                in_process=len(queue.out),
                connections=self._politeness.connections_per_host,
                is_held=bool(queue.claims) or queue.awaiting_start is not None,
                is_resting=queue.rest_until > self._clock.monotonic(),
            )
        )

    def started(self, curi: CrawlURI, when: float) -> None:
        queue = self._queues[curi.class_key]
        queue.rest_until = max(queue.rest_until, when + self._gap(queue))
        if queue.awaiting_start == suffix_of(curi):
            queue.awaiting_start = None
        self._moved()

    def give_back(self, curi: CrawlURI) -> None:
        self._release(self._queues[curi.class_key], suffix_of(curi))
        self._moved()

    def _release(self, queue: _Queue, suffix: bytes) -> _Taken | None:
        if queue.awaiting_start == suffix:
            queue.awaiting_start = None
        return queue.out.pop(suffix, None)

    # ---- finish

    def finish(self, curi: CrawlURI, disposition: Disposition, discovered: Sequence[CrawlURI] = ()) -> None:
        if len(discovered) > MAX_DISCOVERED:
            raise ValueError(f"{len(discovered)} discoveries in one finish; schedule all but {MAX_DISCOVERED} before")
        self._numbers["wire_bytes"] += disposition.wire_bytes
        queue = self._queues[curi.class_key]
        taken = self._release(queue, suffix_of(curi))
        # Before the URI is settled: a page that discovers itself, even by force, is one that waits.
        for candidate in discovered:
            self._schedule_one(candidate, force=False)
        if taken is not None:
            self._treat_host(queue, disposition, taken.at)
            self._settle(queue, curi, disposition)
        self._moved()

    def _settle(self, queue: _Queue, curi: CrawlURI, told: Disposition) -> None:
        del queue.items[suffix_of(curi)]
        if told.fate is Fate.RETRY:
            self._numbers["retried"] += 1
            target = told.requeued or curi
            attempts = target.attempts + (told.charge in (Charge.URI, Charge.THROTTLED))
            self._put(replace(target, docid=curi.docid, attempts=min(attempts, 255), class_key=curi.class_key))
            return
        self._numbers[told.fate.value] += 1
        self._numbers["pages"] += told.is_page
        self._reasons.update([told.reason] if told.reason else [])
        self._waiting.discard(curi.identity)
        self._seen[curi.identity] = Seen(
            docid=curi.docid,
            fate=told.fate,
            status=told.status,
            when=told.when,
            reason=told.reason,
            attempts=curi.attempts + 1 if told.requested else curi.attempts,
        )

    def _treat_host(self, queue: _Queue, told: Disposition, taken_at: float) -> None:
        if told.requested:
            queue.gap = gap_seconds(self._politeness, told.fetch_seconds, told.crawl_delay_seconds)
            queue.rest_until = max(queue.rest_until, told.started + queue.gap)
        if told.status > 0:
            queue.has_answered, queue.is_unreachable, queue.failures = True, False, 0
            if told.fate is Fate.SUCCEEDED:
                queue.throttles = 0
        if told.charge in (Charge.HOST, Charge.THROTTLED) and taken_at > queue.stumbled_at:
            queue.stumbled_at = self._clock.monotonic()
            queue.rest_until = max(queue.rest_until, queue.stumbled_at + self._charge(queue, told))

    def _charge(self, queue: _Queue, told: Disposition) -> float:
        if told.charge is Charge.THROTTLED:
            queue.throttles += 1
            luck = self._random.random()
            return throttled_seconds(self._politeness, queue.throttles, told.retry_after_seconds, luck)
        queue.failures += 1
        rest = unreachable_seconds(self._politeness, queue.failures, queue.has_answered)
        queue.is_unreachable = rest is None
        return rest or 0.0

    # ---- robots.txt and other captures

    def robots(self, authority: str) -> RobotsRecord | None:
        return self._robots.get(authority)

    def begin_robots(self, authority: str, class_key: ClassKey, host: ClassKey | None = None) -> bool:
        if authority in self._claims:
            return False
        if class_key not in self._queues:
            raise StateError(f"there is no queue {class_key}")
        if host is not None and not self._is_turn(authority, class_key, host):
            self._moved()
            return False
        self._claims[authority] = (class_key,) if host is None else (class_key, host)
        for held in self._claims[authority]:
            self._queues[held].claims.add(authority)
        return True

    def _is_turn(self, authority: str, class_key: ClassKey, host: ClassKey) -> bool:
        queue, asked = self._queues[class_key], self._queues.setdefault(host, _Queue(turn=self._next_turn()))
        now, gap = self._clock.monotonic(), self._gap(asked)
        turn = self._visits.ask(
            host, authority, now, rest_until=asked.rest_until, gap=gap, is_idle=not asked.claims and not asked.out
        )
        if turn is not None:
            asked.rest_until = max(asked.rest_until, turn.end)
            queue.rest_until = max(queue.rest_until, turn.start)
        return turn is None

    def note_robots(
        self, record: RobotsRecord, class_key: ClassKey, disposition: Disposition, host: ClassKey | None = None
    ) -> None:
        self._robots[record.authority] = record
        self._numbers["wire_bytes"] += disposition.wire_bytes
        queue = self._queues[class_key]
        self._treat_host(self._queues[host or class_key], disposition, self._clock.monotonic())
        if record.outcome == "unreachable":
            rest = max(0.0, record.next_try - self._clock.wall())
            queue.rest_until = max(queue.rest_until, self._clock.monotonic() + rest)
        self.abandon_robots(record.authority, class_key)

    def abandon_robots(self, authority: str, class_key: ClassKey) -> None:
        for held in self._claims.pop(authority, ()):
            self._queues[held].claims.discard(authority)
            self._moved()

    def note_capture(self, spans: Sequence[Span]) -> None:
        """Nothing is durable here, so nothing is to be noted."""

    def unreachable(self, class_key: ClassKey) -> bool:
        queue = self._queues.get(class_key)
        return queue is not None and queue.is_unreachable

    # ---- waiting

    def _moved(self) -> None:
        while self._waiters and (curi := self._take()) is not None:
            self._waiters.give(curi)
        self._set_timer(is_expected=bool(self._waiters))
        self._milestones.reach(self.reached)

    def _set_timer(self, *, is_expected: bool) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        now = self._clock.monotonic()
        wakes = [queue.rest_until for queue in self._queues.values() if queue.rest_until > now]
        if is_expected and wakes and self._is_open:
            self._timer = self._clock.call_at(min(wakes), self._moved)

    # ---- what the controller calls

    def seek(self, target: FrontierTarget) -> None:
        self._target.check_successor(target)
        self._target = target
        if target is FrontierTarget.FINISH:
            self._waiters.close()
        self._moved()

    @property
    def reached(self) -> FrontierTarget:
        if self._target is FrontierTarget.RUN:
            return FrontierTarget.EMPTY if self.is_empty() else FrontierTarget.RUN
        return FrontierTarget.HOLD if self._in_process() else self._target

    async def wait_reached(self, *targets: FrontierTarget) -> FrontierTarget:
        if self.reached in targets:
            return self.reached
        return await self._milestones.wait(frozenset(targets))

    @property
    def is_page_limit_reached(self) -> bool:
        return self.max_pages is not None and self._numbers["pages"] >= self.max_pages

    def _in_process(self) -> int:
        return sum(len(queue.out) for queue in self._queues.values())

    def counts(self) -> FrontierCounts:
        states = Counter(self._state(queue) for queue in self._queues.values())
        return FrontierCounts(
            discovered=self._numbers["discovered"],
            queued=sum(len(queue.items) for queue in self._queues.values()),
            in_process=self._in_process(),
            succeeded=self._numbers["succeeded"],
            failed=self._numbers["failed"],
            disregarded=self._numbers["disregarded"],
            retried=self._numbers["retried"],
            pages=self._numbers["pages"],
            wire_bytes=self._numbers["wire_bytes"],
            queues=len(self._queues),
            active_queues=len(self._queues) - states[QueueState.EXHAUSTED],
            snoozed_queues=states[QueueState.SNOOZED],
            reasons=dict(self._reasons),
        )

    def is_empty(self) -> bool:
        return not any(queue.items for queue in self._queues.values())

    # ---- what the operator asks

    def docid_of(self, identity: Identity) -> DocId | None:
        seen = self._seen.get(identity)
        return None if seen is None else seen.docid

    def seen(self, identity: Identity) -> Seen | None:
        return self._seen.get(identity)

    def note_seen(self, identity: Identity, docid: DocId | None = None) -> DocId:
        if identity in self._seen:
            return self._seen[identity].docid
        if docid is not None and docid <= self._last_docid:
            raise ValueError(f"doc id {docid} does not rise above {self._last_docid}")
        self._last_docid = self._last_docid + 1 if docid is None else docid
        self._seen[identity] = Seen(docid=DocId(self._last_docid))
        return DocId(self._last_docid)

    def queues(self) -> Iterator[QueueReport]:
        for class_key in sorted(self._queues, key=str.encode):
            if self._queues[class_key].items:
                yield self._report(class_key)

    def why(self, class_key: ClassKey) -> QueueReport | None:
        return self._report(class_key) if class_key in self._queues else None

    def _report(self, class_key: ClassKey) -> QueueReport:
        queue = self._queues[class_key]
        state = self._state(queue)
        rest = queue.rest_until - self._clock.monotonic()
        return QueueReport(
            class_key=class_key,
            state=state.value,
            queued=len(queue.items),
            in_process=len(queue.out),
            wake=self._clock.wall() + rest if state is QueueState.SNOOZED else None,
            why=f"It is {state.value}.",
            failures=queue.failures,
        )

    def validate(self) -> None:
        for class_key, queue in self._queues.items():
            assert set(queue.out) <= set(queue.items), f"{class_key}: a URI in process is not queued"
        identities = [curi.identity for queue in self._queues.values() for curi in queue.items.values()]
        assert len(identities) == len(set(identities)), "a URL is queued twice"
        assert set(identities) == self._waiting, "what waits is not what is queued"
        counts = self.counts()
        assert counts.discovered == counts.queued + counts.succeeded + counts.failed + counts.disregarded

    def close(self) -> None:
        self._is_open = False
        self._waiters.close()
        self._set_timer(is_expected=False)
