"""LocalFrontier: the frontier of one job, in one process, on a KV.

This is only the front. The work is in the parts: `scheduling`, `finishing` and `captures` change the store by drafts
on the `ledger`, `turns` finds the next URI, `dispatch` gives it to who waits, `journal` keeps what an unclean stop
must undo, `recovery` undoes it before anything else happens.

A batch is written first, memory follows: what raises has changed nothing.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from itertools import islice
from pathlib import Path

from gossamer.config import Politeness
from gossamer.frontier.base import FrontierCounts, FrontierTarget, QueueReport, RobotsRecord, Seen
from gossamer.frontier.captures import Captures
from gossamer.frontier.dispatch import Dispatch
from gossamer.frontier.finishing import Finisher
from gossamer.frontier.hosts import Hosts
from gossamer.frontier.journal import Journal
from gossamer.frontier.keys import META, NOTE_PREFIX, PROMOTED_PREFIX, SEEN, STOPPED_CLEANLY, suffix_of
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.operations import Operations
from gossamer.frontier.precedence import QueuePrecedence, equal
from gossamer.frontier.queue_state import QueueEvent
from gossamer.frontier.records import Place, QueueRow, docid_in, encode_noted
from gossamer.frontier.recovery import ArchiveFiles, NoFiles, recover
from gossamer.frontier.report import Reporter, stored_queues
from gossamer.frontier.scheduling import Scheduler
from gossamer.frontier.seen import Identifier, SeenIndex, identity_key
from gossamer.frontier.turns import Turns
from gossamer.frontier.validation import validate
from gossamer.frontier.workbench import Workbench
from gossamer.model.crawluri import ClassKey, CrawlURI, DocId, Identity
from gossamer.model.disposition import Disposition, Span
from gossamer.storage.kv import KV, scan_all
from gossamer.util.clock import Clock

BATCH = 500
"""Candidates per batch: a write holds the interpreter, and 500 take 5 ms."""
PAGE_ROWS = 5000
"""Rows of queues read in one step."""


class LocalFrontier:
    """All WorkQueues of one job. Everything that is not `async` is synchronous and settled when it returns."""

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
        self._bench = Workbench()
        self._ledger = Ledger(store, self._bench.queues)
        is_calm = self.recovery.is_first or self.recovery.was_clean
        self._turns = Turns(self._ledger, self._bench, politeness, clock, is_calm)
        self._reporter = Reporter(store, self._turns.times, politeness)
        self._hosts = hosts = Hosts(politeness, self._bench, self._turns.times, clock, random.Random(seed))
        # Called for every link, `next` and `robots` for every URI: so there is no method in front of them.
        identifier = Identifier(identity_key(store))
        self.identify, self.identify_all = identifier.identify, identifier.identify_all
        self._seen = SeenIndex(store)
        self.unseen = self._seen.unseen
        self._scheduler = Scheduler(self._seen, self._turns, precedence)
        self._journal = Journal(store)
        self._finisher = Finisher(self._ledger, self._turns, hosts, self._scheduler, self._journal)
        self._captures = Captures(self._ledger, self._turns, hosts, self._journal, clock, precedence)
        self._operations = Operations(self._ledger, self._turns)
        self._dispatch = Dispatch(self._ledger, self._turns, clock, self.give_back, max_pages)
        self.next = self._dispatch.next
        self.robots = self._captures.robots
        self._is_open = True

    # ---- what toes call

    def schedule(self, candidates: Iterable[CrawlURI], *, force: bool = False) -> int:
        remaining = iter(candidates)
        scheduled = 0
        while batch := list(islice(remaining, BATCH)):
            draft = self._ledger.draft()
            additions = self._scheduler.plan(draft, batch, force=force)
            if additions:
                draft.commit()
                self._scheduler.apply(additions)
                self._dispatch.moved()
                scheduled += len(additions)
        return scheduled

    async def next_batch(self, n: int) -> list[CrawlURI]:
        batch = [await self._dispatch.next()]
        while len(batch) < n and (curi := self._dispatch.take()) is not None:
            batch.append(curi)
        return batch

    def started(self, curi: CrawlURI, when: float) -> None:
        queue = self._turns.active(curi.class_key)
        if queue is None:
            return
        if queue.awaiting_start is None and queue.row.gap <= 0 and self._turns.politeness.delay <= 0:
            # At delay 0 nothing waits for a start, and this is called for every request.
            return
        queue.rest_until = max(queue.rest_until, when + self._turns.gap(queue.row))
        if queue.awaiting_start == suffix_of(curi):
            queue.awaiting_start = None
        self._turns.settle(queue, QueueEvent.STARTED)
        self._dispatch.moved()

    def give_back(self, curi: CrawlURI) -> None:
        queue = self._turns.active(curi.class_key)
        if queue is None or not queue.put_back(suffix_of(curi)):
            return
        self._turns.in_process -= 1
        self._turns.settle(queue, QueueEvent.RETURNED)
        self._dispatch.moved()

    def finish(self, curi: CrawlURI, disposition: Disposition, discovered: Sequence[CrawlURI] = ()) -> None:
        if len(discovered) > BATCH:
            raise ValueError(f"{len(discovered)} discoveries in one finish; schedule all but {BATCH} before")
        self._finisher.finish(curi, disposition, discovered)
        self._dispatch.finished()

    # ---- robots.txt and other captures

    def begin_robots(self, authority: str, class_key: ClassKey, host: ClassKey | None = None) -> bool:
        is_begun = self._captures.begin_robots(authority, class_key, host)
        if host is not None:
            self._dispatch.moved()
        return is_begun

    def note_robots(
        self, record: RobotsRecord, class_key: ClassKey, disposition: Disposition, host: ClassKey | None = None
    ) -> None:
        self._captures.note_robots(record, class_key, disposition, host)
        self._dispatch.moved()

    def abandon_robots(self, authority: str, class_key: ClassKey) -> None:
        self._captures.abandon_robots(authority)
        self._dispatch.moved()

    def note_capture(self, spans: Sequence[Span]) -> None:
        self._captures.note_capture(spans)

    def unreachable(self, class_key: ClassKey) -> bool:
        row = self._ledger.row(class_key)
        return row is not None and row.is_unreachable

    # ---- what the controller calls

    def seek(self, target: FrontierTarget) -> None:
        self._dispatch.seek(target)

    @property
    def reached(self) -> FrontierTarget:
        return self._dispatch.reached

    async def wait_reached(self, *targets: FrontierTarget) -> FrontierTarget:
        return await self._dispatch.wait_reached(frozenset(targets))

    @property
    def is_page_limit_reached(self) -> bool:
        return self._dispatch.is_page_limit_reached

    def set_politeness(self, politeness: Politeness) -> None:
        """Treat hosts by other delays from now on. The rest that a host is in stays as long as it is."""
        self._turns.set_politeness(politeness)
        self._hosts.set_politeness(politeness)
        self._reporter.politeness = politeness
        self._dispatch.moved()

    def set_max_pages(self, max_pages: int | None) -> None:
        """Hand out no more than could still count towards so many pages."""
        self._dispatch.set_max_pages(max_pages)

    def counts(self) -> FrontierCounts:
        counters = self._ledger.counters
        # An active queue keeps its place, but does not rest there.
        places = [queue.row.place for queue in self._bench.queues.values()]
        return counters.report(
            in_process=self._turns.in_process,
            active=len(places),
            snoozed=self._bench.snoozed + counters.placed_snoozed - places.count(Place.SNOOZED),
            inactive=counters.placed_inactive - places.count(Place.INACTIVE),
        )

    @property
    def ready_queues(self) -> int:
        """Active queues that could give a URI now, if there were a toe for it."""
        return self._bench.ready

    @property
    def wire_bytes(self) -> int:
        """Bytes received, over all runs; what `counts` says, without making a report."""
        return self._ledger.counters.wire_bytes

    def is_empty(self) -> bool:
        return self._dispatch.is_empty

    # ---- what the operator asks

    def docid_of(self, identity: Identity) -> DocId | None:
        record = self._seen.record(identity)
        return None if record is None else docid_in(record)

    def seen(self, identity: Identity) -> Seen | None:
        return self._seen.find(identity)

    def note_seen(self, identity: Identity, docid: DocId | None = None) -> DocId:
        known = self.docid_of(identity)
        if known is not None:
            return known
        draft = self._ledger.draft()
        last = draft.counters.last_docid
        if docid is not None and docid <= last:
            raise ValueError(f"doc id {docid} does not rise above {last}")
        given = DocId(last + 1) if docid is None else docid
        draft.counters.last_docid = given
        draft.batch.put(SEEN, identity, encode_noted(given))
        draft.commit()
        self._seen.added([identity])
        return given

    def queues(self) -> Iterator[QueueReport]:
        for class_key, row in stored_queues(self._store):
            if row.queued:
                yield self._report(class_key, row)

    def queues_page(self, after: str, limit: int) -> tuple[list[QueueReport], ClassKey | None]:
        """Up to `limit` queues that have URIs, behind the key `after`, and the key to go on behind; None at the end.

        Looks at no more than PAGE_ROWS rows, so that others wait for milliseconds: there may be fewer, or none yet.
        """
        found: list[QueueReport] = []
        for number, (class_key, row) in enumerate(stored_queues(self._store, after), start=1):
            if row.queued:
                found.append(self._report(class_key, row))
            if len(found) == limit or number == PAGE_ROWS:
                return found, class_key
        return found, None

    def why(self, class_key: ClassKey) -> QueueReport | None:
        row = self._ledger.row(class_key)
        return None if row is None else self._report(class_key, row)

    def _report(self, class_key: ClassKey, row: QueueRow) -> QueueReport:
        queue = self._turns.active(class_key)
        return self._reporter.report(class_key, row, queue, self._clock.monotonic())

    def retire(self, class_key: ClassKey) -> bool:
        """Take a queue out of the crawl, keeping its URIs; False if it is out, or there is none."""
        is_retired = self._operations.retire(class_key)
        self._dispatch.moved()
        return is_retired

    def revive(self, class_key: ClassKey) -> int:
        """Bring a queue back, and every URI of it that FAILED; how many those were."""
        count = self._operations.revive(class_key)
        self._dispatch.moved()
        return count

    async def delete_matching(self, is_doomed: Callable[[CrawlURI], bool], class_key: ClassKey | None = None) -> int:
        """Delete the waiting URIs that `is_doomed` picks, of one queue or of all; how many.

        Works in batches and lets others work between them. What is scheduled meanwhile may or may not be seen.
        """
        count = 0
        async for deleted in self._operations.delete_matching(is_doomed, class_key, self._clock.wall()):
            count += deleted
            self._dispatch.moved()
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
        await self._journal.commit(sync_files, executor)

    def register_file(self, file: str) -> None:
        """Name a file before it is made; its tail is 0."""
        self._journal.register(file)

    def mark_closed(self, file: str) -> None:
        """A file was synced and got its final name."""
        self._journal.close_file(file)

    def checkpoint(self, folder: Path) -> FrontierCounts:
        """Copy the store into `folder`, which must not exist, by hard links; the counts that the copy holds.

        Holds up the event loop while it lasts, so that copy and counts are of one moment. Raises StorageError.
        """
        self._store.checkpoint(folder)
        return self.counts()

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
        if self._turns.in_process or self._captures.claims or self._journal.uncommitted:
            return False
        draft = self._ledger.draft()
        # A URI may have been given back after its request was sent, which wrote nothing.
        for queue in self._bench.queues.values():
            row = draft.row(queue.class_key)
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
        batch = self._store.batch()
        batch.put(META, NOTE_PREFIX + name.encode(), text.encode())
        self._store.write(batch)

    def promoted_seeds(self) -> Iterator[str]:
        """URLs that became seeds because a seed was redirected to them, oldest first."""
        stop = PROMOTED_PREFIX[:-1] + bytes([PROMOTED_PREFIX[-1] + 1])
        for _, url in scan_all(self._store, META, PROMOTED_PREFIX, stop):
            yield url.decode()

    def validate(self) -> None:
        validate(self._store, self._ledger, self._bench, self._turns, self._clock.monotonic())

    def flush(self) -> None:
        """Have the store close and open quickly; in a thread, when nothing writes any more. Raises StorageError."""
        self._store.flush()

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._dispatch.close()
            self._store.close()
