from __future__ import annotations

from pathlib import Path

import pytest

from gossamer.errors import DiskFull, StorageError
from gossamer.storage.memory import MemoryKV


def put(store: MemoryKV, key: bytes, value: bytes = b"") -> None:
    batch = store.batch()
    batch.put("a", key, value)
    store.write(batch)


def test_a_crash_keeps_everything_that_was_written_and_closes_the_old_handle() -> None:
    store = MemoryKV(("a",))
    put(store, b"1")
    twin = store.crash()
    assert twin.get("a", b"1") == b""
    with pytest.raises(StorageError):
        store.get("a", b"1")


def test_a_loss_of_power_keeps_what_was_synced_and_a_prefix_of_the_rest() -> None:
    store = MemoryKV(("a",))
    put(store, b"1")
    store.sync()
    for key in (b"2", b"3", b"4"):
        put(store, key)
    put(store, b"1", b"changed")
    assert store.unsynced == 4
    twin = store.lose_power(keep=2)
    assert [key for key, _ in twin.scan("a", b"", b"\xff", 9)] == [b"1", b"2", b"3"]
    assert twin.get("a", b"1") == b""
    assert twin.unsynced == 0


def test_a_lost_range_deletion_brings_its_keys_back() -> None:
    store = MemoryKV(("a",))
    for key in (b"1", b"2", b"3"):
        put(store, key, key)
    store.sync()
    batch = store.batch()
    batch.delete_range("a", b"1", b"3")
    batch.put("a", b"2", b"new")
    batch.delete("a", b"3")
    store.write(batch)
    twin = store.lose_power()
    assert twin.scan("a", b"", b"\xff", 9) == [(b"1", b"1"), (b"2", b"2"), (b"3", b"3")]


def test_a_fault_refuses_a_write_before_anything_is_changed() -> None:
    store = MemoryKV(("a",))

    def faults(doing: str) -> None:
        assert doing == "write"
        raise DiskFull

    store.faults = faults
    with pytest.raises(DiskFull):
        put(store, b"1")
    store.faults = None
    assert store.get("a", b"1") is None


def test_a_store_in_memory_has_no_checkpoint() -> None:
    with pytest.raises(StorageError, match="folder"):
        MemoryKV(("a",)).checkpoint(Path("x"))
