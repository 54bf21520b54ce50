"""MemoryKV: the KV in memory, for tests and for crawls without a folder.

It can play the two accidents that a real store must survive: `crash` (the process dies: everything written stays)
and `lose_power` (everything since the last sync is gone, or all but a prefix of it). `faults` is asked before each
write and sync, and may raise.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import cast

from sortedcontainers import SortedDict  # type: ignore[import-untyped]  # it has no annotations

from gossamer.errors import StorageError
from gossamer.storage.kv import Batch

Undo = list[tuple[str, bytes, "bytes | None"]]


class MemoryBatch:
    """A list of changes; a None value deletes, a range is (start, stop)."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps: list[tuple[str, bytes, bytes | None, bytes | None]] = []

    def put(self, family: str, key: bytes, value: bytes) -> None:
        self.steps.append((family, key, value, None))

    def put_all(self, family: str, entries: Sequence[tuple[bytes, bytes]]) -> None:
        self.steps.extend([(family, key, value, None) for key, value in entries])

    def delete(self, family: str, key: bytes) -> None:
        self.steps.append((family, key, None, None))

    def delete_range(self, family: str, start: bytes, stop: bytes) -> None:
        self.steps.append((family, start, None, stop))


class MemoryKV:
    """Sorted dictionaries, and the undo list of every batch since the last sync."""

    def __init__(self, families: Iterable[str]) -> None:
        self._families: dict[str, SortedDict] = {name: SortedDict() for name in families}
        self._notes: dict[str, bytes] = {}
        self._unsynced: list[Undo] = []
        self._is_open = True
        self.faults: Callable[[str], None] | None = None
        """Called with `write` or `sync` before each; an exception raised here is the store's."""

    def get(self, family: str, key: bytes) -> bytes | None:
        return cast("bytes | None", self._family(family).get(key))

    def multi_get(self, family: str, keys: Sequence[bytes]) -> list[bytes | None]:
        entries = self._family(family)
        return [entries.get(key) for key in keys]

    def scan(self, family: str, start: bytes, stop: bytes, limit: int) -> list[tuple[bytes, bytes]]:
        entries = self._family(family)
        found: list[tuple[bytes, bytes]] = []
        for key in entries.irange(start, stop, inclusive=(True, False)):
            if len(found) == limit:
                break
            found.append((key, entries[key]))
        return found

    def batch(self) -> MemoryBatch:
        return MemoryBatch()

    def write(self, batch: Batch) -> None:
        self._meet_fault("write")
        undo: Undo = []
        for family, key, value, stop in cast("MemoryBatch", batch).steps:
            if stop is None:
                self._set(family, key, value, undo)
            else:
                for doomed in list(self._family(family).irange(key, stop, inclusive=(True, False))):
                    self._set(family, doomed, None, undo)
        self._unsynced.append(undo)

    def _set(self, family: str, key: bytes, value: bytes | None, undo: Undo | None) -> None:
        entries = self._family(family)
        if undo is not None:
            undo.append((family, key, entries.get(key)))
        if value is None:
            entries.pop(key, None)
        else:
            entries[key] = value

    def sync(self) -> None:
        written = len(self._unsynced)
        self._meet_fault("sync")
        del self._unsynced[:written]

    def flush(self) -> None:
        self.sync()

    def checkpoint(self, folder: Path) -> None:
        raise StorageError(f"a store in memory cannot be copied to {folder}; give the crawl a folder")

    def put_note(self, name: str, value: bytes | None) -> None:
        if value is None:
            self._notes.pop(name, None)
        else:
            self._notes[name] = value

    def note(self, name: str) -> bytes | None:
        return self._notes.get(name)

    def close(self) -> None:
        self._is_open = False

    @property
    def unsynced(self) -> int:
        """Batches that a loss of power would cost."""
        return len(self._unsynced)

    def crash(self) -> MemoryKV:
        """The store as the next process finds it after this one was killed; this one is closed."""
        twin = MemoryKV(())
        twin._families = copy.deepcopy(self._families)
        twin._notes = dict(self._notes)
        twin._unsynced = copy.deepcopy(self._unsynced)
        self.close()
        return twin

    def lose_power(self, keep: int = 0) -> MemoryKV:
        """As `crash`, but of the batches since the last sync only the first `keep` reached the disk."""
        twin = self.crash()
        for undo in reversed(twin._unsynced[keep:]):
            for family, key, value in reversed(undo):
                twin._set(family, key, value, None)
        twin._unsynced.clear()
        return twin

    def _family(self, name: str) -> SortedDict:
        if not self._is_open:
            raise StorageError("the store is closed")
        return self._families[name]

    def _meet_fault(self, doing: str) -> None:
        if not self._is_open:
            raise StorageError("the store is closed")
        if self.faults is not None:
            self.faults(doing)
