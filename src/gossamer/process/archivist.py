"""Archivist: has the records of an exchange in the archive while its outcome is settled in the store, or not at all.

    async with archivist.archive(attempt) as entry:
        services.finish(…, entry.spans, entry.lines)     # settles them
        entry.keep()

A block that is left by an exception before `keep` takes back what was appended: the file is cut to where it was. The
DNS look-ups that nobody has archived yet are written along, and handed back if it comes to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

from gossamer.fetch.dns import DnsAnswer
from gossamer.model.attempt import Attempt
from gossamer.model.disposition import Span
from gossamer.process.services import ToeServices
from gossamer.stats.crawllog import dns_log_line
from gossamer.warc import Lease, RecordBuilder


class Entry:
    """What stands in the archive for one attempt, for the length of one `async with`."""

    lines: tuple[str, ...] = ()
    """crawl.log lines of the DNS look-ups written along."""
    spans: tuple[Span, ...] = ()
    is_kept = False
    _answers: Sequence[DnsAnswer] = ()
    _lease: Lease | None = None

    def __init__(self, services: ToeServices, records: RecordBuilder, attempt: Attempt) -> None:
        self._services = services
        self._records = records
        self._attempt = attempt

    async def __aenter__(self) -> Entry:
        """Append the records, and set the attempt's digest. Raises StorageError."""
        lease = self._services.lease()
        if lease is not None:
            await lease.begin()
            self._lease = lease
        try:
            self._answers = self._services.take_dns_answers()
            if self._answers:
                toe = self._attempt.toe
                self.lines = tuple(dns_log_line(a.host, a.looked_up, a.seconds, toe) for a in self._answers)
            if lease is not None:
                if self._answers:
                    dns, warcinfo_id = self._records.dns, lease.warcinfo_id
                    self.spans = tuple(lease.append([dns(answer, warcinfo_id) for answer in self._answers]))
                exchange = self._attempt.exchange
                if exchange is not None and exchange.raw is not None:
                    self.spans += tuple(await lease.append_exchange(self._records, exchange, self._attempt))
        except BaseException:
            self._end(is_settled=False)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end(is_settled=kind is None)

    def _end(self, *, is_settled: bool) -> None:
        if not is_settled and self._answers and not self.is_kept:
            self._services.put_back_dns_answers(self._answers)
        if self._lease is not None:
            self._lease.end(is_kept=is_settled)

    def keep(self) -> None:
        """It is settled: whatever is raised from here on, it stays."""
        self.is_kept = True
        if self._lease is not None:
            self._lease.keep()


class Archivist:
    """Writes for all toes; without an archive it only passes on what is to be logged."""

    def __init__(self, services: ToeServices, records: RecordBuilder) -> None:
        self._services = services
        self._records = records

    def archive(self, attempt: Attempt) -> Entry:
        """For `async with`: the records of `attempt`, its digest set, and whatever else is written along."""
        return Entry(self._services, self._records, attempt)
