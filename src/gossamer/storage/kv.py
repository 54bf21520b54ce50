"""KV: an ordered store of bytes in named families, as the frontier sees it.

A family is a name space with its own order; a batch writes to several of them at once, wholly or not at all. A
batch that was written survives the death of the process (it went to the operating system in one piece); after `sync`
it survives the loss of power. Reads see every batch written so far. Scans return lists, never open iterators, so
nothing is left that would keep the store from closing.

What fails raises `StorageError`, `DiskFull` or `StoreCorrupt`. After a failed write or sync a store may refuse every
further write until it is opened again; reading goes on. `put_note` and `note` keep small facts *beside* the store,
which can be written even then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import Protocol


class Contents(Enum):
    """What a family holds, as far as it matters for how it is kept; a store may be given names alone, or a mapping."""

    RECORDS = "records"
    """Text for the greater part: worth compressing."""
    SERIES = "series"
    """The same, but read in order, and hardly ever by key: needs no filters."""
    HASHES = "hashes"
    """Hashes and numbers, which do not compress."""


class Batch(Protocol):
    """Changes to be made together, in the order given."""

    def put(self, family: str, key: bytes, value: bytes) -> None: ...

    def put_all(self, family: str, entries: Sequence[tuple[bytes, bytes]]) -> None:
        """Put each (key, value), in order; cheaper than as many `put`s. The batch keeps `entries` as they are."""

    def delete(self, family: str, key: bytes) -> None: ...

    def delete_range(self, family: str, start: bytes, stop: bytes) -> None:
        """Every key with start <= key < stop."""


class KV(Protocol):
    """One open store, of one owner; only `sync` and `flush` may be called from another thread, even while batches are
    written.
    """

    def get(self, family: str, key: bytes) -> bytes | None: ...

    def multi_get(self, family: str, keys: Sequence[bytes]) -> list[bytes | None]:
        """One answer per key, in order; cheaper than as many `get`s."""

    def scan(self, family: str, start: bytes, stop: bytes, limit: int) -> list[tuple[bytes, bytes]]:
        """The first `limit` entries with start <= key < stop, in order."""

    def batch(self) -> Batch: ...

    def write(self, batch: Batch) -> None:
        """Carry out a batch of this store; raises with nothing changed."""

    def sync(self) -> None:
        """Make every batch written before this call durable."""

    def flush(self) -> None:
        """Put what was written where the next opening finds it soonest: before `close`, and in a thread, as it may take
        long. Makes it durable, too.
        """

    def checkpoint(self, folder: Path) -> None:
        """Make a consistent copy in `folder`, which must not exist; cheap, by hard links where possible."""

    def put_note(self, name: str, value: bytes | None) -> None:
        """Keep a durable fact beside the store; None removes it. Works when the store itself refuses writes.

        One that is as long as what it replaces needs no space on the disk.
        """

    def note(self, name: str) -> bytes | None: ...

    def close(self) -> None:
        """Let go of everything; idempotent."""


SCAN_PAGE = 512
"""Entries per step of `scan_all`."""


def scan_all(store: KV, family: str, start: bytes = b"", stop: bytes | None = None) -> Iterator[tuple[bytes, bytes]]:
    """Every entry with start <= key < stop, page by page; entries written meanwhile may or may not be seen.

    Without `stop`, to the end of the family (keys below 64 bytes of FF).
    """
    end = stop if stop is not None else b"\xff" * 64
    while True:
        page = store.scan(family, start, end, SCAN_PAGE)
        yield from page
        if len(page) < SCAN_PAGE:
            return
        start = page[-1][0] + b"\x00"
