"""LocalFrontier: the frontier of one job, in one process, on a KV.

This is the front: each method of the contract makes one change, and says who is to be told. The work is in the parts:
`scheduling` and `finishing` plan batches on the `ledger`, `turns` finds the next URI, `journal` keeps what must be
undone after an unclean stop, `recovery` undoes it before anything else happens, `waiting` holds those who wait.

A batch is written first; memory follows. So a method that raises has changed nothing.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from itertools import islice

from gossamer.config import Politeness
from gossamer.errors import FrontierClosed, StateError, StorageError
from gossamer.frontier.base import (
    FrontierCounts,
    FrontierTarget,
    QueueReport,
    RobotsRecord,
    Seen,
)
from gossamer.frontier.finishing import Host, Luck, finish_entry, requeue_uri, settle_uri, treat_host
from gossamer.frontier.journal import Journal
from gossamer.frontier.keys import META, NOTE_PREFIX, PROMOTED_PREFIX, ROBOTS, SEEN, STOPPED_CLEANLY, suffix_of
from gossamer.frontier.ledger import SESSION, Draft, Ledger
from gossamer.frontier.operations import Operations
from gossamer.frontier.precedence import QueuePrecedence, equal
from gossamer.frontier.queue_state import QueueEvent
from gossamer.frontier.records import (
    JournalEntry,
    QueueRow,
    Step,
    decode_robots,
    docid_in,
    encode_noted,
    encode_robots,
    store_spans,
)
from gossamer.frontier.recovery import ArchiveFiles, NoFiles, recover
from gossamer.frontier.report import queue_report, stored_queues
from gossamer.frontier.scheduling import Addition, Scheduler
from gossamer.frontier.seen import Identifier, SeenIndex, identity_key
from gossamer.frontier.turns import Turns
from gossamer.frontier.validation import validate
from gossamer.frontier.waiting import Milestones, Waiters
from gossamer.frontier.workbench import NEAR_SECONDS, Workbench
from gossamer.frontier.workqueue import WorkQueue
from gossamer.model.crawluri import ClassKey, CrawlURI, DocId, Identity
from gossamer.model.disposition import Disposition, Fate, Span
from gossamer.storage.kv import KV, scan_all
from gossamer.util.clock import Cancellable, Clock
from gossamer.util.tasks import blocking_in

BATCH = 500
"""Candidates per batch: a write holds the interpreter, and 500 take 5 ms."""


class LocalFrontier:
    """All WorkQueues of one job. Everything but `next`, `next_batch`, `commit` and `wait_reached` is synchronous."""

    def __init__(
        self,
        store: KV,
        clock: Clock,
        politeness: Politeness,
        *,
        files: ArchiveFiles | None = None,
        max_pages: int | None = None,
        precedence: QueuePrecedence = equal,
        seed: int | None = None,
    ) -> None:
        """Recover the store, then open it. `seed` makes the jitter of rests repeatable.

        Raises StorageError if the store or the files cannot be read or put right.
        """
        self.recovery = recover(store, files or NoFiles())
        self._store = store
        self._clock = clock
        self._politeness = politeness
        self._precedence = precedence
        self.max_pages = max_pages
        self._random = random.Random(seed)
        self._bench = Workbench()
        self._ledger = Ledger(store, self._bench.queues)
        is_calm = self.recovery.is_first or self.recovery.was_clean
        self._turns = Turns(self._ledger, self._bench, politeness, clock, is_calm)
        self._identifier = Identifier(identity_key(store))
        self._seen = SeenIndex(store)
        self._scheduler = Scheduler(self._ledger, self._seen, precedence)
        self._journal = Journal(store)
        self._operations = Operations(self._ledger, self._turns)
        self._claims: dict[str, ClassKey] = {}
        self._target = FrontierTarget.RUN
        self._waiters = Waiters()
        self._milestones = Milestones()
        self._timer: tuple[float, Cancellable] | None = None
        self._committing = asyncio.Lock()
        self._is_open = True

    # ---- what toes call

    def identify(self, canonical: str, host: str) -> Identity:
        return self._identifier.identify(canonical, host)

    def unseen(self, identities: Sequence[Identity]) -> list[bool]:
        return self._seen.unseen(identities)

    def schedule(self, candidates: Iterable[CrawlURI], *, force: bool = False) -> int:
        remaining = iter(candidates)
        scheduled = 0
        while batch := list(islice(remaining, BATCH)):
            draft = self._ledger.draft()
            additions = self._scheduler.plan(draft, batch, force=force)
            if additions:
                draft.commit()
                self._added(additions)
                scheduled += len(additions)
                self._moved()
        return scheduled

    def _added(self, additions: Sequence[Addition], finished: WorkQueue | None = None) -> None:
        """Take over what was stored; the `finished` queue is settled last, and once."""
        touched: dict[ClassKey, WorkQueue] = {}
        for identity, class_key, suffix, value in additions:
            self._seen.remember(identity)
            queue = self._turns.active(class_key)
            if queue is not None:
                queue.insert(suffix, value)
                touched[class_key] = queue
        for queue in touched.values():
            if queue is not finished:
                self._turns.settle(queue, QueueEvent.SCHEDULED)
        if finished is not None:
            self._turns.settle(finished, QueueEvent.FINISHED)

    async def next(self) -> CrawlURI:
        curi = self._take()
        if curi is not None:
            return curi
        if self._target is FrontierTarget.FINISH or not self._is_open:
            raise FrontierClosed
        waiting = self._waiters.wait(self._return)
        self._set_timer(is_expected=True)
        return await waiting

    async def next_batch(self, n: int) -> list[CrawlURI]:
        batch = [await self.next()]
        while len(batch) < n and (curi := self._take()) is not None:
            batch.append(curi)
        return batch

    def _take(self) -> CrawlURI | None:
        if self._target is not FrontierTarget.RUN or not self._is_open:
            return None
        if self.max_pages is not None and self._ledger.counters.pages + self._turns.in_process >= self.max_pages:
            return None
        return self._turns.take()

    def _moved(self) -> None:
        """Something changed: give URIs to those who wait, tell those who watch, and set the timer."""
        while self._waiters and (curi := self._take()) is not None:
            self._waiters.give(curi)
        self._set_timer(is_expected=bool(self._waiters))
        if self._milestones:
            self._milestones.reach(self.reached)

    def _set_timer(self, *, is_expected: bool) -> None:
        """One timer, and only while somebody waits for what it brings."""
        moment = self._turns.wakes_at() if is_expected and self._target is FrontierTarget.RUN else None
        if self._timer is not None:
            if moment is not None and self._timer[0] <= moment:
                return
            self._timer[1].cancel()
            self._timer = None
        if moment is not None:
            self._timer = (moment, self._clock.call_at(moment, self._wake))

    def _wake(self) -> None:
        self._timer = None
        if self._is_open:
            self._moved()

    def started(self, curi: CrawlURI, when: float) -> None:
        queue = self._turns.active(curi.class_key)
        if queue is None:
            return
        queue.rest_until = max(queue.rest_until, when + self._turns.gap(queue.row))
        if queue.awaiting_start == suffix_of(curi):
            queue.awaiting_start = None
        self._turns.settle(queue, QueueEvent.STARTED)
        self._moved()

    def give_back(self, curi: CrawlURI) -> None:
        self._return(curi)

    def _return(self, curi: CrawlURI) -> None:
        queue = self._turns.active(curi.class_key)
        if queue is None or not queue.put_back(suffix_of(curi)):
            return
        self._turns.in_process -= 1
        self._turns.settle(queue, QueueEvent.RETURNED)
        self._moved()

    # ---- finish

    def finish(self, curi: CrawlURI, disposition: Disposition, discovered: Sequence[CrawlURI] = ()) -> None:
        if len(discovered) > BATCH:
            raise ValueError(f"{len(discovered)} discoveries in one finish; schedule all but {BATCH} before")
        queue = self._turns.active(curi.class_key)
        suffix = suffix_of(curi)
        if queue is None or suffix not in queue.out:
            self._finish_stray(curi, disposition, discovered, queue)
            return
        draft = self._ledger.draft()
        row = draft.row(queue.class_key, queue.row.precedence)
        host = treat_host(row, queue, disposition, queue.out[suffix], self._politeness, self._luck())
        back = self._plan_fate(draft, queue, row, curi, suffix, disposition)
        additions = self._scheduler.plan(draft, discovered) if discovered else []
        is_spent = self._place(draft, queue, row, host)
        entry = finish_entry(queue, suffix, disposition, back[0] if back else b"")
        number = self._journal.add(draft, entry, disposition.spans)
        draft.commit()
        self._journal.added(number, disposition.spans)
        queue.settle(suffix)
        self._turns.in_process -= 1
        if back is not None:
            queue.insert(*back)
        self._after_host(queue, host)
        queue.is_spent = queue.is_spent or is_spent
        self._added(additions, queue)
        self._moved()

    def _plan_fate(
        self, draft: Draft, queue: WorkQueue, row: QueueRow, curi: CrawlURI, suffix: bytes, told: Disposition
    ) -> tuple[bytes, bytes] | None:
        """What becomes of the URI; its new place if it is tried again."""
        back = None
        if told.fate is Fate.RETRY:
            back = requeue_uri(draft, queue, curi, suffix, told)
        else:
            settle_uri(draft, queue, row, curi, suffix, told)
        draft.counters.count_fate(told.fate)
        draft.counters.wire_bytes += told.wire_bytes
        row.bound = queue.bound_without(suffix)
        if back is not None:
            row.bound = min(row.bound, back[0])
        return back

    def _place(self, draft: Draft, queue: WorkQueue, row: QueueRow, host: Host) -> bool:
        """Where the queue is to be found from now on; True if its session is over."""
        now = self._clock.monotonic()
        row.wake = self._turns.times.wall(host.rest_until) if host.rest_until > now else 0.0
        row.balance -= 1
        if row.queued == 0 or row.is_retired:
            draft.unplace(queue.class_key, row)
        elif host.rest_until - now > NEAR_SECONDS or (self._bench.is_crowded and host.rest_until > now):
            draft.place_snoozed(queue.class_key, row, row.wake)
        elif row.balance <= 0:
            row.balance = SESSION
            draft.place_inactive(queue.class_key, row)
            return True
        return False

    def _after_host(self, queue: WorkQueue, host: Host) -> None:
        queue.rest_until = host.rest_until
        if host.has_stumbled:
            queue.stumbled_at = self._clock.monotonic()

    def _finish_stray(
        self, curi: CrawlURI, told: Disposition, discovered: Sequence[CrawlURI], queue: WorkQueue | None
    ) -> None:
        """The URI was deleted, or settled or given back before: only what was archived and discovered counts."""
        draft = self._ledger.draft()
        draft.counters.strays += 1
        draft.counters.wire_bytes += told.wire_bytes
        additions = self._scheduler.plan(draft, discovered) if discovered else []
        entry = JournalEntry(step=Step.CAPTURE, spans=store_spans(told.spans), wire_bytes=told.wire_bytes)
        number = self._journal.add(draft, entry, told.spans)
        draft.commit()
        self._journal.added(number, told.spans)
        is_ghost = queue is not None and suffix_of(curi) in queue.ghosts
        if queue is not None and is_ghost:
            queue.settle(suffix_of(curi))
            self._turns.in_process -= 1
            if told.requested:
                queue.rest_until = max(queue.rest_until, told.started + self._turns.gap(queue.row))
        self._added(additions, queue if is_ghost else None)
        self._moved()

    def _luck(self) -> Luck:
        return Luck(self._clock.monotonic(), self._random.random())

    # ---- robots.txt and other captures

    def robots(self, authority: str) -> RobotsRecord | None:
        record = self._store.get(ROBOTS, authority.encode())
        return None if record is None else decode_robots(record)

    def begin_robots(self, authority: str, class_key: ClassKey) -> bool:
        if authority in self._claims:
            return False
        queue = self._turns.active(class_key)
        if queue is None:
            row = self._ledger.row(class_key)
            if row is None:
                raise StateError(f"there is no queue {class_key}")
            queue = self._turns.activate(class_key, row)
        self._claims[authority] = class_key
        queue.claims.add(authority)
        self._turns.settle(queue, QueueEvent.HELD)
        return True

    def note_robots(self, record: RobotsRecord, class_key: ClassKey, disposition: Disposition) -> None:
        draft = self._ledger.draft()
        draft.batch.put(ROBOTS, record.authority.encode(), encode_robots(record))
        draft.counters.wire_bytes += disposition.wire_bytes
        queue = self._turns.active(class_key)
        host = None
        if queue is not None:
            row = draft.row(class_key, queue.row.precedence)
            host = treat_host(row, queue, disposition, None, self._politeness, self._luck())
            if record.outcome == "unreachable":
                rest = max(0.0, record.next_try - self._clock.wall())
                host.rest_until = max(host.rest_until, self._clock.monotonic() + rest)
            self._place(draft, queue, row, host)
        entry = JournalEntry(
            step=Step.ROBOTS,
            spans=store_spans(disposition.spans),
            wire_bytes=disposition.wire_bytes,
            authority=record.authority,
        )
        number = self._journal.add(draft, entry, disposition.spans)
        draft.commit()
        self._journal.added(number, disposition.spans)
        if queue is not None and host is not None:
            self._after_host(queue, host)
        self.abandon_robots(record.authority, class_key)

    def abandon_robots(self, authority: str, class_key: ClassKey) -> None:
        if self._claims.pop(authority, None) is None:
            return
        queue = self._turns.active(class_key)
        if queue is not None:
            queue.claims.discard(authority)
            self._turns.settle(queue, QueueEvent.FREED)
        self._moved()

    def note_capture(self, spans: Sequence[Span]) -> None:
        draft = self._ledger.draft()
        number = self._journal.add(draft, JournalEntry(step=Step.CAPTURE, spans=store_spans(list(spans))), spans)
        draft.commit()
        self._journal.added(number, spans)

    def unreachable(self, class_key: ClassKey) -> bool:
        row = self._ledger.row(class_key)
        return row is not None and row.is_unreachable

    # ---- what the controller calls

    def seek(self, target: FrontierTarget) -> None:
        if target is FrontierTarget.EMPTY:
            raise StateError("EMPTY is reached, not sought", allowed=["run", "hold", "pause", "finish"])
        if self._target is FrontierTarget.FINISH and target is not FrontierTarget.FINISH:
            raise StateError("the frontier was told to finish", allowed=["finish"])
        self._target = target
        if target is FrontierTarget.FINISH:
            self._waiters.close()
        self._moved()

    @property
    def reached(self) -> FrontierTarget:
        if self._target is FrontierTarget.RUN:
            return FrontierTarget.EMPTY if self.is_empty() else FrontierTarget.RUN
        return FrontierTarget.HOLD if self._turns.in_process else self._target

    async def wait_reached(self, *targets: FrontierTarget) -> FrontierTarget:
        if self.reached in targets:
            return self.reached
        return await self._milestones.wait(frozenset(targets))

    @property
    def is_page_limit_reached(self) -> bool:
        return self.max_pages is not None and self._ledger.counters.pages >= self.max_pages

    def counts(self) -> FrontierCounts:
        counters = self._ledger.counters
        active = self._bench.queues
        return counters.report(
            in_process=self._turns.in_process,
            active=len(active),
            snoozed=self._bench.snoozed + counters.placed_snoozed - self._count_placed(2),
            inactive=counters.placed_inactive - self._count_placed(1),
        )

    def _count_placed(self, place: int) -> int:
        return sum(1 for queue in self._bench.queues.values() if queue.row.place == place)

    @property
    def wire_bytes(self) -> int:
        """Bytes received, over all runs; what `counts` says, without making a report."""
        return self._ledger.counters.wire_bytes

    def is_empty(self) -> bool:
        counters = self._ledger.counters
        return counters.queued == counters.retired and self._turns.in_process == 0

    # ---- what the operator asks

    def docid_of(self, identity: Identity) -> DocId | None:
        record = self._seen.record(identity)
        return None if record is None else docid_in(record)

    def seen(self, identity: Identity) -> Seen | None:
        return self._seen.find(identity)

    def note_seen(self, identity: Identity, docid: DocId | None = None) -> DocId:
        record = self._seen.record(identity)
        if record is not None:
            return docid_in(record)
        draft = self._ledger.draft()
        if docid is not None and docid <= draft.counters.last_docid:
            raise ValueError(f"doc id {docid} does not rise above {draft.counters.last_docid}")
        given = draft.counters.last_docid + 1 if docid is None else docid
        draft.counters.last_docid = given
        draft.batch.put(SEEN, identity, encode_noted(given))
        draft.commit()
        return DocId(given)

    def queues(self) -> Iterator[QueueReport]:
        for class_key, row in stored_queues(self._store):
            if row.queued:
                yield self._report(class_key, row)

    def why(self, class_key: ClassKey) -> QueueReport | None:
        row = self._ledger.row(class_key)
        return None if row is None else self._report(class_key, row)

    def _report(self, class_key: ClassKey, row: QueueRow) -> QueueReport:
        queue = self._turns.active(class_key)
        now = self._clock.monotonic()
        return queue_report(class_key, queue.row if queue else row, queue, self._turns.times, now)

    def retire(self, class_key: ClassKey) -> bool:
        """Take a queue out of the crawl, keeping its URIs; False if it is out, or there is none."""
        is_retired = self._operations.retire(class_key)
        self._moved()
        return is_retired

    def revive(self, class_key: ClassKey) -> int:
        """Bring a queue back, and every URI of it that FAILED; how many those were."""
        count = self._operations.revive(class_key)
        self._moved()
        return count

    async def delete_matching(self, is_doomed: Callable[[CrawlURI], bool], class_key: ClassKey | None = None) -> int:
        """Delete the waiting URIs that `is_doomed` picks, of one queue or of all; how many.

        Works in batches and lets others work between them. What is scheduled meanwhile may or may not be seen.
        """
        count = 0
        async for deleted in self._operations.delete_matching(is_doomed, class_key, self._clock.wall()):
            count += deleted
            self._moved()
            await asyncio.sleep(0)
        return count

    # ---- durability

    @property
    def uncommitted(self) -> int:
        """Steps that a loss of power would cost."""
        return self._journal.uncommitted

    @property
    def uncommitted_bytes(self) -> int:
        """Bytes appended to files since the last commit began."""
        return self._journal.uncommitted_bytes

    async def commit(self, sync_files: Callable[[list[str]], None], executor: Executor | None = None) -> None:
        """Make everything settled before this call durable, in a thread; crawling goes on meanwhile.

        `sync_files` syncs the files it is given and may run beside appends. Raises DiskFull or StorageError if a sync
        failed: then whatever is not durable is undone at the next start, and the frontier should be closed.
        """
        async with self._committing:
            number, files = self._journal.begin_commit()

            def sync() -> None:
                sync_files(files)
                self._store.sync()

            try:
                await blocking_in(executor, sync)
            except StorageError:
                self._journal.fail_commit(files)
                self._journal.mark_suspect()
                raise
            except BaseException:
                self._journal.fail_commit(files)
                raise
            self._journal.end_commit(number)

    def register_file(self, file: str) -> None:
        """Name a file before it is made; its tail is 0."""
        self._journal.register(file)

    def mark_closed(self, file: str) -> None:
        """A file was synced and got its final name."""
        self._journal.close_file(file)

    def known_files(self) -> list[str]:
        """Every file ever registered that recovery did not forget, closed ones included."""
        return self._journal.known_files()

    def open_files(self) -> dict[str, int]:
        """Each file that may still grow, and its tail."""
        return self._journal.open_files()

    def mark_clean(self) -> bool:
        """Note, as the last thing before `close`, that nothing is left to be checked at the next start.

        False, and nothing noted, while a URI or a robots.txt is in process or something settled is not durable.
        """
        if self._turns.in_process or self._claims or self._journal.uncommitted:
            return False
        draft = self._ledger.draft()
        # A URI may have been given back after its request was sent, which wrote nothing.
        for queue in self._bench.queues.values():
            row = draft.row(queue.class_key, queue.row.precedence)
            row.wake = max(row.wake, self._turns.times.wall(queue.rest_until))
        draft.batch.put(META, STOPPED_CLEANLY, b"1")
        draft.commit()
        return True

    def note(self, name: str) -> str | None:
        """What the controller kept under this name; None if nothing."""
        value = self._store.get(META, NOTE_PREFIX + name.encode())
        return None if value is None else value.decode()

    def put_note(self, name: str, text: str) -> None:
        """Keep a few words for the next run."""
        self._put_meta(NOTE_PREFIX + name.encode(), text.encode())

    def promoted_seeds(self) -> Iterator[str]:
        """URLs that became seeds because a seed was redirected to them, oldest first."""
        stop = PROMOTED_PREFIX[:-1] + bytes([PROMOTED_PREFIX[-1] + 1])
        for _, url in scan_all(self._store, META, PROMOTED_PREFIX, stop):
            yield url.decode()

    def _put_meta(self, key: bytes, value: bytes) -> None:
        batch = self._store.batch()
        batch.put(META, key, value)
        self._store.write(batch)

    def validate(self) -> None:
        validate(self._store, self._ledger, self._bench, self._turns, self._clock.monotonic())

    def close(self) -> None:
        if not self._is_open:
            return
        self._is_open = False
        self._waiters.close()
        if self._timer is not None:
            self._timer[1].cancel()
        self._store.close()
