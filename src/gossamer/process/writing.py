"""Writing: the last thing done with an attempt, and the only one that lasts.

    lease one WARC file -> append all records of the URI -> log line and ONE store batch -> release the file

On an error in between the file is cut back to where it was and the URI goes back to its queue, so archive, log and
store can never disagree by more than one URI. Discoveries beyond one batch are scheduled before, in batches with a
yield between them: if the finish then fails, they stay, and that is harmless.
"""

from __future__ import annotations

import asyncio

from msgspec.structs import replace

from gossamer.model.attempt import AGAIN, Attempt
from gossamer.model.disposition import Charge, Disposition, Fate
from gossamer.model.events import UriFinished
from gossamer.process.archivist import Archivist
from gossamer.process.candidate import CandidateMaker
from gossamer.process.disposing import dispose
from gossamer.process.services import BATCH, ToeServices
from gossamer.stats.crawllog import crawl_log_line
from gossamer.util.bus import EventBus


class Writer:
    """Decides, archives, settles, announces."""

    def __init__(
        self,
        services: ToeServices,
        archivist: Archivist,
        maker: CandidateMaker,
        bus: EventBus,
        max_tries: int,
    ) -> None:
        self._services = services
        self._archivist = archivist
        self._maker = maker
        self._bus = bus
        self._max_tries = max_tries

    async def settle(self, attempt: Attempt) -> None:
        """Write and finish one attempt. Raises StorageError, after which nothing of it is stored."""
        disposition = self._dispose(attempt)
        candidates = attempt.candidates
        while len(candidates) > BATCH:
            self._services.schedule(candidates[:BATCH])
            candidates = candidates[BATCH:]
            await asyncio.sleep(0)
        async with self._archivist.archive(attempt) as entry:
            lines = entry.lines
            if disposition.status > 0 or disposition.fate is not Fate.RETRY:
                lines += (crawl_log_line(attempt, self._services.clock.wall()),)
            self._services.finish(attempt.curi, disposition, candidates, entry.spans, lines)
            attempt.is_settled = True
            entry.keep()
        self._maker.admit_seeds(attempt.candidates)
        if attempt.candidates:
            self._maker.recent.add([curi.url for curi in attempt.candidates])
        self._announce(attempt, disposition)

    def _dispose(self, attempt: Attempt) -> Disposition:
        disposition = dispose(attempt, self._max_tries, self._services.clock.wall())
        if disposition.fate is Fate.FAILED:
            attempt.candidates = self._maker.fallback(attempt.curi)
        if disposition.fate is Fate.RETRY:
            attempt.candidates = []
            if disposition.charge is Charge.NONE and (attempt.self_redirect is not None or attempt.again):
                curi = attempt.curi
                again = replace(
                    curi,
                    fetch_url=curi.fetch_url if attempt.self_redirect is None else attempt.self_redirect,
                    redirects=curi.redirects + 1,
                    data={**(curi.data or {}), AGAIN: attempt.again} if attempt.again else curi.data,
                )
                disposition = replace(disposition, requeued=again)
        return disposition

    def _announce(self, attempt: Attempt, disposition: Disposition) -> None:
        self._bus.publish(
            UriFinished(
                attempt.curi,
                disposition.fate,
                disposition.status,
                disposition.reason,
                attempt.content_type,
                disposition.wire_bytes,
                disposition.fetch_seconds,
                disposition.is_page,
                attempt.toe,
                attempt.redirected_to,
            )
        )
