"""ToeServices: all that a toe knows of the rest of the crawl, and its implementation inside the frontier's process.

Everything that passes here can be encoded, so toes may live in worker processes one day. The frontier, the archive
and the log meet in `finish`: the log line is appended and the batch written in one step without an await between, so
no crash can part them by more than what recovery cuts away.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec.structs import replace

from gossamer.fetch.dns import DnsAnswer
from gossamer.frontier import Frontier, RobotsRecord
from gossamer.model.crawluri import ClassKey, CrawlURI, Identity
from gossamer.model.disposition import Disposition, Fate, Span
from gossamer.stats.crawllog import CrawlLog
from gossamer.util.clock import Clock
from gossamer.warc import Lease, WarcPool

BATCH = 500
"""Discoveries in one store batch: a write holds the GIL, and 500 links cost about 2 ms."""


class ToeServices(Protocol):
    """What the processors of a toe may ask."""

    clock: Clock

    async def next(self) -> CrawlURI: ...

    def started(self, curi: CrawlURI, when: float) -> None: ...

    def give_back(self, curi: CrawlURI) -> None: ...

    def schedule(self, candidates: Sequence[CrawlURI]) -> int: ...

    def finish(
        self,
        curi: CrawlURI,
        disposition: Disposition,
        discovered: Sequence[CrawlURI],
        spans: tuple[Span, ...],
        lines: Sequence[str],
    ) -> None:
        """Append the log lines and settle the attempt, with the spans of its records, in one step; at most BATCH
        discoveries.
        """

    def identify(self, canonical: str, host: str) -> Identity: ...

    def identify_all(self, links: Sequence[tuple[str, str]]) -> list[Identity]: ...

    def unseen(self, identities: Sequence[Identity]) -> list[bool]: ...

    def unreachable(self, class_key: ClassKey) -> bool: ...

    def robots(self, authority: str) -> RobotsRecord | None: ...

    def begin_robots(self, authority: str, class_key: ClassKey, host: ClassKey | None = None) -> bool: ...

    def note_robots(
        self,
        record: RobotsRecord,
        class_key: ClassKey,
        disposition: Disposition,
        lines: Sequence[str],
        host: ClassKey | None = None,
    ) -> None: ...

    def abandon_robots(self, authority: str, class_key: ClassKey) -> None: ...

    def note_capture(self, spans: Sequence[Span], lines: Sequence[str]) -> None:
        """Append the log lines, and store the spans of records that belong to no URI, in one step."""

    def take_dns_answers(self) -> list[DnsAnswer]:
        """The look-ups made since the last call, to be archived by whoever writes next."""

    def put_back_dns_answers(self, answers: Sequence[DnsAnswer]) -> None:
        """They could not be archived after all; the next who writes gets them."""

    def network_trouble(self, detail: str) -> None:
        """The crawl's own way out failed: when this returns nobody gets another URI until that is over."""

    def lease(self) -> Lease | None:
        """A WARC file to append to; None when nothing is archived."""


class LocalServices:
    """The services of a toe in the frontier's own event loop."""

    def __init__(self, frontier: Frontier, clock: Clock, pool: WarcPool | None, crawl_log: CrawlLog | None) -> None:
        self.clock = clock
        self._frontier = frontier
        self._pool = pool
        self._crawl_log = crawl_log
        self._dns_answers: deque[DnsAnswer] = deque(maxlen=1000)
        self.network_trouble: Callable[[str], None] = lambda detail: None
        """Set by who watches over the network."""
        self.next = frontier.next
        self.started = frontier.started
        self.give_back = frontier.give_back
        self.identify = frontier.identify
        self.identify_all = frontier.identify_all
        self.unseen = frontier.unseen
        self.unreachable = frontier.unreachable
        self.robots = frontier.robots
        self.begin_robots = frontier.begin_robots
        self.abandon_robots = frontier.abandon_robots

    def schedule(self, candidates: Sequence[CrawlURI]) -> int:
        return self._frontier.schedule(candidates)

    def finish(
        self,
        curi: CrawlURI,
        disposition: Disposition,
        discovered: Sequence[CrawlURI],
        spans: tuple[Span, ...],
        lines: Sequence[str],
    ) -> None:
        self._settle(disposition, spans, lines, lambda told: self._frontier.finish(curi, told, discovered))

    def note_robots(
        self,
        record: RobotsRecord,
        class_key: ClassKey,
        disposition: Disposition,
        lines: Sequence[str],
        host: ClassKey | None = None,
    ) -> None:
        spans = disposition.spans
        self._settle(disposition, spans, lines, lambda told: self._frontier.note_robots(record, class_key, told, host))

    def note_capture(self, spans: Sequence[Span], lines: Sequence[str]) -> None:
        noted = Disposition(fate=Fate.SUCCEEDED, status=0)
        self._settle(noted, tuple(spans), lines, lambda told: self._frontier.note_capture(told.spans))

    def _settle(
        self,
        disposition: Disposition,
        spans: tuple[Span, ...],
        lines: Sequence[str],
        batch: Callable[[Disposition], None],
    ) -> None:
        """Append the lines, and store the batch with all spans; if that fails the lines are taken back."""
        log = self._crawl_log
        if log is None or not lines:
            batch(replace(disposition, spans=spans))
            return
        log.turn_over()
        position = log.position
        spans += log.append_all(lines)
        try:
            batch(replace(disposition, spans=spans))
        except BaseException:
            log.rollback(position)
            raise

    def note_dns(self, answer: DnsAnswer) -> None:
        """Called by the resolver for each look-up on the network."""
        if self._pool is not None:
            self._dns_answers.append(answer)

    def take_dns_answers(self) -> list[DnsAnswer]:
        if not self._dns_answers:
            return []
        answers = list(self._dns_answers)
        self._dns_answers.clear()
        return answers

    def put_back_dns_answers(self, answers: Sequence[DnsAnswer]) -> None:
        self._dns_answers.extendleft(reversed(answers))

    def lease(self) -> Lease | None:
        return self._pool.lease() if self._pool is not None else None
