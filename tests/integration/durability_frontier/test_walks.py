"""Random walks: thousands of steps in any order, with every table checked after each.

The first holds the frontier against its executable specification; the second kills it, pulls the plug, and makes the
store refuse writes. A failing seed is in the test's name.
"""

from __future__ import annotations

import asyncio
import os
import random
from typing import Any

import pytest

from gossamer.config import Politeness
from gossamer.errors import DiskFull, StorageError
from gossamer.frontier import FAMILIES, FrontierTarget, LocalFrontier, RobotsRecord
from gossamer.frontier.memory import MemoryFrontier
from gossamer.model.crawluri import ClassKey, CrawlURI
from gossamer.model.disposition import Charge, Disposition, Fate
from gossamer.storage.memory import MemoryKV

from .conftest import RUDE, Rig

SEEDS = int(os.environ.get("GOSSAMER_WALKS", "12"))
"""A soak takes a few hundred."""
SMALL = {
    "gossamer.frontier.ledger.SESSION": 3,
    "gossamer.frontier.hosts.SESSION": 3,
    "gossamer.frontier.turns.ACTIVATIONS": 2,
    "gossamer.frontier.workqueue.HEADS": 2,
    "gossamer.frontier.workqueue.MOST_HEADS": 3,
    "gossamer.frontier.workqueue.HEADS_IN_ALL": 6,
    "gossamer.frontier.shelf.READ_AHEAD": 2,
    "gossamer.frontier.workbench.MAX_SNOOZED": 1,
    "gossamer.frontier.hosts.NEAR_SECONDS": 2.0,
    "gossamer.frontier.ledger.RECENT_ROWS": 2,
    "gossamer.frontier.seen.ABSENT_URLS": 5,
}
"""Every bound so small that a walk meets it often."""


@pytest.fixture(autouse=True)
def bounds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every other walk goes with small bounds."""
    if request.getfixturevalue("seed") % 2:
        for name, value in SMALL.items():
            monkeypatch.setattr(name, value)


def by_host(class_key: str) -> int:
    """Queues of three precedences."""
    return int(class_key[1]) % 3


HOSTS = [f"h{n}.example" for n in range(5)]
POLITENESS = [
    RUDE,
    Politeness(delay=1.0, host_schedule=(5.0, 100.0), throttle_start=3.0),
    Politeness(delay=0.0, delay_factor=0.0, connections_per_host=3, host_schedule=(7.0,)),
    Politeness(delay=0.7, delay_factor=0.5, connections_per_host=3, host_schedule=(7.0, 70.0)),
]


class Mirror:
    """A LocalFrontier and the specification beside it, told the same."""

    def __init__(self, luck: random.Random, politeness: Politeness, max_pages: int | None) -> None:
        self.luck = luck
        self.rig = Rig(politeness, seed=7, max_pages=max_pages, precedence=by_host)
        self.spec = MemoryFrontier(self.rig.clock, politeness, seed=7, max_pages=max_pages)
        self.held: list[CrawlURI] = []
        self.claims: dict[str, tuple[ClassKey, ClassKey | None]] = {}
        self.turns_end = 0.0
        """Turns given to visitors are not stored: until then the two would part if one were opened anew."""
        self.waiters: list[asyncio.Task[CrawlURI]] = []

    @property
    def local(self) -> LocalFrontier:
        return self.rig.frontier

    def candidates(self, most: int) -> list[CrawlURI]:
        luck = self.luck
        return [
            self.rig.uri(
                f"/{luck.randrange(60)}",
                luck.choice(HOSTS),
                priority=luck.choice([96, 128, 128, 144]),
                depth=luck.randrange(3),
                force=luck.random() < 0.1,
            )
            for _ in range(luck.randrange(most + 1))
        ]

    def both(self, do: Any) -> None:
        done = [do(self.spec), do(self.local)]
        assert done[0] == done[1]

    # ---- steps

    def schedule(self) -> None:
        uris, force = self.candidates(6), self.luck.random() < 0.1
        self.both(lambda frontier: frontier.schedule(uris, force=force))

    def take(self) -> None:
        curi = self.rig.take()
        if curi is None:
            assert self.spec.giving() == [], "the specification would give one"
        else:
            self.took(curi)

    def took(self, curi: CrawlURI) -> None:
        assert curi.class_key in self.spec.giving(), f"{curi.class_key} may not give one now"
        assert self.spec.take_from(curi.class_key) == curi
        self.held.append(curi)

    def finish(self) -> None:
        if self.held:
            curi = self.held.pop(self.luck.randrange(len(self.held)))
            told, discovered = self.disposition(curi), self.candidates(4)
            self.both(lambda frontier: frontier.finish(curi, told, discovered))

    def disposition(self, curi: CrawlURI) -> Disposition:
        luck = self.luck
        fate = luck.choice([Fate.SUCCEEDED] * 5 + [Fate.FAILED, Fate.DISREGARDED, Fate.RETRY, Fate.RETRY, Fate.RETRY])
        charge = luck.choice(list(Charge)) if fate is Fate.RETRY else Charge.NONE
        requested = fate is not Fate.DISREGARDED and luck.random() < 0.9
        requeued = None
        if charge is Charge.NONE and fate is Fate.RETRY and luck.random() < 0.5:
            requeued = self.rig.uri(
                curi.url.split("example")[1], curi.class_key, fetch_url="x", depth=luck.randrange(3)
            )
        return Disposition(
            fate=fate,
            charge=charge,
            requeued=requeued,
            status={Charge.HOST: -2, Charge.THROTTLED: 429}.get(charge, luck.choice([200, 404, -3])),
            requested=requested,
            is_page=fate is Fate.SUCCEEDED and luck.random() < 0.5,
            started=self.rig.clock.monotonic() - luck.random(),
            fetch_seconds=luck.random() * 3,
            crawl_delay_seconds=luck.choice([None, None, 5.5]),
            retry_after_seconds=luck.choice([None, 9.1, 80.3]),
            wire_bytes=luck.randrange(1000),
            reason=luck.choice(["", "why"]),
            when=self.rig.clock.wall(),
        )

    def give_back(self) -> None:
        if self.held:
            curi = self.held.pop(self.luck.randrange(len(self.held)))
            if self.luck.random() < 0.3:
                self.both(lambda frontier: frontier.started(curi, self.rig.clock.monotonic()))
            self.both(lambda frontier: frontier.give_back(curi))

    def start(self) -> None:
        if self.held:
            curi = self.luck.choice(self.held)
            self.both(lambda frontier: frontier.started(curi, self.rig.clock.monotonic()))

    def advance(self) -> None:
        self.rig.clock.advance(self.luck.choice([0.1, 1.0, 1.0, 10.0, 100.0]) * self.luck.random())

    def claim(self) -> None:
        if self.held:
            curi = self.luck.choice(self.held)
            authority = f"{self.luck.choice(['http', 'https'])}://{curi.class_key}"
            others = [ClassKey(host) for host in HOSTS if host != curi.class_key]
            host = self.luck.choice([None, None, None, *others])
            is_claimed = authority in self.claims
            self.both(lambda frontier: frontier.begin_robots(authority, curi.class_key, host))
            if authority in self.spec._claims and not is_claimed:
                self.claims[authority] = (curi.class_key, host)
            elif host is not None:
                self.turns_end = max(queue.rest_until for queue in self.spec._queues.values())

    def end_claim(self) -> None:
        if not self.claims:
            return
        authority, (class_key, host) = self.claims.popitem()
        if self.luck.random() < 0.3:
            self.both(lambda frontier: frontier.abandon_robots(authority, class_key))
            return
        outcome = self.luck.choice(["rules", "unreachable"])
        next_try = self.rig.clock.wall() + self.luck.random() * 200
        noted = RobotsRecord(authority=authority, fetched=1.0, outcome=outcome, next_try=next_try)
        told = Disposition(
            fate=Fate.SUCCEEDED, status=200, requested=True, started=self.rig.clock.monotonic(), wire_bytes=3
        )
        self.both(lambda frontier: frontier.note_robots(noted, class_key, told, host))

    def stray(self) -> None:
        told = Disposition(fate=Fate.SUCCEEDED, status=200, wire_bytes=1)
        for curi in self.candidates(1):
            if self.local.why(curi.class_key) is not None and all(held.url != curi.url for held in self.held):
                self.both(lambda frontier, curi=curi: frontier.finish(curi, told))

    def note_seen(self) -> None:
        for curi in self.candidates(1):
            self.both(lambda frontier, curi=curi: frontier.note_seen(curi.identity))

    def seek(self) -> None:
        target = self.luck.choice([FrontierTarget.RUN] * 3 + [FrontierTarget.HOLD, FrontierTarget.PAUSE])
        self.both(lambda frontier: frontier.seek(target))

    async def reopen(self) -> None:
        """A clean stop and a start."""
        if self.held or self.claims or self.rig.clock.monotonic() < self.turns_end:
            return
        await self.rig.commit()
        assert self.local.mark_clean()
        self.rig.kill()
        assert self.local.recovery.was_clean
        self.spec.seek(FrontierTarget.RUN)
        # The jitter begins anew with each run.
        self.spec._random.seed(7)
        # A stored wake time is rounded to a quarter of a microsecond.
        self.rig.clock.advance(0.001)

    # ---- what must hold

    def check(self) -> None:
        self.local.validate()
        self.spec.validate()
        ours, specified = self.local.counts(), self.spec.counts()
        for name in (
            "discovered queued in_process succeeded failed disregarded retried pages wire_bytes queues reasons"
        ).split():
            assert getattr(ours, name) == getattr(specified, name), name
        assert self.local.reached is self.spec.reached
        assert self.local.is_page_limit_reached == self.spec.is_page_limit_reached
        for class_key in HOSTS:
            assert self.local.unreachable(class_key) == self.spec.unreachable(class_key)

    def check_seen(self) -> None:
        for host in HOSTS:
            for n in range(60):
                identity = self.rig.uri(f"/{n}", host).identity
                ours, specified = self.local.seen(identity), self.spec.seen(identity)
                assert ours == specified
        ours, specified = list(self.local.queues()), list(self.spec.queues())
        assert [report.class_key for report in ours] == [report.class_key for report in specified]
        for one, other in zip(ours, specified, strict=True):
            assert (one.queued, one.in_process, one.failures) == (other.queued, other.in_process, other.failures)


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_the_frontier_does_what_its_specification_does(seed: int) -> None:
    """S9, S11-S14, P9."""
    luck = random.Random(seed)
    mirror = Mirror(luck, POLITENESS[seed // 2 % len(POLITENESS)], 30 if seed % 5 == 0 else None)
    steps = [
        *[mirror.schedule] * 3,
        *[mirror.take] * 8,
        *[mirror.finish] * 7,
        *[mirror.advance] * 4,
        *[mirror.start] * 2,
        mirror.give_back,
        mirror.claim,
        mirror.end_claim,
        mirror.stray,
        mirror.note_seen,
    ]
    for step in range(400):
        if luck.random() < 0.02:
            await mirror.reopen()
        elif luck.random() < 0.02:
            mirror.seek()
        else:
            luck.choice(steps)()
        mirror.check()
        if step % 100 == 0:
            mirror.check_seen()
    mirror.check_seen()


class Accidents:
    """A crawl in which everything goes wrong that may."""

    def __init__(self, luck: random.Random, politeness: Politeness) -> None:
        self.luck = luck
        self.rig = Rig(politeness, seed=luck.randrange(1000), precedence=by_host)
        self.held: list[CrawlURI] = []
        self.durable: dict[str, Any] = {}
        """URL -> its outcome, as of the last commit."""

    def some(self, most: int) -> list[CrawlURI]:
        return [
            self.rig.uri(f"/{self.luck.randrange(200)}", self.luck.choice(HOSTS), depth=self.luck.randrange(3))
            for _ in range(self.luck.randrange(most + 1))
        ]

    def schedule(self) -> None:
        self.rig.frontier.schedule(self.some(8))

    def take(self) -> None:
        curi = self.rig.take()
        if curi is not None:
            self.held.append(curi)

    def finish(self) -> None:
        if not self.held:
            return
        curi = self.held[-1]
        fate = self.luck.choice([Fate.SUCCEEDED] * 4 + [Fate.RETRY])
        charge = self.luck.choice(list(Charge)) if fate is Fate.RETRY else Charge.NONE
        status = {Charge.HOST: -2, Charge.THROTTLED: 429}.get(charge, 200)
        is_page = fate is Fate.SUCCEEDED and self.luck.random() < 0.5
        if self.luck.random() < 0.2:
            self.rotate()
        self.rig.finish(curi, *self.some(5), fate=fate, charge=charge, status=status, is_page=is_page)
        self.held.pop()

    def give_back(self) -> None:
        if self.held:
            self.rig.frontier.give_back(self.held.pop())

    def advance(self) -> None:
        self.rig.clock.advance(self.luck.choice([0.1, 1.0, 100.0]) * self.luck.random())

    def rotate(self) -> None:
        if self.rig.file and self.luck.random() < 0.3:
            self.rig.close_file()
        else:
            self.rig.new_file()

    def switch_file(self) -> None:
        self.rig.file = self.luck.choice(list(self.rig.frontier.open_files()) or [""])

    def robots(self) -> None:
        if not self.held:
            return
        curi = self.held[-1]
        authority = f"http://{curi.class_key}"
        assert self.rig.frontier.begin_robots(authority, curi.class_key)
        if self.luck.random() < 0.3:
            self.rig.frontier.abandon_robots(authority, curi.class_key)
            return
        span = self.rig.append(curi, Fate.DISREGARDED, size=9)
        noted = RobotsRecord(
            authority=authority,
            fetched=1.0,
            outcome=self.luck.choice(["rules", "unreachable"]),
            next_try=self.rig.clock.wall() + self.luck.random() * 100,
        )
        told = Disposition(fate=Fate.SUCCEEDED, status=200, requested=True, wire_bytes=9, spans=(span,))
        self.rig.frontier.note_robots(noted, curi.class_key, told)

    def retire(self) -> None:
        self.rig.frontier.retire(self.luck.choice(HOSTS))

    def revive(self) -> None:
        self.rig.frontier.revive(self.luck.choice(HOSTS))

    async def delete(self) -> None:
        digit = str(self.luck.randrange(10))
        class_key = self.luck.choice([None, *HOSTS])
        await self.rig.frontier.delete_matching(lambda curi: curi.url.endswith(digit), class_key)

    async def commit(self) -> None:
        await self.rig.commit()
        self.durable = {}
        for host in HOSTS:
            for n in range(200):
                seen = self.rig.frontier.seen(self.rig.uri(f"/{n}", host).identity)
                if seen is not None:
                    self.durable[f"http://{host}/{n}"] = seen

    def refuse(self) -> None:
        """The store refuses one write, whatever step comes next."""

        def faults(doing: str) -> None:
            if doing == "write":
                self.rig.store.faults = None
                raise DiskFull

        self.rig.store.faults = faults
        try:
            self.luck.choice([self.schedule, self.finish, self.rotate])()
        except DiskFull:
            pass
        finally:
            self.rig.store.faults = None
        # What could be registered but not made, or the other way round, is the writer's to put right.
        if self.rig.file not in self.rig.frontier.open_files() or self.rig.file not in self.rig.disk.content:
            self.rig.file = ""

    def half_finish(self) -> None:
        """Killed between the append and the batch, or in the middle of a rotation."""
        if self.luck.random() < 0.2 and self.rig.file:
            self.rig.disk.sync(self.rig.file)
            self.rig.disk.final.add(self.rig.file)
        elif self.luck.random() < 0.2:
            self.rig.frontier.register_file(f"warcs/half{self.luck.random()}.warc.gz")
        elif self.held:
            self.rig.append(self.held[-1])
        self.kill()

    def kill(self) -> None:
        counts = self.rig.frontier.counts()
        self.rig.kill()
        self.held.clear()
        after = self.rig.frontier.counts()
        for name in "discovered queued succeeded failed disregarded retried pages wire_bytes queues".split():
            assert getattr(after, name) == getattr(counts, name), name
        assert self.rig.frontier.recovery.undone == 0

    def lose_power(self) -> None:
        self.rig.lose_power(self.luck)
        self.held.clear()
        for url, seen in self.durable.items():
            after = self.rig.frontier.seen(self.rig.frontier.identify(url, url.split("/")[2]))
            assert after is not None, f"{url} was durable, and is not known"
            if seen.fate is not None:
                assert after == seen, f"{url} was durably done"

    async def fail_sync(self) -> None:
        """EIO: the job ends, and at the next start all that was not durable is suspect."""

        def sync(files: list[str]) -> None:
            raise StorageError("EIO")

        with pytest.raises(StorageError):
            await self.rig.frontier.commit(sync)
        settled = self.rig.frontier.uncommitted
        self.rig.kill()
        self.held.clear()
        assert self.rig.frontier.recovery.undone == settled

    def check(self) -> None:
        self.rig.check()


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_no_accident_loses_a_url_or_a_record(seed: int) -> None:
    """P1, P2, P3, P4."""
    luck = random.Random(seed)
    crawl = Accidents(luck, POLITENESS[seed // 2 % len(POLITENESS)])
    steps = [
        *[crawl.schedule] * 2,
        *[crawl.take] * 8,
        *[crawl.finish] * 7,
        *[crawl.advance] * 3,
        crawl.give_back,
        crawl.rotate,
        crawl.switch_file,
        crawl.refuse,
        crawl.robots,
    ]
    accidents = [crawl.kill, crawl.half_finish, crawl.lose_power, crawl.lose_power]
    for _ in range(300):
        chance = luck.random()
        if chance < 0.03:
            luck.choice(accidents)()
        elif chance < 0.035:
            await crawl.fail_sync()
        elif chance < 0.08:
            await crawl.commit()
        elif chance < 0.1:
            luck.choice([crawl.retire, crawl.revive, crawl.revive])()
        elif chance < 0.105:
            await crawl.delete()
        else:
            luck.choice(steps)()
        crawl.check()


@pytest.mark.parametrize("seed", range(6))
async def test_toes_that_are_cancelled_at_any_step_lose_no_url(seed: int) -> None:
    """S2, S14: real waiters, cancelled at random, some in the very tick of the hand-over."""
    luck = random.Random(seed)
    rig = Rig(store=MemoryKV(FAMILIES))
    done: list[str] = []

    async def toe() -> None:
        while True:
            curi = await rig.frontier.next()
            try:
                for _ in range(luck.randrange(3)):
                    await asyncio.sleep(0)
                links = [rig.uri(f"/{luck.randrange(150)}", luck.choice(HOSTS)) for _ in range(luck.randrange(4))]
                rig.frontier.finish(curi, Disposition(fate=Fate.SUCCEEDED, status=200), links)
                done.append(curi.url)
            except asyncio.CancelledError:
                rig.frontier.give_back(curi)
                raise

    toes = [asyncio.ensure_future(toe()) for _ in range(8)]
    await asyncio.sleep(0)
    rig.schedule("/seed")
    for _ in range(400):
        for _ in range(luck.randrange(3)):
            await asyncio.sleep(0)
        victim = luck.randrange(len(toes))
        toes[victim].cancel()
        toes[victim] = asyncio.ensure_future(toe())
        rig.frontier.validate()
        if rig.frontier.is_empty():
            rig.schedule(f"/more{luck.random()}", host=luck.choice(HOSTS))
    emptied = asyncio.ensure_future(rig.frontier.wait_reached(FrontierTarget.EMPTY))
    await asyncio.wait_for(emptied, 10)
    rig.frontier.seek(FrontierTarget.FINISH)
    await asyncio.gather(*toes, return_exceptions=True)
    counts = rig.frontier.counts()
    assert counts.in_process == 0
    assert len(done) == len(set(done)) == counts.succeeded == counts.discovered
