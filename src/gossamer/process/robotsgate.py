"""The robots gate: no page of a host before its robots.txt is known, and none that it forbids (RFC 9309).

A toe whose URI needs a robots.txt fetches it through the same fetcher as everything else, archives it (hop P), stores
the rules and gives its URI back; the host then rests its delay like after any request. No toe waits for another's
fetch. A redirect is stored as a step of its own, so that the next hop, too, keeps the delay of the host that it leads
to, whichever that is.

What the host answered decides (RFC 9309 2.3.1): 2xx rules; 4xx but 429 no rules; unreachable (5xx, 429, network, TLS,
DNS) nothing may be fetched, tried again by the host schedule, and given up after its last try.
"""

from __future__ import annotations

from collections import OrderedDict

import msgspec

from gossamer.config import Politeness, Robots
from gossamer.extract import redirect_target
from gossamer.fetch.base import Fetcher, FetchRequest
from gossamer.fetch.decode import decode
from gossamer.frontier import RobotsRecord
from gossamer.model.attempt import Attempt
from gossamer.model.crawluri import ClassKey, CrawlURI
from gossamer.model.disposition import Disposition, Fate
from gossamer.model.exchange import Exchange
from gossamer.model.fetchstatus import Fault, FetchStatus
from gossamer.process.archivist import Archivist
from gossamer.process.candidate import FALLBACK
from gossamer.process.chain import Flow
from gossamer.process.disposing import retry_after_seconds
from gossamer.process.prerequisite import prerequisite_of
from gossamer.process.services import ToeServices
from gossamer.robots import RobotsRules, parse_robots
from gossamer.stats.crawllog import crawl_log_line
from gossamer.url import Url, class_key, origin_of, parse, split

CACHED_BYTES = 2 * 1024 * 1024
"""Text of the robots.txt files whose rules are kept parsed: about 50 MB at the worst, since rules take up to 25 times
their text. Thousands of ordinary ones fit."""
LEAST_COST = 512
"""What even an empty one is counted as."""

MAX_DETAIL = 200
"""Characters of a failure's detail that are kept with the record."""
_NOT_HAD = frozenset({"unreachable", "redirected"})


class RobotsGate:
    """The processor in front of the fetch."""

    name = "robots"

    def __init__(
        self,
        services: ToeServices,
        fetcher: Fetcher,
        archivist: Archivist,
        robots: Robots,
        politeness: Politeness,
    ) -> None:
        self._services = services
        self._fetcher = fetcher
        self._archivist = archivist
        self._settings = robots
        self._politeness = politeness
        self._rules: OrderedDict[str, tuple[float, RobotsRules, int]] = OrderedDict()
        self._rules_bytes = 0

    async def process(self, attempt: Attempt) -> Flow:
        if self._services.unreachable(attempt.curi.class_key):
            attempt.refusal = FetchStatus.HOST_UNREACHABLE
            return Flow.SKIP
        if not self._settings.obey:
            return Flow.PROCEED
        target = attempt.curi.target
        now = self._services.clock.wall()
        record = self._services.robots(origin_of(target))
        if record is None or record.outcome in _NOT_HAD or now - record.fetched > self._settings.cache:
            return await self._obtain(attempt, split(target), record, now)
        if record.outcome == "allow_all":
            return Flow.PROCEED
        return self._apply(attempt, target, record)

    def _apply(self, attempt: Attempt, target: str, record: RobotsRecord) -> Flow:
        if record.outcome == "gave_up":
            attempt.refusal = _why_not_had(record)
            return Flow.SKIP
        rules = self._rules_of(record)
        attempt.crawl_delay_seconds = rules.crawl_delay
        if not rules.is_allowed(split(target)):
            attempt.refusal = FetchStatus.ROBOTS_FORBIDDEN
            return Flow.SKIP
        return Flow.PROCEED

    def _rules_of(self, record: RobotsRecord) -> RobotsRules:
        cached = self._rules.get(record.authority)
        if cached is not None and cached[0] == record.fetched:
            self._rules.move_to_end(record.authority)
            return cached[1]
        rules = parse_robots(record.body, self._settings.product_token)
        self._remember(record, rules)
        return rules

    def _remember(self, record: RobotsRecord, rules: RobotsRules) -> None:
        if record.authority in self._rules:
            self._rules_bytes -= self._rules.pop(record.authority)[2]
        cost = len(record.body) + LEAST_COST
        self._rules[record.authority] = (record.fetched, rules, cost)
        self._rules_bytes += cost
        while self._rules_bytes > CACHED_BYTES and len(self._rules) > 1:
            self._rules_bytes -= self._rules.popitem(last=False)[1][2]

    async def _obtain(self, attempt: Attempt, url: Url, record: RobotsRecord | None, now: float) -> Flow:
        curi = attempt.curi
        target = _target(url, record)
        host = ClassKey(class_key(parse(target)))
        elsewhere = None if host == curi.class_key else host
        if not self._services.begin_robots(url.origin, curi.class_key, elsewhere):
            return Flow.GIVE_BACK
        try:
            if record is not None and record.outcome == "unreachable" and now < record.next_try:
                # Woken before its time (several authorities share a queue): put the queue back to sleep.
                self._services.note_robots(record, curi.class_key, _nothing_fetched(now), ())
            else:
                await self._fetch(attempt, url, target, elsewhere, record)
        finally:
            self._services.abandon_robots(url.origin, curi.class_key)
        return Flow.GIVE_BACK

    async def _fetch(
        self, attempt: Attempt, url: Url, target: str, elsewhere: ClassKey | None, record: RobotsRecord | None
    ) -> None:
        """`elsewhere` is the host that is asked, where it is not the URI's own."""
        curi = attempt.curi
        asking = prerequisite_of(curi, target, elsewhere)
        started = curi if elsewhere is None else asking
        request = FetchRequest(
            target,
            body_limit=self._settings.max_size,
            on_sent=lambda when: self._services.started(started, when),
        )
        exchange = await self._fetcher.fetch(request)
        if exchange.failure is not None and exchange.failure.fault is Fault.NETWORK:
            self._services.network_trouble(exchange.detail)
            return
        try:
            await self._note(attempt, url, asking, elsewhere, record, exchange)
        finally:
            exchange.close()

    async def _note(
        self,
        attempt: Attempt,
        url: Url,
        asking: CrawlURI,
        elsewhere: ClassKey | None,
        record: RobotsRecord | None,
        exchange: Exchange,
    ) -> None:
        """Archive the exchange and store what it means, as one step."""
        now = self._services.clock.wall()
        curi = attempt.curi
        after = self._judge(url.origin, asking.url, record, exchange, now)
        if after.outcome == "unreachable" and FALLBACK in (curi.data or {}) and not after.has_answered:
            # There is another URL to try instead: no reason to wait for this one.
            after = msgspec.structs.replace(after, outcome="gave_up", next_try=0.0)
        after = msgspec.structs.replace(after, detail="" if exchange.failure is None else exchange.detail[:MAX_DETAIL])
        capture = Attempt(asking, attempt.toe, exchange=exchange)
        disposition = Disposition(
            fate=Fate.SUCCEEDED,
            status=capture.status,
            requested=exchange.started > 0,
            started=exchange.started,
            fetch_seconds=exchange.duration_seconds,
            wire_bytes=exchange.wire_bytes,
            when=now,
        )
        async with self._archivist.archive(capture) as entry:
            told = msgspec.structs.replace(disposition, spans=entry.spans)
            lines = (*entry.lines, crawl_log_line(capture, now))
            self._services.note_robots(after, curi.class_key, told, lines, elsewhere)
            entry.keep()

    def _judge(
        self, authority: str, target: str, before: RobotsRecord | None, exchange: Exchange, now: float
    ) -> RobotsRecord:
        """What this answer makes of the record. RFC 9309 2.3.1."""
        status = exchange.http_status
        # A body that was cut at our own limit is used as far as it goes (RFC 9309 2.5).
        if exchange.failure is not None or status is None or status == 429 or status >= 500 or exchange.is_cut:
            return self._unreachable(authority, before, exchange, now)
        base = RobotsRecord(authority=authority, fetched=now, outcome="allow_all", status=status, has_answered=True)
        if 200 <= status < 300:
            decoded = decode(
                exchange.body(self._settings.max_size),
                exchange.header_values(b"content-encoding"),
                max_decoded=self._settings.max_size,
                max_layers=1,
            )
            return msgspec.structs.replace(base, outcome="rules", body=decoded.data)
        if 300 <= status < 400 or exchange.is_asked_again:
            # One that wants a password which there is, is asked for again like one that has moved.
            leads_to = target if exchange.is_asked_again else redirect_target(target, exchange.headers)
            hops = (before.redirects if before is not None and before.outcome == "redirected" else 0) + 1
            if leads_to is not None and hops <= self._settings.max_redirects:
                # 2.3.1.2: at least five hops; the rules found apply to the authority that was asked first.
                # Tries go on counting through the steps of one obtaining, or a redirect to an error would never end.
                tries = before.tries if before is not None and before.outcome in _NOT_HAD else 0
                return msgspec.structs.replace(
                    base, outcome="redirected", body=leads_to.encode(), redirects=hops, tries=tries
                )
        return base

    def _unreachable(self, authority: str, before: RobotsRecord | None, exchange: Exchange, now: float) -> RobotsRecord:
        has_answered = exchange.http_status is not None or (before is not None and before.has_answered)
        schedule = self._politeness.host_schedule
        if not has_answered and self._politeness.first_contact_schedule is not None:
            schedule = self._politeness.first_contact_schedule
        tries = (before.tries if before is not None else 0) + 1
        record = RobotsRecord(
            authority=authority,
            fetched=now,
            outcome="gave_up",
            status=exchange.http_status or (exchange.failure.code if exchange.failure else 0),
            tries=tries,
            has_answered=has_answered,
        )
        if tries > len(schedule):
            return record
        wait = max(
            schedule[tries - 1], min(retry_after_seconds(exchange, now) or 0.0, self._politeness.max_retry_after)
        )
        return msgspec.structs.replace(record, outcome="unreachable", next_try=now + wait)


def _target(url: Url, record: RobotsRecord | None) -> str:
    """What is to be asked for: the robots.txt itself, or what it was seen to lead to."""
    if record is not None and record.outcome == "redirected":
        return record.body.decode()
    return url.origin + "/robots.txt"


def _why_not_had(record: RobotsRecord) -> FetchStatus:
    """What to tell of a host whose robots.txt could not be had: if it never answered at all, that, and why."""
    if not record.has_answered:
        for status in FetchStatus:
            if status.code == record.status:
                return status
    return FetchStatus.ROBOTS_UNREACHABLE


def _nothing_fetched(now: float) -> Disposition:
    return Disposition(fate=Fate.SUCCEEDED, status=0, when=now)
