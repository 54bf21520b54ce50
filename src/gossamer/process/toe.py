"""Toe: one worker. It takes a URI, runs it through the chains, settles it, and takes the next.

A toe owns its Attempt. Whatever happens to it, its URI is either finished or given back, and its exchange is closed.
An exception of a processor, or one that keeps an attempt from being written, costs one URI an attempt, never the toe.
What is not this URI's business (the store, memory, the frontier itself) is trouble, passed to the controller, since the
job must pause or end. The toe ends when the frontier closes, when it is told to retire (after the URI it holds), or
when it is cancelled: the URI is given back, uncharged, or, if the toe was stuck on it, charged an attempt.
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


_NOT_OURS = (KeyboardInterrupt, SystemExit, GeneratorExit)
"""For whoever runs the loop, or throws the toe away."""


class ToeStep(Enum):
    """What a toe is doing."""

    __hash__ = object.__hash__
    """Members are singletons; Enum's own hash, that of the name, is computed in Python, a dozen times for each URI."""

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
    """Monotonic time at which the step began, or the processor."""
    settled: int
    """URIs this toe has settled."""
    seconds: dict[str, float] = {}
    """Time spent in each step so far, by its name; the present one not counted."""


class Toe:
    """One worker, run by the ToePool in a task of its own."""

    def __init__(
        self,
        serial: int,
        services: ToeServices,
        chains: Sequence[Chain],
        writer: Writer,
        on_trouble: Callable[[Exception], None],
    ) -> None:
        """`on_trouble` hears what ends or pauses the job; when it returns, the frontier hands out nothing."""
        self.serial = serial
        self.is_retiring = False
        self.is_stuck = False
        """Set before it is cancelled because of the URI it holds."""
        self.settled = 0
        self._services = services
        self._chains = [chain.steps for chain in chains]
        self._writer = writer
        self._on_trouble = on_trouble
        self._monotonic = services.clock.monotonic
        self._seconds = dict.fromkeys(ToeStep, 0.0)
        self._step = ToeStep.NASCENT
        self._entered = self._monotonic()
        """When the step began."""
        self._processor = ""
        """The one that it is in, or was in last, and when that began."""
        self._since = 0.0
        self._curi: CrawlURI | None = None

    def report(self) -> ToeReport:
        curi = self._curi
        is_processing = self._step is ToeStep.PROCESSING
        return ToeReport(
            self.serial,
            self._step,
            self._processor if is_processing else "",
            curi.target if curi else None,
            self._since if is_processing else self._entered,
            self.settled,
            {step.name: seconds for step, seconds in self._seconds.items() if seconds},
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
                except Exception as error:
                    self._on_trouble(error)
                    continue
                await self._work(self._curi)
                self._curi = None
        finally:
            self._enter(ToeStep.ENDED)

    def _enter(self, step: ToeStep) -> None:
        now = self._monotonic()
        self._seconds[self._step] += now - self._entered
        self._step = step
        self._entered = now

    async def _work(self, curi: CrawlURI) -> None:
        attempt = Attempt(curi, self.serial)
        try:
            if await self._run_chains(attempt) is Flow.GIVE_BACK:
                self._services.give_back(curi)
                return
            self._enter(ToeStep.SETTLING)
            try:
                await self._writer.settle(attempt)
            except (StorageError, MemoryError):
                raise
            except Exception as error:
                if attempt.is_settled:
                    raise
                await self._settle_without_exchange(attempt, error)
            self.settled += 1
        except asyncio.CancelledError:
            await self._let_go(attempt)
            raise
        except Exception as error:
            if not attempt.is_settled:
                self._services.give_back(curi)
            self._on_trouble(error)
        except BaseException:  # somebody's own kind, or GeneratorExit: the toe dies of it, its URI must not be lost
            if not attempt.is_settled:
                self._services.give_back(curi)
            raise
        finally:
            if attempt.exchange is not None:
                attempt.exchange.close()

    async def _settle_without_exchange(self, attempt: Attempt, error: Exception) -> None:
        """It could not be written, for a reason of its own: finish it without what came back."""
        self._blame(attempt, error, "writing")
        if attempt.exchange is not None:
            attempt.exchange.close()
            attempt.exchange = None
        await self._writer.settle(attempt)

    async def _let_go(self, attempt: Attempt) -> None:
        """The toe was cancelled: its URI goes back, charged if it is what the toe was stuck on."""
        if attempt.is_settled:
            return
        if self.is_stuck:
            self._enter(ToeStep.SETTLING)
            attempt.refusal = FetchStatus.TOE_DIED
            try:
                await self._writer.settle(attempt)
            except Exception as error:
                log.error("toe %d: %r could not be charged: %s", self.serial, attempt.curi.target, error)
            else:
                return
        self._services.give_back(attempt.curi)

    def _blame(self, attempt: Attempt, error: BaseException, where: str) -> None:
        """Charge the URI, with its trace in the log; never the toe (the rule of Heritrix's -5)."""
        log.error("toe %d: %s failed on %r", self.serial, where, attempt.curi.target, exc_info=error)
        attempt.refusal = FetchStatus.CRASHED
        attempt.annotations.append(f"err={type(error).__name__}")

    async def _run_chains(self, attempt: Attempt) -> Flow:
        self._enter(ToeStep.PROCESSING)
        monotonic, proceed = self._monotonic, Flow.PROCEED
        for steps in self._chains:
            for name, process in steps:
                self._processor, self._since = name, monotonic()
                try:
                    flow = await process(attempt)
                except (asyncio.CancelledError, StorageError, MemoryError, *_NOT_OURS):
                    raise
                except BaseException as error:  # a panic of native code is no Exception, and would come again for ever
                    self._blame(attempt, error, name)
                    break
                if flow is not proceed:
                    if flow is Flow.GIVE_BACK:
                        return flow
                    break
        return proceed
