"""One frontier of each kind and one store of each kind, so that one suite runs over all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gossamer.config import Politeness
from gossamer.frontier import FAMILIES, LocalFrontier
from gossamer.frontier.memory import MemoryFrontier
from gossamer.model.crawluri import ClassKey, CrawlURI
from gossamer.model.disposition import Charge, Disposition, Fate
from gossamer.storage import KV, RocksKV
from gossamer.storage.memory import MemoryKV
from gossamer.testing import FakeClock

RUDE = Politeness(delay=0.0, delay_factor=0.0)


class Kit:
    """A frontier, its clock, and short ways to say what happens to it."""

    def __init__(self, make: Callable[..., Any], **options: Any) -> None:
        self.clock = FakeClock()
        self.frontier = make(self.clock, options.pop("politeness", RUDE), **options)

    def uri(self, path: str = "/", host: str = "a.example", **fields: Any) -> CrawlURI:
        url = f"http://{host}{path}"
        return CrawlURI(url=url, class_key=ClassKey(host), identity=self.frontier.identify(url, host), **fields)

    def schedule(self, *paths: str, host: str = "a.example", **fields: Any) -> int:
        return self.frontier.schedule([self.uri(path, host, **fields) for path in paths])

    def finish(self, curi: CrawlURI, *discovered: CrawlURI, fate: Fate = Fate.SUCCEEDED, **fields: Any) -> None:
        told: dict[str, Any] = {
            "status": 200,
            "requested": True,
            "started": self.clock.monotonic(),
            "when": self.clock.wall(),
        }
        self.frontier.finish(curi, Disposition(fate=fate, **(told | fields)), discovered)
        self.frontier.validate()

    def fail(self, curi: CrawlURI, charge: Charge, **fields: Any) -> None:
        self.finish(curi, fate=Fate.RETRY, charge=charge, **({"status": -2} | fields))

    def give_back(self, curi: CrawlURI) -> None:
        self.frontier.give_back(curi)
        self.frontier.validate()

    async def next(self) -> CrawlURI:
        """What `next` gives without waiting."""
        task = asyncio.ensure_future(self.frontier.next())
        await asyncio.sleep(0)
        assert task.done(), "next waits"
        self.frontier.validate()
        return task.result()

    async def all_paths(self) -> list[str]:
        """Crawl to the end without a host that rests, and say in which order."""
        paths = []
        while not self.frontier.is_empty():
            curi = await self.next()
            paths.append(curi.url.split("example", 1)[1])
            self.finish(curi)
        return paths

    def waiter(self) -> asyncio.Task[CrawlURI]:
        return asyncio.ensure_future(self.frontier.next())

    async def advance(self, seconds: float) -> None:
        self.clock.advance(seconds)
        await settle()
        self.frontier.validate()


async def settle() -> None:
    """Let everybody who was woken run."""
    for _ in range(5):
        await asyncio.sleep(0)


MakeKit = Callable[..., Kit]


@pytest.fixture(params=["memory", "local on memory", "local on rocks"])
def make_kit(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeKit]:
    opened: list[Any] = []

    def make(clock: FakeClock, politeness: Politeness, **options: Any) -> Any:
        if request.param == "memory":
            frontier: Any = MemoryFrontier(clock, politeness, **options)
        else:
            is_rocks = request.param == "local on rocks"
            store: KV = RocksKV(tmp_path / f"f{len(opened)}", FAMILIES) if is_rocks else MemoryKV(FAMILIES)
            frontier = LocalFrontier(store, clock, politeness, **options)
        opened.append(frontier)
        return frontier

    yield lambda **options: Kit(make, **options)
    for frontier in opened:
        frontier.close()


@pytest.fixture
def kit(make_kit: MakeKit) -> Kit:
    return make_kit()


@pytest.fixture(params=["memory", "rocks"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KV]:
    made: KV = MemoryKV(("a", "b")) if request.param == "memory" else RocksKV(tmp_path / "kv", ("a", "b"))
    yield made
    made.close()
