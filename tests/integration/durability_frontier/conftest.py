"""A frontier with files, on a store and on a disk that can both lose power."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Iterable
from typing import Any

import pytest

from gossamer.config import Politeness
from gossamer.errors import StorageError
from gossamer.frontier import FAMILIES, LocalFrontier
from gossamer.model.crawluri import ClassKey, CrawlURI
from gossamer.model.disposition import Disposition, Fate, Span
from gossamer.storage import KV
from gossamer.storage.memory import MemoryKV
from gossamer.testing import FakeClock

RUDE = Politeness(delay=0.0, delay_factor=0.0)


class DiskModel:
    """Files that only grow, each a row of records with a checksum; what was synced survives the loss of power."""

    def __init__(self) -> None:
        self.content: dict[str, bytearray] = {}
        self.synced: dict[str, int] = {}
        self.final: set[str] = set()
        self._serial = 0

    # ---- as recovery sees it

    def size(self, file: str) -> int | None:
        return len(self.content[file]) if file in self.content else None

    def is_final(self, file: str) -> bool:
        return file in self.final

    def is_whole(self, span: Span) -> bool:
        return parse_record(bytes(self.content[span.file][span.start : span.end]), span.record_id) is not None

    def truncate(self, file: str, size: int) -> None:
        del self.content[file][size:]
        self.synced[file] = min(self.synced[file], size)

    def sync(self, file: str) -> None:
        if file not in self.content:
            raise StorageError(f"{file} is gone")
        self.synced[file] = len(self.content[file])

    def sync_all(self, files: Iterable[str]) -> None:
        for file in files:
            self.sync(file)

    # ---- as the writer sees it

    def create(self, file: str) -> None:
        self.content[file] = bytearray()
        self.synced[file] = 0

    def append(self, file: str, **facts: Any) -> Span:
        self._serial += 1
        record_id = f"urn:uuid:{self._serial:08}"
        body = json.dumps({"id": record_id, **facts}).encode()
        start = len(self.content[file])
        self.content[file] += len(body).to_bytes(4, "big") + zlib.crc32(body).to_bytes(4, "big") + body
        return Span(file=file, start=start, end=len(self.content[file]), record_id=record_id)

    # ---- accidents

    def lose_power(self, luck: random.Random) -> None:
        """Of what was not synced, some is there, some is zeros, the rest is gone."""
        for file, content in self.content.items():
            lost = len(content) - self.synced[file]
            kept = self.synced[file] + luck.randint(0, lost)
            zeroed = luck.randint(0, len(content) - kept) if luck.random() < 0.5 else 0
            content[kept:] = bytes(zeroed)

    def records(self, file: str) -> list[dict[str, Any]]:
        """All records of a file; raises if it holds anything else."""
        content, found, position = bytes(self.content[file]), [], 0
        while position < len(content):
            size = int.from_bytes(content[position : position + 4], "big")
            record = parse_record(content[position : position + 8 + size], None)
            assert record is not None, f"{file} holds something at {position} that is no record"
            found.append(record)
            position += 8 + size
        return found

    def all_records(self, files: Iterable[str]) -> list[dict[str, Any]]:
        return [record for file in files for record in self.records(file)]


def parse_record(stretch: bytes, record_id: str | None) -> dict[str, Any] | None:
    """The record that is exactly this stretch; None if it is none."""
    body = stretch[8:]
    if len(stretch) < 8 or int.from_bytes(stretch[:4], "big") != len(body) or not body:
        return None
    if zlib.crc32(body) != int.from_bytes(stretch[4:8], "big"):
        return None
    record: dict[str, Any] = json.loads(body)
    return record if record_id is None or record["id"] == record_id else None


class Rig:
    """A frontier on a store in memory and a disk model, with what can happen to the three."""

    def __init__(self, politeness: Politeness = RUDE, store: KV | None = None, **options: Any) -> None:
        self.politeness = politeness
        self.options = options
        self.clock = FakeClock()
        self.store: Any = store or MemoryKV(FAMILIES)
        self.disk = DiskModel()
        self.file = ""
        self._files = 0
        self.open()

    def open(self) -> None:
        self.frontier = LocalFrontier(self.store, self.clock, self.politeness, files=self.disk, **self.options)
        self.file = next(iter(self.frontier.open_files()), "")

    # ---- crawling

    def uri(self, path: str = "/", host: str = "a.example", **fields: Any) -> CrawlURI:
        url = f"http://{host}{path}"
        return CrawlURI(url=url, class_key=ClassKey(host), identity=self.frontier.identify(url, host), **fields)

    def schedule(self, *paths: str, host: str = "a.example", **fields: Any) -> int:
        return self.frontier.schedule([self.uri(path, host, **fields) for path in paths])

    def take(self) -> CrawlURI | None:
        """What `next` gives without waiting for time to pass."""
        for _ in range(10):  # a long search is broken off now and then, and goes on at once
            waiting = self.frontier.next()
            try:
                waiting.send(None)
            except StopIteration as taken:
                curi: CrawlURI = taken.value
                return curi
            waiting.close()
        return None

    def must_take(self) -> CrawlURI:
        curi = self.take()
        assert curi is not None
        return curi

    def new_file(self) -> str:
        self._files += 1
        self.file = f"warcs/{self._files:03}.warc.gz"
        self.frontier.register_file(self.file)
        self.disk.create(self.file)
        return self.file

    def close_file(self) -> None:
        self.disk.sync(self.file)
        self.disk.final.add(self.file)
        self.frontier.mark_closed(self.file)
        self.file = ""

    def append(self, curi: CrawlURI, fate: Fate = Fate.SUCCEEDED, size: int = 50, **facts: Any) -> Span:
        if not self.file:
            self.new_file()
        facts = {"url": curi.url, "fate": fate.value, "wire": size, "padding": "x" * size} | facts
        return self.disk.append(self.file, **facts)

    def finish(
        self, curi: CrawlURI, *discovered: CrawlURI, fate: Fate = Fate.SUCCEEDED, size: int = 50, **fields: Any
    ) -> Span:
        """Append and finish, as one step: what was appended is cut away again if the store refuses."""
        seen = self.frontier.seen(curi.identity)
        if seen is not None and seen.fate is not None:
            # Deleted meanwhile: archived all the same, but its outcome counts for nothing.
            span = self.append(curi, Fate.DISREGARDED, size)
        else:
            span = self.append(curi, fate, size, page=bool(fields.get("is_page")))
        told: dict[str, Any] = {"status": 200, "requested": True, "started": self.clock.monotonic()}
        told |= {"spans": (span,), "wire_bytes": size, "when": self.clock.wall()} | fields
        try:
            self.frontier.finish(curi, Disposition(fate=fate, **told), discovered)
        except StorageError:
            del self.disk.content[span.file][span.start :]
            raise
        return span

    async def commit(self) -> None:
        await self.frontier.commit(self.disk.sync_all)

    # ---- accidents

    def kill(self) -> None:
        """kill -9, and a new start."""
        self.store = self.store.crash()
        self.open()

    def lose_power(self, luck: random.Random, keep: int | None = None) -> None:
        """Pull the plug, and start again; `keep` batches of those not synced reached the disk."""
        written = self.store.unsynced
        self.store = self.store.lose_power(luck.randint(0, written) if keep is None else keep)
        self.disk.lose_power(luck)
        self.open()

    # ---- what must hold

    def check(self) -> None:
        """Store, counters and archive agree exactly."""
        self.frontier.validate()
        tails = self.frontier.open_files()
        for file, tail in tails.items():
            assert len(self.disk.content[file]) == tail, f"{file} does not end at its tail"
        # A file that the store forgot with the power is an orphan, and not looked at.
        records = self.disk.all_records(self.frontier.known_files())
        ids = [record["id"] for record in records]
        assert len(ids) == len(set(ids)), "a record stands twice in the archive"
        counts = self.frontier.counts()
        assert counts.wire_bytes == sum(record["wire"] for record in records)
        assert counts.retried == sum(record["fate"] == "retry" for record in records)
        assert counts.pages == sum(record.get("page", False) for record in records)
        assert counts.succeeded == sum(record["fate"] == "succeeded" for record in records)
        for record in records:
            if record["fate"] == "succeeded":
                url = record["url"]
                seen = self.frontier.seen(self.frontier.identify(url, url.split("/")[2]))
                assert seen is not None and seen.fate is Fate.SUCCEEDED, f"{url} is archived, but not done"


@pytest.fixture
def rig() -> Rig:
    return Rig()
