"""StatisticsTracker: what happened in this run, counted from the events on the bus.

It is a spectator: nothing asks it for a decision. The frontier's counts are exact over all runs of a job; these are of
one run, and add what the frontier has no use for: statuses, media types, hosts, rates. Memory is bounded whatever
servers say: beyond some number of names the rest is counted together. Time spent paused does not count.

Events are counted many at once, those of a second together or as soon as somebody asks, which is half the work of counting
each by itself.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from operator import attrgetter

import msgspec

from gossamer.model.disposition import Fate
from gossamer.model.events import CrawlStateChanged, HookFailed, UriFinished
from gossamer.stats.rate import RateWindow
from gossamer.stats.tally import Tally
from gossamer.util.bus import EventBus
from gossamer.util.clock import Clock
from gossamer.util.percent import one_word

WINDOW_SECONDS = 20
"""The recent rates are over so long; Heritrix's interval."""
MAX_HOSTS = 1000
MAX_TYPES = 200
MAX_STATUSES = 200
MAX_REASONS = 200
MAX_HOOKS = 10
MAX_TYPE_LENGTH = 100
LIVE_HOSTS = 20
"""Hosts named in a snapshot; Heritrix's liveHostReportSize."""

MAX_WAITING = 1000
"""Events kept until they are counted, at most."""

_COUNTED_STATES = frozenset({"RUNNING", "EMPTY", "PAUSING", "STOPPING"})


_FATE, _STATUS, _IS_PAGE = attrgetter("fate"), attrgetter("status"), attrgetter("is_page")
_WIRE_BYTES, _FETCH_SECONDS = attrgetter("wire_bytes"), attrgetter("fetch_seconds")
_CLASS_KEY = attrgetter("curi.class_key")


class Share(msgspec.Struct, frozen=True):
    """What falls to one name: a host, a media type."""

    name: str
    uris: int
    wire_bytes: int


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """One moment of one run."""

    running_seconds: float = 0.0
    """Since the run began, pauses left out."""
    finished: int = 0
    """Attempts settled, retried ones included."""
    succeeded: int = 0
    failed: int = 0
    disregarded: int = 0
    retried: int = 0
    pages: int = 0
    wire_bytes: int = 0
    fetch_seconds: float = 0.0
    """Sum over all fetches: divided by `running_seconds`, how many were under way on average."""
    recent_uris_per_second: float = 0.0
    recent_pages_per_second: float = 0.0
    recent_bytes_per_second: float = 0.0
    pages_per_second: float = 0.0
    """Over the whole run."""
    bytes_per_second: float = 0.0
    hook_errors: dict[str, int] = {}
    """Failures of the hooks of a crawl written in Python, by hook."""
    statuses: dict[int, int] = {}
    """Attempts by HTTP status, or FetchStatus code below zero; most frequent first."""
    reasons: dict[str, int] = {}
    """Final outcomes by their reason, where there is one; most frequent first."""
    types: tuple[Share, ...] = ()
    """Media types of what was answered; most frequent first, what is beyond the bound as `other`."""
    hosts: tuple[Share, ...] = ()
    """The LIVE_HOSTS class keys with most attempts, among the first MAX_HOSTS that had any."""
    hosts_seen: int = 0
    """Class keys told apart: exact below MAX_HOSTS; the frontier knows the rest."""


class StatisticsTracker:
    """Counts until it is closed."""

    def __init__(self, bus: EventBus, clock: Clock) -> None:
        self._monotonic = clock.monotonic
        self._waiting: list[UriFinished] = []
        """Not yet counted, all of one second."""
        self._began = self._ends = 0.0
        """When the first of them came, and when its second is over."""
        self._fates: Counter[Fate] = Counter()
        self._pages = self._wire_bytes = 0
        self._fetch_seconds = 0.0
        self._statuses: Tally[int] = Tally(MAX_STATUSES)
        self._reasons: Tally[str] = Tally(MAX_REASONS)
        self._types: Tally[str] = Tally(MAX_TYPES)
        self._hosts: Tally[str] = Tally(MAX_HOSTS)
        self._rate = RateWindow(WINDOW_SECONDS)
        self._hook_errors: Tally[str] = Tally(MAX_HOOKS)
        self._ran_seconds = 0.0
        self._running_since: float | None = None
        self._unsubscribes = (
            bus.subscribe(UriFinished, self._on_finished),
            bus.subscribe(CrawlStateChanged, self._on_state),
            bus.subscribe(HookFailed, lambda event: self._hook_errors.add(event.hook)),
        )

    def close(self) -> None:
        """Listen no more; what was counted can still be asked for. Idempotent."""
        for unsubscribe in self._unsubscribes:
            unsubscribe()

    def _on_finished(self, event: UriFinished) -> None:
        now = self._monotonic()
        if now >= self._ends or len(self._waiting) == MAX_WAITING:
            self._count_waiting()
            self._began, self._ends = now, int(now) + 1.0
        self._waiting.append(event)

    def _count_waiting(self) -> None:
        events, self._waiting = self._waiting, []
        sizes = list(map(_WIRE_BYTES, events))
        pages, wire_bytes = sum(map(_IS_PAGE, events)), sum(sizes)
        self._pages += pages
        self._wire_bytes += wire_bytes
        self._fetch_seconds += sum(map(_FETCH_SECONDS, events))
        self._fates.update(map(_FATE, events))
        self._statuses.count_all(map(_STATUS, events))
        self._hosts.add_all(map(_CLASS_KEY, events), sizes)
        self._reasons.count_all(event.reason for event in events if event.reason and event.fate is not Fate.RETRY)
        answered = [event for event in events if event.status > 0]
        types = [_type_name(event.content_type[:MAX_TYPE_LENGTH]) for event in answered]
        self._types.add_all(types, map(_WIRE_BYTES, answered))
        if events:
            self._rate.add(self._began, len(events), pages, wire_bytes)

    def _on_state(self, event: CrawlStateChanged) -> None:
        now = self._monotonic()
        if self._running_since is not None:
            self._ran_seconds += now - self._running_since
        self._running_since = now if event.state in _COUNTED_STATES else None

    def snapshot(self) -> Snapshot:
        """What is known now."""
        self._count_waiting()
        now = self._monotonic()
        seconds = self._ran_seconds + (now - self._running_since if self._running_since is not None else 0.0)
        uris, pages, wire_bytes = self._rate.per_second(now)
        return Snapshot(
            running_seconds=seconds,
            finished=sum(self._fates.values()),
            succeeded=self._fates[Fate.SUCCEEDED],
            failed=self._fates[Fate.FAILED],
            disregarded=self._fates[Fate.DISREGARDED],
            retried=self._fates[Fate.RETRY],
            pages=self._pages,
            wire_bytes=self._wire_bytes,
            fetch_seconds=self._fetch_seconds,
            recent_uris_per_second=uris,
            recent_pages_per_second=pages,
            recent_bytes_per_second=wire_bytes,
            pages_per_second=self._pages / seconds if seconds > 0 else 0.0,
            bytes_per_second=self._wire_bytes / seconds if seconds > 0 else 0.0,
            hook_errors={hook: count for hook, count, _ in self._hook_errors.largest()},
            statuses={status: count for status, count, _ in self._statuses.largest()},
            reasons={reason: count for reason, count, _ in self._reasons.largest()},
            types=_shares(self._types),
            hosts=tuple(Share(*row) for row in self._hosts.largest(LIVE_HOSTS)),
            hosts_seen=self._hosts.names,
        )


@lru_cache(maxsize=256)
def _type_name(content_type: str) -> str:
    return one_word(content_type) or "no-type"


def _shares(tally: Tally[str]) -> tuple[Share, ...]:
    shares = [Share(*row) for row in tally.largest()]
    if tally.other[0]:
        shares.append(Share("other", *tally.other))
    return tuple(shares)
