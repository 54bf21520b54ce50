"""The floor under the frontier: the reads and writes of the same store that nobody can do without, as bare tuples.

No records, no states, no rests, no limits, no recovery: what is left is hashing, encoding and RocksDB, through the same
binding, options and families as the frontier's. `frontier.py --floor` runs it.
"""

from __future__ import annotations

import os
import struct
from collections import deque
from hashlib import blake2b
from pathlib import Path

import msgspec
from harness.linkgraph import Link, busy_first

from gossamer.frontier.keys import COUNTERS, FAMILIES, FILES, INACTIVE, JOURNAL, META, QUEUE, QUEUES, SEEN
from gossamer.storage.rocks import RocksKV

ROW_BYTES = 62
HEADS = 100
_SUFFIX = struct.Struct(">BBHQ")
_NUMBER = struct.Struct(">Q")
_WAITING = struct.Struct(">BQ")
_OUTCOME = struct.Struct(">BQBid")
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode


class BareStore:
    """One store, and what must be remembered to go on."""

    def __init__(self, folder: Path) -> None:
        self._store = RocksKV(folder, FAMILIES)
        self._hash = blake2b(digest_size=16, key=os.urandom(32))
        self._docid = self._queues = self._entry = self._durable = 0
        self._hosts: deque[bytes] = deque()
        self._after = b""
        self.out: deque[tuple[bytes, bytes, bytes]] = deque()
        self._heads: deque[tuple[bytes, deque[tuple[bytes, bytes]]]] = deque()

    def _identify(self, link: Link) -> bytes:
        url_hash = self._hash.copy()
        url_hash.update(link[0].encode())
        return hash(link[1]).to_bytes(8, "big", signed=True)[:4] + url_hash.digest()

    def schedule(self, page: list[Link]) -> int:
        """Store what is new of a page in one batch; how many that was."""
        batch = self._store.batch()
        put = batch.put
        new = self._plan(put, page)
        put(META, COUNTERS, _encode((self._docid, self._queues)))
        self._store.write(batch)
        return new

    def _plan(self, put: object, page: list[Link]) -> int:
        asked = {self._identify(link): link for link in page}
        known = self._store.multi_get(SEEN, list(asked))
        new = [(identity, link) for (identity, link), value in zip(asked.items(), known, strict=True) if value is None]
        hosts = list({host.encode() for _, (_, host) in new})
        for host, row in zip(hosts, self._store.multi_get(QUEUES, hosts), strict=True):
            put(QUEUES, host, bytes(ROW_BYTES))  # type: ignore[operator]
            if row is None:
                self._queues += 1
                put(INACTIVE, bytes([busy_first(host.decode())]) + _NUMBER.pack(self._queues), host)  # type: ignore[operator]
        for identity, (url, host) in new:
            self._docid += 1
            value = _encode((identity, url, "https://www.host-1.example/section-1/page-about-something-1.html", "LLL"))
            put(QUEUE, host.encode() + b"\x00" + _SUFFIX.pack(128, 0, 3, self._docid), value)  # type: ignore[operator]
            put(SEEN, identity, _WAITING.pack(0, self._docid))  # type: ignore[operator]
        return len(new)

    def take(self, count: int) -> None:
        """Have so many URLs out, each of a queue of its own."""
        while len(self.out) < count:
            if len(self._heads) + len(self.out) < count or not self._heads:
                self._open_queue()
            host, heads = self._heads.popleft()
            key, value = heads.popleft()
            self.out.append((host, key, value))
            if heads:
                self._heads.append((host, heads))

    def _open_queue(self) -> None:
        if not self._hosts:
            page = self._store.scan(INACTIVE, self._after, b"\xff" * 9, 64)
            self._after = page[-1][0] + b"\x00"
            self._hosts.extend(host for _, host in page)
        host = self._hosts.popleft()
        self._store.get(QUEUES, host)
        self._heads.append((host, deque(self._store.scan(QUEUE, host + b"\x00", host + b"\x01", HEADS))))

    def finish_one(self, page: list[Link] | None, spans: tuple[tuple[str, int, int, str], ...]) -> None:
        """Settle the URL that is out longest, and take another."""
        host, key, value = self.out.popleft()
        identity, *_ = _decode(value)
        batch = self._store.batch()
        put = batch.put
        batch.delete(QUEUE, key)
        put(SEEN, identity, _OUTCOME.pack(2, 1, 1, 200, 1_790_000_000.0))
        if page is not None:
            self._plan(put, page)
        put(QUEUES, host, bytes(ROW_BYTES))
        self._entry += 1
        put(JOURNAL, _NUMBER.pack(self._entry), _encode((1, spans, 8_000, key, value)))
        for file, _, end, _ in spans:
            put(FILES, file.encode(), _encode((end, False)))
        put(META, COUNTERS, _encode((self._docid, self._queues)))
        self._store.write(batch)
        self.take(len(self.out) + 1)

    def commit(self) -> None:
        """Sync, and empty the journal."""
        self._store.sync()
        batch = self._store.batch()
        batch.delete_range(JOURNAL, _NUMBER.pack(self._durable), _NUMBER.pack(self._entry + 1))
        self._store.write(batch)
        self._durable = self._entry
