from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from gossamer.errors import DiskFull, StorageError, StoreCorrupt
from gossamer.storage import RocksKV, rocks

WRITE = """
import os, signal, sys
from pathlib import Path
from gossamer.storage import RocksKV
store = RocksKV(Path(sys.argv[1]), ("a", "b"))
for n in range(200):
    batch = store.batch()
    batch.put("a", n.to_bytes(2, "big"), b"x" * 100)
    batch.put("b", n.to_bytes(2, "big"), b"y")
    store.write(batch)
os.kill(os.getpid(), signal.SIGKILL)
"""


def put(store: RocksKV, family: str, key: bytes, value: bytes = b"v") -> None:
    batch = store.batch()
    batch.put(family, key, value)
    store.write(batch)


def test_what_was_written_is_there_after_reopening(tmp_path: Path) -> None:
    store = RocksKV(tmp_path / "kv", ("a",))
    put(store, "a", b"1")
    store.close()
    again = RocksKV(tmp_path / "kv", ("a",))
    assert again.get("a", b"1") == b"v"
    again.close()


def test_a_family_that_is_new_or_no_longer_named_is_no_obstacle(tmp_path: Path) -> None:
    store = RocksKV(tmp_path / "kv", ("a", "old"))
    put(store, "old", b"1")
    store.close()
    store = RocksKV(tmp_path / "kv", ("a", "new"))
    put(store, "new", b"1")
    assert store.get("old", b"1") == b"v"
    store.close()


def test_killed_it_has_lost_no_batch(tmp_path: Path) -> None:
    """P1."""
    killed = subprocess.run([sys.executable, "-c", WRITE, str(tmp_path / "kv")], check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    store = RocksKV(tmp_path / "kv", ("a", "b"))
    assert len(store.scan("a", b"", b"\xff" * 9, 1000)) == 200
    assert len(store.scan("b", b"", b"\xff" * 9, 1000)) == 200
    store.close()


def test_a_torn_log_leaves_a_prefix_that_is_the_same_in_all_families(tmp_path: Path) -> None:
    """P2."""
    subprocess.run([sys.executable, "-c", WRITE, str(tmp_path / "kv")], check=False, timeout=60)
    (log,) = (tmp_path / "kv").glob("*.log")
    os.truncate(log, log.stat().st_size // 2)
    store = RocksKV(tmp_path / "kv", ("a", "b"))
    keys = [key for key, _ in store.scan("a", b"", b"\xff" * 9, 1000)]
    assert keys == [n.to_bytes(2, "big") for n in range(len(keys))]
    assert 0 < len(keys) < 200
    assert [key for key, _ in store.scan("b", b"", b"\xff" * 9, 1000)] == keys
    store.close()


def test_a_second_opening_is_refused_until_the_first_is_closed(tmp_path: Path) -> None:
    """P14."""
    store = RocksKV(tmp_path / "kv", ("a",))
    put(store, "a", b"1")
    store.scan("a", b"", b"\xff", 10)
    with pytest.raises(StorageError, match="could not open"):
        RocksKV(tmp_path / "kv", ("a",))
    store.close()
    RocksKV(tmp_path / "kv", ("a",)).close()


def test_a_reader_beside_the_writer_sees_what_was_written_before(tmp_path: Path) -> None:
    store = RocksKV(tmp_path / "kv", ("a",))
    put(store, "a", b"1")
    reader = RocksKV(tmp_path / "kv", ("a",), read_only=True)
    assert reader.get("a", b"1") == b"v"
    with pytest.raises(StorageError):
        put(reader, "a", b"2")
    reader.close()
    put(store, "a", b"2")
    store.close()


def test_reading_a_store_that_is_not_there_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        RocksKV(tmp_path / "kv", ("a",), read_only=True)
    assert not (tmp_path / "kv").exists()


def test_a_damaged_store_says_so_and_is_left_alone(tmp_path: Path) -> None:
    store = RocksKV(tmp_path / "kv", ("a",))
    put(store, "a", b"1")
    store.close()
    (manifest,) = (tmp_path / "kv").glob("MANIFEST-*")
    content = manifest.read_bytes()
    manifest.write_bytes(content[:40] + b"rubbish" + content[47:])
    before = sorted(path.name for path in (tmp_path / "kv").iterdir() if path.name.startswith("MANIFEST"))
    with pytest.raises(StoreCorrupt):
        RocksKV(tmp_path / "kv", ("a",))
    assert sorted(path.name for path in (tmp_path / "kv").iterdir() if path.name.startswith("MANIFEST")) == before


def test_a_checkpoint_is_a_store_of_its_own(tmp_path: Path) -> None:
    store = RocksKV(tmp_path / "kv", ("a",))
    put(store, "a", b"1")
    store.checkpoint(tmp_path / "copy")
    put(store, "a", b"2")
    with pytest.raises(StorageError, match="checkpoint"):
        store.checkpoint(tmp_path / "copy")
    store.close()
    copy = RocksKV(tmp_path / "copy", ("a",))
    assert [key for key, _ in copy.scan("a", b"", b"\xff", 9)] == [b"1"]
    copy.close()


def test_a_folder_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError):
        RocksKV(tmp_path / "file" / "kv", ("a",))


def test_notes_are_kept_beside_the_store(tmp_path: Path) -> None:
    """P4: they can be written when the store refuses."""
    store = RocksKV(tmp_path / "kv", ("a",))
    store.close()
    store.put_note("suspect", b"7")
    again = RocksKV(tmp_path / "kv", ("a",))
    assert again.note("suspect") == b"7"
    again.close()


def test_after_closing_the_folder_can_be_removed_and_no_descriptor_is_left(tmp_path: Path) -> None:
    """S4."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        store = RocksKV(tmp_path / "kv", ("a", "b"))
        for n in range(50):
            put(store, "a", bytes([n]))
        store.scan("a", b"", b"\xff", 9)
        store.sync()
        store.close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_thousands_of_seeks_past_tombstones_stay_within_their_bounds(tmp_path: Path) -> None:
    store = RocksKV(tmp_path / "kv", ("a",))
    for n in range(2000):
        put(store, "a", b"q\x00" + n.to_bytes(4, "big"))
    put(store, "a", b"r\x00" + bytes(4))
    batch = store.batch()
    batch.delete_range("a", b"q\x00", b"q\x01")
    store.write(batch)
    assert store.scan("a", b"q\x00", b"q\x01", 5) == []
    store.close()


class Stalling:
    """A RocksDB whose first writes find the memtables full, as seen from `RocksKV`."""

    def __init__(self, inner: Any, stalls: int, failed_flushes: Iterable[int]) -> None:
        self._inner = inner
        self._stalls = stalls
        self._failed_flushes = iter(failed_flushes)

    def write(self, batch: Any, options: Any) -> None:
        # Spent even where it is refused, as RocksDB's are.
        spent, self._spent = batch, getattr(self, "_spent", None)
        assert spent is not self._spent
        self._spent = spent
        assert options.no_slowdown
        self._stalls -= 1
        if self._stalls >= 0:
            raise Exception("Result incomplete: Write stall")
        self._inner.write(batch, options)

    def property_int_value(self, name: str) -> int:
        assert name == "rocksdb.background-errors"
        return next(self._failed_flushes)

    def cancel_all_background(self, wait: bool) -> None:
        self._inner.cancel_all_background(wait)


def stall(store: RocksKV, stalls: int, failed_flushes: Iterable[int]) -> None:
    store._db = Stalling(store._db, stalls, failed_flushes)


def test_a_write_that_finds_the_memtables_full_goes_through_when_they_are_flushed(tmp_path: Path) -> None:
    store = RocksKV(tmp_path / "kv", ("a",))
    stall(store, 5, [0] * 9)
    put(store, "a", b"1")
    assert store.get("a", b"1") == b"v"
    store.close()


def test_a_write_does_not_wait_for_flushes_that_fail(tmp_path: Path) -> None:
    store = RocksKV(tmp_path / "kv", ("a",))
    stall(store, 1000, [0, 0, 0, 1])
    with pytest.raises(StorageError, match="cannot flush what it holds; its file LOG says why"):
        put(store, "a", b"1")
    assert store.get("a", b"1") is None
    store.close()


def test_flushes_that_fail_on_a_disk_without_room_are_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RocksKV(tmp_path / "kv", ("a",))
    stall(store, 1000, [0, 1])
    monkeypatch.setattr(rocks, "ROOM_TO_FLUSH", 1 << 60)
    with pytest.raises(DiskFull, match="is full"):
        put(store, "a", b"1")
    store.close()


def test_a_flush_that_failed_before_the_write_is_waited_for_only_so_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rocks, "STALL_PATIENCE", 0.0)
    store = RocksKV(tmp_path / "kv", ("a",))
    stall(store, 1000, [3] * 9)
    with pytest.raises(StorageError):
        put(store, "a", b"1")
    store.close()


def test_failures_that_writes_have_outlived_are_no_reason_to_give_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RocksKV(tmp_path / "kv", ("a",))
    stall(store, 3, [3] * 9)
    put(store, "a", b"1")
    monkeypatch.setattr(rocks, "STALL_PATIENCE", 0.0)
    stall(store, 3, [3] * 9)
    put(store, "a", b"2")
    assert store.get("a", b"2") == b"v"
    store.close()


def test_a_store_that_was_flushed_is_opened_from_its_tables_and_one_that_was_not_from_its_log(tmp_path: Path) -> None:
    for is_flushed in (True, False):
        folder = tmp_path / f"store-{is_flushed}"
        with contextlib.closing(RocksKV(folder, ["a", "b"])) as store:
            for family in ("a", "b"):
                batch = store.batch()
                batch.put(family, b"key", b"value" * 10_000)
                store.write(batch)
            del batch
            if is_flushed:
                store.flush()
        assert len(list(folder.glob("*.sst"))) == (2 if is_flushed else 0)
        assert (sum(log.stat().st_size for log in folder.glob("*.log")) > 10_000) is not is_flushed
        with contextlib.closing(RocksKV(folder, ["a", "b"])) as again:
            assert [again.get(family, b"key") for family in ("a", "b")] == [b"value" * 10_000] * 2
