"""The frontier's contract: what every implementation promises, and the records it speaks in.

One owner, one event loop: no method may be called from another thread. Everything but `next` and `next_batch` is
synchronous and complete when it returns: settled in the store (survives kill -9), or raised and nothing changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Protocol

import msgspec

from gossamer.errors import StateError
from gossamer.model.crawluri import ClassKey, CrawlURI, DocId, Identity
from gossamer.model.disposition import Disposition, Fate, Span
from gossamer.model.fetchstatus import FetchStatus


class FrontierTarget(Enum):
    """What the frontier is asked to be, and (the same words) what it reports to have reached."""

    RUN = "run"
    """Hands out URIs."""
    EMPTY = "empty"
    """Reported only: running, but nothing eligible is queued, snoozed or in process."""
    HOLD = "hold"
    """Hands out nothing for a moment; toes keep waiting."""
    PAUSE = "pause"
    """Hands out nothing; reached when nothing is in process."""
    FINISH = "finish"
    """Hands out nothing any more; waiters get FrontierClosed; reached when nothing is in process."""

    def check_successor(self, wanted: FrontierTarget) -> None:
        """Raises StateError for one that cannot be sought, or not any more."""
        if wanted is FrontierTarget.EMPTY:
            raise StateError("EMPTY is reached, not sought", allowed=["run", "hold", "pause", "finish"])
        if self is FrontierTarget.FINISH and wanted is not FrontierTarget.FINISH:
            raise StateError("the frontier was told to finish", allowed=["finish"])


class FrontierCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Exact numbers, each defined; they survive a crash exactly.

    discovered = queued + succeeded + failed + disregarded, counting a forced or revived URI again.
    """

    discovered: int = 0
    """URLs ever scheduled."""
    queued: int = 0
    """URIs not finished: waiting or in process, eligible or not."""
    retired: int = 0
    """Of `queued`, those in retired queues: not eligible."""
    in_process: int = 0
    """Handed out and not yet finished or given back."""
    succeeded: int = 0
    failed: int = 0
    disregarded: int = 0
    retried: int = 0
    """Attempts that ended in RETRY."""
    pages: int = 0
    """Outcomes that count for max_pages."""
    wire_bytes: int = 0
    queues: int = 0
    """WorkQueues ever made."""
    active_queues: int = 0
    """Queues held in memory."""
    snoozed_queues: int = 0
    inactive_queues: int = 0
    reasons: dict[str, int] = {}
    """By `Disposition.reason` of every final outcome that has one."""


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one URL: the answer to `lookup`."""

    docid: DocId
    fate: Fate | None = None
    """None while it waits, or if it was only noted as seen."""
    status: int = 0
    when: float = 0.0
    reason: str = ""
    attempts: int = 0

    @property
    def is_told_by_its_queue(self) -> bool:
        """Whether its queue has more to say: when it waits, and why its host could not be reached."""
        return self.fate is None or self.status == FetchStatus.CONNECT_FAILED.code


class RobotsRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What the frontier keeps of one authority's robots.txt; the text is parsed by `robots`."""

    authority: str
    """Scheme, host and port: `https://example.org`."""
    fetched: float
    """Wall time of the answer, or of the last try."""
    outcome: str
    """`rules`, `allow_all`, `redirected`, `unreachable` (tried again at `next_try`), `gave_up`."""
    body: bytes = b""
    """At most 512 KiB (RFC 9309 2.5); of a redirect the URL it leads to."""
    status: int = 0
    tries: int = 0
    """Failed tries in a row."""
    redirects: int = 0
    """Redirects followed in a row to get here."""
    has_answered: bool = False
    """Whether the host ever sent an HTTP response in this job."""
    next_try: float = 0.0
    """Wall time before which an unreachable one is not tried again."""
    detail: str = ""
    """Of a failure: one printable line, at most 200 characters: `127.0.0.1:9: connection refused`."""


class QueueReport(msgspec.Struct, frozen=True, kw_only=True):
    """One WorkQueue, and why it waits."""

    class_key: ClassKey
    state: str
    queued: int
    in_process: int
    wake: float | None = None
    """Wall time at which it wakes, if snoozed."""
    why: str = ""
    """One sentence."""
    failures: int = 0
    """Host failures in a row."""


class Frontier(Protocol):
    """All WorkQueues of one job. See `gossamer.frontier` for the life of a URI and of a queue."""

    # ---- what toes call

    def identify(self, canonical: str, host: str) -> Identity:
        """The identity of a canonical URL, keyed with this job's own key."""

    def identify_all(self, links: Sequence[tuple[str, str]]) -> list[Identity]:
        """The same for each canonical URL with its host: cheaper, for the links of a page."""

    def unseen(self, identities: Sequence[Identity]) -> list[bool]:
        """For each, whether it is not known. A hint from one multi-get: `schedule` and `finish` decide."""

    def schedule(self, candidates: Iterable[CrawlURI], *, force: bool = False) -> int:
        """Queue those unseen (with `force` all), with new doc ids, in order; return how many were queued.

        A candidate that has a doc id gets that. Atomic per batch of 500. Raises ValueError, with its batch not queued,
        for a doc id that does not rise above every one given so far.
        """

    async def next(self) -> CrawlURI:
        """Wait for a ready queue and take the URI at its front, which stays stored until it is finished.

        Cancel-safe: a URI handed to a cancelled waiter goes to the next waiter or back. With `max_pages` set it hands
        out no more than could still count. Raises FrontierClosed when told to end.
        """

    async def next_batch(self, n: int) -> list[CrawlURI]:
        """One `next` that may wait, and up to n-1 more that may not."""

    def started(self, curi: CrawlURI, when: float) -> None:
        """The request for `curi` was sent at monotonic `when`: the gap to the host's next request counts from it."""

    def finish(self, curi: CrawlURI, disposition: Disposition, discovered: Sequence[CrawlURI] = ()) -> None:
        """Settle one attempt in one atomic batch: fate, discoveries, counters, queue row, tails, journal.

        At most 500 discoveries; more are scheduled before. A URI deleted meanwhile is a counted no-op.
        """

    def give_back(self, curi: CrawlURI) -> None:
        """Back to its place: nothing written, nobody charged."""

    # ---- robots.txt and other captures without a queue entry

    def robots(self, authority: str) -> RobotsRecord | None:
        """What is kept of its robots.txt, however old."""

    def begin_robots(self, authority: str, class_key: ClassKey, host: ClassKey | None = None) -> bool:
        """Claim the fetch of an authority's robots.txt; False if another toe has it.

        Until it is noted or abandoned the queue hands out no further URI, so losers give theirs back and need not wait.
        `host` is the one that will be asked, where it is not the queue's own: it gives no URI meanwhile either. While
        it is not its turn: False, and the queue sleeps until it is (`frontier.visits`).
        """

    def note_robots(
        self, record: RobotsRecord, class_key: ClassKey, disposition: Disposition, host: ClassKey | None = None
    ) -> None:
        """Store the record, the spans of its capture and the rest of who was asked in one batch; ends the claim.

        For an unreachable one the queue sleeps until `record.next_try`.
        """

    def abandon_robots(self, authority: str, class_key: ClassKey) -> None:
        """End the claim without a result; idempotent."""

    def note_capture(self, spans: Sequence[Span]) -> None:
        """Store the spans of a capture that belongs to no URI (DNS, warcinfo) in one batch."""

    def unreachable(self, class_key: ClassKey) -> bool:
        """Whether the host spent all tries of its schedule: its URIs end as FAILED without a request."""

    # ---- what the controller calls

    def seek(self, target: FrontierTarget) -> None:
        """Head for RUN, HOLD, PAUSE or FINISH; `reached` tells when it is there."""

    @property
    def reached(self) -> FrontierTarget:
        """The state it is in now."""

    async def wait_reached(self, *targets: FrontierTarget) -> FrontierTarget:
        """Wait until one of `targets` is reached, and return it."""

    @property
    def is_page_limit_reached(self) -> bool:
        """Whether as many pages were fetched as `max_pages` allows."""

    def counts(self) -> FrontierCounts: ...

    def is_empty(self) -> bool:
        """Nothing eligible queued, nothing snoozed with items, nothing in process."""

    # ---- what the operator asks

    def docid_of(self, identity: Identity) -> DocId | None:
        """None if unknown. No side effect."""

    def seen(self, identity: Identity) -> Seen | None:
        """What became of it; None if unknown."""

    def note_seen(self, identity: Identity, docid: DocId | None = None) -> DocId:
        """Mark as known without queueing; the old doc id if it was known.

        Raises ValueError if `docid` does not rise above every one given so far.
        """

    def queues(self) -> Iterator[QueueReport]:
        """Every queue that has URIs, in key order."""

    def why(self, class_key: ClassKey) -> QueueReport | None:
        """One queue; None if there never was one."""

    # ---- durability

    def validate(self) -> None:
        """Check every table against every counter; raises AssertionError with what differs. For tests; slow."""

    def close(self) -> None:
        """Drop every handle. The store stays valid without it."""
