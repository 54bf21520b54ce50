"""S2, S5, S6: what becomes of a URI when its processor, its toe, memory, the archive or the frontier fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from gossamer.config import Politeness, Scope, Warc
from gossamer.control.monitor import MARGIN_SECONDS, Monitor
from gossamer.frontier import FrontierTarget
from gossamer.model.attempt import Attempt
from gossamer.model.crawluri import ClassKey, CrawlURI
from gossamer.model.fetchstatus import FetchStatus
from gossamer.process import Archivist, CandidateMaker, Chain, Flow, LocalServices, Toe, ToePool, ToeStep, Writer
from gossamer.scope import build_scope
from gossamer.testing import FakeClock, MemoryFrontier
from gossamer.util.bus import EventBus
from gossamer.warc import RecordBuilder

URL = "https://example.org/"


class Doing:
    """A processor that does what it is told, once for each URI; then the URI is refused by a rule."""

    name = "doing"

    def __init__(self) -> None:
        self.does: Callable[[Attempt], object] = lambda attempt: None
        self.hangs = asyncio.Event()
        self.attempts: list[int] = []

    async def process(self, attempt: Attempt) -> Flow:
        self.attempts.append(attempt.curi.attempts)
        if (result := self.does(attempt)) is not None:
            await result  # type: ignore[misc]
        attempt.refusal = FetchStatus.OUT_OF_SCOPE
        return Flow.SKIP


class Workshop:
    """A frontier with one URI, and toes that work on it."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.frontier = MemoryFrontier(self.clock, Politeness(delay=0))
        self.services = LocalServices(self.frontier, self.clock, None, None)
        maker = CandidateMaker(self.services, build_scope(Scope(), []), 5)
        self.writer = Writer(
            self.services, Archivist(self.services, RecordBuilder(Warc())), maker, EventBus(), max_tries=5
        )
        self.doing = Doing()
        self.troubles: list[Exception] = []
        self.toes = ToePool(self.new_toe)
        identity = self.services.identify(URL, "example.org")
        self.frontier.schedule([CrawlURI(url=URL, class_key=ClassKey("example.org"), identity=identity)])
        self.identity = identity

    def new_toe(self, serial: int) -> Toe:
        return Toe(serial, self.services, [Chain("fetch", [self.doing])], self.writer, self.on_trouble)

    def on_trouble(self, error: Exception) -> None:
        self.troubles.append(error)
        self.frontier.seek(FrontierTarget.PAUSE)

    async def until(self, condition: Callable[[], bool]) -> None:
        for _ in range(1000):
            if condition():
                return
            await asyncio.sleep(0)
        raise AssertionError("it did not come to pass")

    async def finish(self) -> None:
        """Let the toes settle what there is, and end."""
        self.frontier.seek(FrontierTarget.RUN)
        await self.until(self.frontier.is_empty)
        self.frontier.seek(FrontierTarget.FINISH)
        await self.toes.wait_ended()


def once(action: Callable[[Attempt], object]) -> Callable[[Attempt], object]:
    """Do it the first time only."""
    times = iter([action])
    return lambda attempt: next(times, lambda _: None)(attempt)


class Panic(BaseException):
    """What native code raises when it panics: no Exception."""


@pytest.mark.parametrize("kind", [ValueError, Panic])
async def test_an_exception_of_a_processor_costs_the_uri_an_attempt_and_never_the_toe(
    kind: type[BaseException],
) -> None:
    shop = Workshop()

    def fail(attempt: Attempt) -> None:
        raise kind("a bug")

    shop.doing.does = once(fail)
    shop.toes.set_size(1)
    await shop.finish()
    assert shop.doing.attempts == [0, 1]
    assert shop.toes.replaced == 0
    assert shop.troubles == []


async def test_want_of_memory_is_trouble_and_the_uri_goes_back_uncharged() -> None:
    """S6."""
    shop = Workshop()

    def fail(attempt: Attempt) -> None:
        raise MemoryError

    shop.doing.does = once(fail)
    shop.toes.set_size(1)
    await shop.until(lambda: bool(shop.troubles))
    assert isinstance(shop.troubles[0], MemoryError)
    assert shop.frontier.counts().in_process == 0
    await shop.finish()
    assert shop.doing.attempts == [0, 0]
    assert shop.toes.replaced == 0


async def test_an_exception_inside_the_frontier_is_trouble_and_the_toe_lives_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """S9."""
    shop = Workshop()
    failing = iter([KeyError("a bug")])
    original = shop.services.next

    async def next_or_fail() -> CrawlURI:
        for error in failing:
            raise error
        return await original()

    monkeypatch.setattr(shop.services, "next", next_or_fail)
    shop.toes.set_size(1)
    await shop.until(lambda: bool(shop.troubles))
    await shop.finish()
    assert [type(error) for error in shop.troubles] == [KeyError]
    assert shop.toes.replaced == 0
    assert shop.doing.attempts == [0]


async def test_an_attempt_that_cannot_be_written_is_charged_to_its_uri(monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Workshop()
    settle = shop.writer.settle
    failing = iter([ValueError("what came back cannot be put into a record")])

    async def settle_or_fail(attempt: Attempt) -> None:
        for error in failing:
            raise error
        await settle(attempt)

    monkeypatch.setattr(shop.writer, "settle", settle_or_fail)
    shop.toes.set_size(1)
    await shop.finish()
    assert shop.doing.attempts == [0, 1]
    assert shop.troubles == []


async def test_a_toe_that_is_killed_is_replaced_under_its_number_and_its_uri_comes_again_uncharged() -> None:
    """S2."""
    shop = Workshop()
    shop.doing.does = once(lambda attempt: shop.doing.hangs.wait())
    shop.toes.set_size(3)
    await shop.until(lambda: bool(shop.doing.attempts))
    busy = next(report.serial for report in shop.toes.reports() if report.step is ToeStep.PROCESSING)
    shop.toes.kill(busy)
    await shop.finish()
    assert shop.doing.attempts == [0, 0]
    assert shop.toes.replaced == 1


async def test_a_toe_stuck_beyond_the_cap_is_replaced_and_its_uri_charged_an_attempt() -> None:
    """S2: found by the monitor, and only once the cap is over."""
    shop = Workshop()
    monitor = Monitor(shop.toes, shop.clock, wall_clock_seconds=20.0)
    shop.doing.does = once(lambda attempt: shop.doing.hangs.wait())
    shop.toes.set_size(2)
    await shop.until(lambda: bool(shop.doing.attempts))
    shop.clock.advance(20.0 + MARGIN_SECONDS)
    monitor.look()
    assert monitor.stuck == 0
    shop.clock.advance(1.0)
    monitor.look()
    monitor.look()
    assert monitor.stuck == 1
    await shop.finish()
    assert shop.doing.attempts == [0, 1]
    assert shop.toes.replaced == 1
    seen = shop.frontier.seen(shop.identity)
    assert seen is not None and seen.status == FetchStatus.OUT_OF_SCOPE.code


async def test_a_uri_that_every_toe_is_stuck_on_fails_in_the_end() -> None:
    shop = Workshop()
    monitor = Monitor(shop.toes, shop.clock, wall_clock_seconds=20.0)
    shop.doing.does = lambda attempt: shop.doing.hangs.wait()
    shop.toes.set_size(1)
    for tries in range(1, 6):
        await shop.until(lambda tries=tries: len(shop.doing.attempts) == tries)  # type: ignore[misc]
        shop.clock.advance(100.0)
        monitor.look()
    await shop.finish()
    seen = shop.frontier.seen(shop.identity)
    assert seen is not None and seen.reason == "TOE_DIED"
    assert monitor.stuck == 5


async def test_toes_report_what_they_do_since_when_and_how_long_each_step_took() -> None:
    """S6."""
    shop = Workshop()
    shop.doing.does = once(lambda attempt: shop.doing.hangs.wait())
    shop.toes.set_size(2)
    await shop.until(lambda: bool(shop.doing.attempts))
    shop.clock.advance(7.0)
    (busy,) = [report for report in shop.toes.reports() if report.step is ToeStep.PROCESSING]
    assert (busy.uri, busy.processor) == (URL, "doing")
    assert shop.clock.monotonic() - busy.since == 7.0
    shop.doing.hangs.set()
    await shop.until(shop.frontier.is_empty)
    await shop.until(lambda: all(report.step is ToeStep.WAITING for report in shop.toes.reports()))
    (done,) = [report for report in shop.toes.reports() if report.settled]
    assert done.seconds["PROCESSING"] == 7.0
    await shop.finish()


async def test_toes_that_hold_a_uri_are_abandoned_and_those_that_wait_are_left_alone() -> None:
    shop = Workshop()
    shop.doing.does = once(lambda attempt: shop.doing.hangs.wait())
    shop.toes.set_size(4)
    await shop.until(lambda: bool(shop.doing.attempts))
    shop.frontier.seek(FrontierTarget.PAUSE)
    assert shop.toes.abandon() == 1
    await shop.until(lambda: shop.frontier.reached is FrontierTarget.PAUSE)
    await shop.finish()
    assert shop.toes.replaced == 1
    assert shop.doing.attempts == [0, 0]
