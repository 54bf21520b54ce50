"""Archivist: has the records of an exchange in the archive while its outcome is settled in the store, or not at all.

    async with archivist.archive(attempt) as entry:
        services.finish(…, entry.spans, entry.lines)     # settles them
        entry.keep()

A block that is left by an exception before `keep` takes back what was appended: the file is cut to where it was. The
DNS look-ups that nobody has archived yet are written along, and handed back if it comes to nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from gossamer.fetch.dns import DnsAnswer
from gossamer.model.attempt import Attempt
from gossamer.model.disposition import Span
from gossamer.process.services import ToeServices
from gossamer.stats.crawllog import dns_log_line
from gossamer.warc import Lease, RecordBuilder


class Entry:
    """What stands in the archive for one attempt, for the length of one `archive` block."""

    __slots__ = ("_lease", "is_kept", "lines", "spans")

    def __init__(self, lease: Lease | None, spans: Sequence[Span], lines: Sequence[str]) -> None:
        self._lease = lease
        self.spans = tuple(spans)
        self.lines = tuple(lines)
        """crawl.log lines of the DNS look-ups written along."""
        self.is_kept = False

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

    @asynccontextmanager
    async def archive(self, attempt: Attempt) -> AsyncIterator[Entry]:
        """Append the records of `attempt`, and set its digest. Raises StorageError."""
        answers = self._services.take_dns_answers()
        lines = [dns_log_line(answer.host, answer.looked_up, answer.seconds, attempt.toe) for answer in answers]
        entry = Entry(None, (), lines)
        try:
            lease = self._services.lease()
            if lease is None:
                yield entry
            else:
                async with lease as file:
                    entry = Entry(file, await self._append(file, answers, attempt), lines)
                    yield entry
        except BaseException:
            if not entry.is_kept:
                self._services.put_back_dns_answers(answers)
            raise

    async def _append(self, file: Lease, answers: Sequence[DnsAnswer], attempt: Attempt) -> list[Span]:
        spans = file.append([self._records.dns(answer) for answer in answers]) if answers else []
        exchange = attempt.exchange
        if exchange is not None and exchange.raw is not None:
            spans += await file.append_exchange(self._records, exchange, attempt)
        return spans
