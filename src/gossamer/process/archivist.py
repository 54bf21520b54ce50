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

    __slots__ = ("_answers", "_attempt", "_lease", "_records", "_services", "is_kept", "lines", "spans")

    def __init__(self, services: ToeServices, records: RecordBuilder, attempt: Attempt) -> None:
        self._services = services
        self._records = records
        self._attempt = attempt
        self._lease: Lease | None = None
        self._answers: Sequence[DnsAnswer] = ()
        self.spans: tuple[Span, ...] = ()
        self.lines: tuple[str, ...] = ()
        """crawl.log lines of the DNS look-ups written along."""
        self.is_kept = False

    async def __aenter__(self) -> Entry:
        """Append the records, and set the attempt's digest. Raises StorageError."""
        lease = self._services.lease()
        if lease is not None:
            self._lease = await lease.__aenter__()
        try:
            self._answers = self._services.take_dns_answers()
            if self._answers:
                toe = self._attempt.toe
                self.lines = tuple(dns_log_line(a.host, a.looked_up, a.seconds, toe) for a in self._answers)
            if self._lease is not None:
                self.spans = await self._append(self._lease)
        except BaseException as error:
            await self.__aexit__(type(error), error, error.__traceback__)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None and self._answers and not self.is_kept:
            self._services.put_back_dns_answers(self._answers)
        if self._lease is not None:
            await self._lease.__aexit__(kind, error, trace)

    async def _append(self, file: Lease) -> tuple[Span, ...]:
        spans = file.append([self._records.dns(answer) for answer in self._answers]) if self._answers else []
        exchange = self._attempt.exchange
        if exchange is not None and exchange.raw is not None:
            spans += await file.append_exchange(self._records, exchange, self._attempt)
        return tuple(spans)

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
