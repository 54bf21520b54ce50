"""Toe: one worker. It takes a URI, runs it through the chains, settles it, and takes the next.

A toe owns its Attempt. Whatever happens to it, its URI is either finished or given back, and its exchange is closed.
An exception of a processor costs one URI an attempt, never the toe; a StorageError is passed to the controller, since
the job must pause or end. The toe ends when the frontier closes, when it is told to retire (after the URI it holds),
or when it is cancelled (the URI is given back, uncharged).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from enum import Enum

import msgspec

from gossamer.errors import FrontierClosed, StorageError
from gossamer.model.attempt import Attempt
from gossamer.model.crawluri import CrawlURI
from gossamer.model.fetchstatus import FetchStatus
from gossamer.process.chain import Chain, Flow
from gossamer.process.services import ToeServices
from gossamer.process.writing import Writer

log = logging.getLogger(__name__)


class ToeStep(Enum):
    """What a toe is doing."""

    NASCENT = "not started"
    WAITING = "waiting for a URI"
    PROCESSING = "in a processor"
    SETTLING = "writing and finishing"
    ENDED = "ended"


class ToeReport(msgspec.Struct, frozen=True):
    """One row of the toes report."""

    serial: int
    step: ToeStep
    processor: str
    uri: str | None
    since: float
    """Monotonic time at which the step began."""
    settled: int
    """URIs this toe has settled."""


class Toe:
    """One worker, run by the ToePool in a task of its own."""

    def __init__(
        self,
        serial: int,
        services: ToeServices,
        chains: Sequence[Chain],
        writer: Writer,
        on_storage_error: Callable[[StorageError], None],
    ) -> None:
        self.serial = serial
        self.is_retiring = False
        self.settled = 0
        self._services = services
        self._chains = tuple(chains)
        self._writer = writer
        self._on_storage_error = on_storage_error
        self._step = ToeStep.NASCENT
        self._since = services.clock.monotonic()
        self._processor = ""
        self._curi: CrawlURI | None = None

    def report(self) -> ToeReport:
        curi = self._curi
        return ToeReport(
            self.serial, self._step, self._processor, curi.target if curi else None, self._since, self.settled
        )

    @property
    def is_waiting(self) -> bool:
        """Whether it holds no URI."""
        return self._curi is None

    async def run(self) -> None:
        """Work until the frontier closes or the toe retires. Raises only CancelledError."""
        try:
            while not self.is_retiring:
                self._enter(ToeStep.WAITING)
                try:
                    self._curi = await self._services.next()
                except FrontierClosed:
                    return
                await self._work(self._curi)
                self._curi = None
        finally:
            self._enter(ToeStep.ENDED)

    def _enter(self, step: ToeStep, processor: str = "") -> None:
        self._step = step
        self._processor = processor
        self._since = self._services.clock.monotonic()

    async def _work(self, curi: CrawlURI) -> None:
        attempt = Attempt(curi, self.serial)
        try:
            if await self._run_chains(attempt) is Flow.GIVE_BACK:
                self._services.give_back(curi)
                return
            self._enter(ToeStep.SETTLING)
            await self._writer.settle(attempt)
            self.settled += 1
        except StorageError as error:
            self._services.give_back(curi)
            self._on_storage_error(error)
        except BaseException:
            if not attempt.is_settled:
                self._services.give_back(curi)
            raise
        finally:
            if attempt.exchange is not None:
                attempt.exchange.close()

    async def _run_chains(self, attempt: Attempt) -> Flow:
        for chain in self._chains:
            for processor in chain.processors:
                self._enter(ToeStep.PROCESSING, processor.name)
                try:
                    flow = await processor.process(attempt)
                except (asyncio.CancelledError, StorageError):
                    raise
                except Exception as error:
                    # One URI, with its trace; never the toe (the rule of Heritrix's -5).
                    log.exception("toe %d: %s failed on %r", self.serial, processor.name, attempt.curi.target)
                    attempt.refusal = FetchStatus.CRASHED
                    attempt.annotations.append(f"err={type(error).__name__}")
                    break
                if flow is Flow.GIVE_BACK:
                    return flow
                if flow is Flow.SKIP:
                    break
        return Flow.PROCEED
