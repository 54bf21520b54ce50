from __future__ import annotations

import asyncio

from gossamer.config import Politeness
from gossamer.frontier import FAMILIES, LocalFrontier
from gossamer.model.crawluri import ClassKey, CrawlURI
from gossamer.model.disposition import Charge, Disposition, Fate
from gossamer.storage.memory import MemoryKV
from gossamer.testing import FakeClock

A = ClassKey("a.example")


class Crawl:
    def __init__(self, politeness: Politeness | None = None) -> None:
        self.clock = FakeClock()
        self.frontier = LocalFrontier(MemoryKV(FAMILIES), self.clock, politeness or Politeness(delay=0, delay_factor=0))

    def schedule(self, *paths: str, host: str = "a.example") -> None:
        for path in paths:
            url = f"http://{host}{path}"
            identity = self.frontier.identify(url, host)
            self.frontier.schedule([CrawlURI(url=url, class_key=ClassKey(host), identity=identity)])

    async def next(self) -> CrawlURI | None:
        task = asyncio.ensure_future(self.frontier.next())
        await asyncio.sleep(0)
        if task.done():
            return task.result()
        task.cancel()
        await asyncio.sleep(0)
        return None

    def finish(self, curi: CrawlURI, fate: Fate = Fate.SUCCEEDED, status: int = 200, **fields: object) -> None:
        self.frontier.finish(curi, Disposition(fate=fate, status=status, **fields))  # type: ignore[arg-type]
        self.frontier.validate()


async def test_a_retired_queue_keeps_its_urls_and_gives_none() -> None:
    crawl = Crawl()
    crawl.schedule("/1", "/2")
    assert crawl.frontier.retire(A)
    assert not crawl.frontier.retire(A)
    crawl.frontier.validate()
    assert await crawl.next() is None
    assert crawl.frontier.is_empty(), "what is retired does not count as eligible"
    counts = crawl.frontier.counts()
    assert (counts.queued, counts.retired) == (2, 2)
    crawl.schedule("/3")
    assert crawl.frontier.counts().retired == 3
    report = crawl.frontier.why(A)
    assert report is not None and report.state == "retired"
    assert not crawl.frontier.retire(ClassKey("never"))


async def test_a_revived_queue_goes_on_where_it_was() -> None:
    crawl = Crawl()
    crawl.schedule("/1", "/2")
    held = await crawl.next()
    assert held is not None
    crawl.frontier.retire(A)
    crawl.frontier.validate()
    crawl.finish(held)
    assert crawl.frontier.is_empty()
    waiter = asyncio.ensure_future(crawl.frontier.next())
    await asyncio.sleep(0)
    assert crawl.frontier.revive(A) == 0
    crawl.frontier.validate()
    await asyncio.sleep(0)
    assert waiter.result().url.endswith("/2")
    assert crawl.frontier.counts().retired == 0


async def test_reviving_a_host_that_was_given_up_queues_its_failed_urls_again() -> None:
    crawl = Crawl(Politeness(delay=0, delay_factor=0, host_schedule=()))
    crawl.schedule("/1", "/2")
    first = await crawl.next()
    assert first is not None
    crawl.finish(first, Fate.RETRY, -2, charge=Charge.HOST)
    assert crawl.frontier.unreachable(A)
    for _ in range(2):
        curi = await crawl.next()
        assert curi is not None
        crawl.finish(curi, Fate.FAILED, -25, reason="HOST_UNREACHABLE")
    assert crawl.frontier.is_empty()
    assert crawl.frontier.revive(A) == 2
    assert crawl.frontier.revive(A) == 0
    assert not crawl.frontier.unreachable(A)
    crawl.frontier.validate()
    counts = crawl.frontier.counts()
    assert (counts.discovered, counts.queued, counts.failed) == (4, 2, 2)
    again = await crawl.next()
    assert again == first


async def test_a_failed_url_that_was_scheduled_by_force_is_not_revived_twice() -> None:
    crawl = Crawl()
    crawl.schedule("/1")
    curi = await crawl.next()
    assert curi is not None
    crawl.finish(curi, Fate.FAILED, -5)
    crawl.frontier.schedule([curi], force=True)
    assert crawl.frontier.revive(A) == 0
    crawl.frontier.validate()
    assert crawl.frontier.counts().queued == 1


async def test_a_tried_url_that_is_revived_starts_afresh() -> None:
    crawl = Crawl()
    crawl.schedule("/1")
    for _ in range(2):
        curi = await crawl.next()
        assert curi is not None
        crawl.finish(curi, Fate.RETRY, 500, charge=Charge.URI)
    curi = await crawl.next()
    assert curi is not None and curi.attempts == 2
    crawl.finish(curi, Fate.FAILED, 500)
    crawl.frontier.revive(A)
    curi = await crawl.next()
    assert curi is not None and curi.attempts == 0


async def test_deleted_urls_are_gone_known_and_counted() -> None:
    crawl = Crawl()
    crawl.schedule(*[f"/{n}" for n in range(1200)])
    crawl.schedule("/7", host="b.example")
    assert await crawl.frontier.delete_matching(lambda curi: curi.url.endswith("7"), A) == 120
    crawl.frontier.validate()
    counts = crawl.frontier.counts()
    assert (counts.queued, counts.disregarded, counts.reasons) == (1081, 120, {"deleted": 120})
    seen = crawl.frontier.seen(crawl.frontier.identify("http://a.example/7", "a.example"))
    assert seen is not None and (seen.fate, seen.status) == (Fate.DISREGARDED, -6000)
    assert await crawl.frontier.delete_matching(lambda curi: True) == 1081
    assert crawl.frontier.is_empty()
    crawl.frontier.validate()
    crawl.schedule("/7")
    assert crawl.frontier.is_empty(), "a deleted URL is known"


async def test_a_url_deleted_while_it_is_in_process_is_no_error() -> None:
    crawl = Crawl(Politeness(delay=0, delay_factor=0, connections_per_host=2))
    crawl.schedule("/1", "/2")
    first, second = await crawl.next(), await crawl.next()
    assert first is not None and second is not None
    assert await crawl.frontier.delete_matching(lambda curi: True) == 2
    crawl.frontier.validate()
    assert not crawl.frontier.is_empty(), "they are still in process"
    crawl.finish(first)
    crawl.frontier.give_back(second)
    crawl.frontier.validate()
    assert crawl.frontier.is_empty()
    counts = crawl.frontier.counts()
    assert (counts.succeeded, counts.disregarded, counts.in_process) == (0, 2, 0)


# ---- another number of connections


async def test_more_connections_are_used_at_once_and_fewer_as_urls_come_back() -> None:
    crawl = Crawl()
    crawl.schedule(*(f"/{number}" for number in range(9)))
    held = [await crawl.next()]
    assert await crawl.next() is None
    crawl.frontier.set_politeness(Politeness(delay=0, delay_factor=0, connections_per_host=3))
    crawl.frontier.validate()
    held += [await crawl.next(), await crawl.next()]
    assert None not in held and await crawl.next() is None
    crawl.frontier.set_politeness(Politeness(delay=0, delay_factor=0, connections_per_host=2))
    crawl.frontier.validate()
    crawl.finish(held.pop())
    assert await crawl.next() is None, "two are out still"
    crawl.finish(held.pop())
    assert await crawl.next() is not None


async def test_a_request_that_may_not_have_been_sent_yet_keeps_its_gap_when_connections_are_added() -> None:
    """P9."""
    crawl = Crawl(Politeness(delay=2, delay_factor=0))
    crawl.schedule("/1", "/2", "/3")
    held = await crawl.next()
    assert held is not None
    crawl.frontier.set_politeness(Politeness(delay=2, delay_factor=0, connections_per_host=4))
    assert await crawl.next() is None
    crawl.frontier.started(held, crawl.clock.monotonic())
    assert await crawl.next() is None
    crawl.clock.advance(2.1)
    assert await crawl.next() is not None


async def test_queues_in_every_state_take_another_number_of_connections() -> None:
    crawl = Crawl(Politeness(delay=2, delay_factor=0, connections_per_host=2))
    for host in ("a.example", "b.example", "c.example"):
        crawl.schedule("/1", "/2", host=host)
    first, second = await crawl.next(), await crawl.next()
    assert first is not None and second is not None
    crawl.finish(first, started=crawl.clock.monotonic(), requested=True)
    crawl.frontier.retire(second.class_key)
    for connections in (1, 3, 1):
        crawl.frontier.set_politeness(Politeness(delay=2, delay_factor=0, connections_per_host=connections))
        crawl.frontier.validate()
