"""RocksKV: the KV on RocksDB, and the only file that knows it.

Each batch is one write(2) into the write-ahead log, so `kill -9` loses none; a torn log tail is cut to a prefix that
is consistent over all families when the store is opened again. `atomic_flush` keeps that true when memtables are
flushed. Index and filter blocks are partitioned and live in the block cache beside the data, so memory does not grow
with the store; the memtables of all families together are bounded by the log cap.

A full disk is an error, never a wait without end: a write that finds no room in the memtables waits only while flushes
succeed.

RocksDB holds its lock while any handle or iterator lives: `close` drops all handles, and no iterator outlives a call.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import rocksdict

from gossamer.errors import DiskFull, StorageError, StoreCorrupt
from gossamer.storage.files import overwrite, remove_durably, storage_errors, write_atomically
from gossamer.storage.kv import Batch, Contents

R = TypeVar("R")

WRITE_BUFFER_BYTES = 16 * 1024 * 1024
WRITE_BUFFERS = 3
DEFAULT_LOG_CAP = 64 * 1024 * 1024
DEFAULT_BLOCK_CACHE = 64 * 1024 * 1024
BLOOM_BITS = 10
MEMTABLE_BLOOM_PART = 0.02
"""Of a write buffer, for a bloom filter over its keys: 10 bits for each where a key and its value take 60 bytes. Most
keys asked for are in no memtable, and are spared three walks through its skip list: a look-up costs a quarter less."""
METADATA_BLOCK_BYTES = 4096
HASHES_METADATA_BLOCK_BYTES = 64 * 1024
"""Where every key asked for is a random one: fewer and larger parts of index and filter, each of them found in the
block cache once for all keys of a look-up that it covers. A look-up costs an eighth less than with parts of 4 KiB; with
one filter for a whole file it would cost a quarter less, but that may be megabytes to read for one key."""
MAX_OPEN_FILES = 256
BACKGROUND_JOBS = 2
INFO_LOG_BYTES = 4 * 1024 * 1024
INFO_LOGS = 4
STALL_STEP = 0.001
"""Seconds between two tries of a write that RocksDB holds up while it catches up with flushing."""
STALL_PATIENCE = 2.0
"""Seconds that a stalled write waits for a flush that has failed before: RocksDB tries again every second."""
ROOM_TO_FLUSH = 2 * WRITE_BUFFER_BYTES
"""Bytes: a disk with less free is why a flush failed."""


class RocksBatch:
    """Changes as they were told: a WriteBatch can be written only once, even where it was refused."""

    __slots__ = ("_changes", "_handles")

    def __init__(self, handles: dict[str, Any]) -> None:
        self._handles = handles
        self._changes: list[tuple[Any, bytes | None, Any]] = []
        """(key, value, handle of the family). Without a value it is the key to delete, the (start, stop) of a range to
        delete, or a list of entries to put."""

    def put(self, family: str, key: bytes, value: bytes) -> None:
        self._changes.append((key, value, self._handles[family]))

    def put_all(self, family: str, entries: Sequence[tuple[bytes, bytes]]) -> None:
        self._changes.append((entries if type(entries) is list else list(entries), None, self._handles[family]))

    def delete(self, family: str, key: bytes) -> None:
        self._changes.append((key, None, self._handles[family]))

    def delete_range(self, family: str, start: bytes, stop: bytes) -> None:
        self._changes.append(((start, stop), None, self._handles[family]))

    def to_write(self) -> Any:
        """A new WriteBatch of all changes."""
        batch: Any = rocksdict.WriteBatch(raw_mode=True)
        put = batch.put
        for key, value, handle in self._changes:
            if value is not None:
                put(key, value, handle)
            elif type(key) is bytes:
                batch.delete(key, handle)
            elif type(key) is list:
                for each, its_value in key:
                    put(each, its_value, handle)
            else:
                batch.delete_range(*key, handle)
        return batch


class RocksKV:
    """One open RocksDB."""

    def __init__(
        self,
        folder: Path,
        families: Iterable[str] | Mapping[str, Contents],
        *,
        log_cap: int = DEFAULT_LOG_CAP,
        block_cache: int = DEFAULT_BLOCK_CACHE,
        read_only: bool = False,
    ) -> None:
        """Open or make the store in `folder`; `log_cap` and `block_cache` in bytes.

        With `read_only` it may be open for writing elsewhere at the same time; nothing is created.
        """
        self.folder = folder
        self._is_full = False
        """A write met a full disk; RocksDB never recovers from that with the same handle."""
        self._outlived_failures = 0
        """Failed flushes after which writes went on."""
        if read_only:
            if not (folder / "CURRENT").exists():
                raise StorageError(f"there is no store in {folder}")
        else:
            with storage_errors("could not make the folder", folder):
                folder.mkdir(parents=True, exist_ok=True)
        contents = families if isinstance(families, Mapping) else dict.fromkeys(families, Contents.RECORDS)
        shared = _Shared(rocksdict.Cache(block_cache), rocksdict.WriteBufferManager(log_cap, False))
        stored = self._stored_families() if (folder / "CURRENT").exists() else set()
        # A store of an older Gossamer may lack a family; reading creates none.
        names = stored if read_only else set(contents) | stored
        options = {name: _options(log_cap, shared, contents.get(name, Contents.RECORDS)) for name in sorted(names)}
        access = rocksdict.AccessType.read_only(False) if read_only else rocksdict.AccessType.read_write()
        self._db: Any = _guarded(
            f"could not open the store in {folder}",
            rocksdict.Rdict,
            str(folder),
            _options(log_cap, shared, Contents.RECORDS),
            options,
            access,
        )
        self._families: dict[str, Any] = {name: self._db.get_column_family(name) for name in options}
        self._write_options = rocksdict.WriteOptions()
        # The keys of a batch that stand side by side are put in side by side.
        self._write_options.memtable_insert_hint_per_batch = True
        # Where it would wait it says so. Its own wait has no end while flushes fail: it hopes for the disk to be
        # cleared, and nobody would hear that it is full.
        self._write_options.no_slowdown = True
        self._handles: dict[str, Any] = {name: self._db.get_column_family_handle(name) for name in options}

    def _stored_families(self) -> set[str]:
        names = _guarded("could not list the families", rocksdict.Rdict.list_cf, str(self.folder))
        return set(names) - {"default"}

    def get(self, family: str, key: bytes) -> bytes | None:
        try:
            found: bytes | None = self._families[family].get(key)
        except Exception as error:
            raise self._failure("could not read", error) from error
        return found

    def multi_get(self, family: str, keys: Sequence[bytes]) -> list[bytes | None]:
        if not keys:
            return []
        try:
            found: list[bytes | None] = self._families[family].get(list(keys))
        except Exception as error:
            raise self._failure("could not read", error) from error
        return found

    def scan(self, family: str, start: bytes, stop: bytes, limit: int) -> list[tuple[bytes, bytes]]:
        found: list[tuple[bytes, bytes]] = []
        try:
            iterator = self._iterator(family, start, stop)
            iterator.seek(start)
            while len(found) < limit and iterator.valid():
                found.append((iterator.key(), iterator.value()))
                iterator.next()
            if len(found) < limit:
                iterator.status()
        except Exception as error:
            raise self._failure("could not read", error) from error
        return found

    def _iterator(self, family: str, start: bytes, stop: bytes) -> Any:
        # The upper bound is what keeps an iterator from wading through the tombstones of the next queue.
        options = rocksdict.ReadOptions()
        options.set_iterate_lower_bound(start)
        options.set_iterate_upper_bound(stop)
        return self._families[family].iter(options)

    def batch(self) -> RocksBatch:
        return RocksBatch(self._handles)

    def write(self, batch: Batch) -> None:
        own: Any = batch
        if not self._is_written(own):
            self._write_when_flushed(own)

    def _is_written(self, batch: RocksBatch) -> bool:
        """Write it; False if there is no room in the memtables, and nothing is changed."""
        try:
            self._db.write(batch.to_write(), self._write_options)
        except Exception as error:
            if _is_stall(error):
                return False
            raise self._failure("could not write", error) from error
        return True

    def _write_when_flushed(self, batch: RocksBatch) -> None:
        """Write as soon as the memtables have room again, which they never have while flushes fail."""
        failed = self._failed_flushes()
        patience = time.monotonic() + STALL_PATIENCE
        time.sleep(STALL_STEP)
        while not self._is_written(batch):
            now = self._failed_flushes()
            if now > failed or (now > self._outlived_failures and time.monotonic() > patience):
                raise self._flush_failure()
            time.sleep(STALL_STEP)
        self._outlived_failures = failed

    def _failed_flushes(self) -> int:
        """Of this store since it was opened, those that were made up for included."""
        found: int | None = self._db.property_int_value("rocksdb.background-errors")
        return found or 0

    def _flush_failure(self) -> StorageError:
        with storage_errors("could not ask for the free space of", self.folder):
            free = shutil.disk_usage(self.folder).free
        if free < ROOM_TO_FLUSH:
            self._is_full = True
            return DiskFull(f"the disk of the store in {self.folder} is full ({free} bytes are free)")
        return StorageError(f"the store in {self.folder} cannot flush what it holds; its file LOG says why")

    def sync(self) -> None:
        try:
            self._db.flush_wal(True)
        except Exception as error:
            raise self._failure("could not sync", error) from error

    def flush(self) -> None:
        """Flush every family: a log of some megabytes takes a third of a second to be read when the store is opened.

        Lets go of the interpreter meanwhile, which opening and dropping a store do not.
        """
        self.sync()
        try:
            for family in list(self._families.values()):
                family.flush(True)
        except Exception as error:
            raise self._failure("could not flush", error) from error

    def checkpoint(self, folder: Path) -> None:
        _guarded("could not make a checkpoint of the store", self._checkpoint, folder)

    def _checkpoint(self, folder: Path) -> None:
        rocksdict.Checkpoint(self._db).create_checkpoint(str(folder))

    def put_note(self, name: str, value: bytes | None) -> None:
        path = self._note_path(name)
        if value is None:
            remove_durably(path)
        elif path.exists() and path.stat().st_size == len(value):
            overwrite(path, value)
        else:
            write_atomically(path, value)

    def note(self, name: str) -> bytes | None:
        path = self._note_path(name)
        with storage_errors("could not read", path):
            return path.read_bytes() if path.exists() else None

    def _note_path(self, name: str) -> Path:
        # Beside the folder, not in it: RocksDB removes files that it does not know.
        return self.folder.with_name(f"{self.folder.name}.{name}")

    def close(self) -> None:
        # Dropped, not closed: RocksDB's own close flushes first, and on a full disk raises and stays open. Told to do
        # nothing more, or dropping flushes, too, and holds the interpreter for as long as that takes. What is not
        # flushed stands in the log. Emptied, not replaced: a batch that somebody still holds (a traceback does) must
        # not keep the store open.
        if self._db is not None:
            self._db.cancel_all_background(True)
        self._families.clear()
        self._handles.clear()
        self._db = None

    def _failure(self, doing: str, error: BaseException) -> StorageError:
        failure = _converted(f"{doing} the store in {self.folder}", error)
        if self._is_full and not isinstance(failure, StoreCorrupt):
            # What it says after the first refusal is no longer why: "Writer has previous error."
            return DiskFull(f"the disk of the store in {self.folder} was full; the store must be opened again: {error}")
        self._is_full = isinstance(failure, DiskFull)
        return failure


class _Shared:
    """What all families share: the block cache and the bound on their memtables."""

    def __init__(self, cache: rocksdict.Cache, write_buffers: rocksdict.WriteBufferManager) -> None:
        self.cache = cache
        self.write_buffers = write_buffers


def _options(log_cap: int, shared: _Shared, contents: Contents) -> rocksdict.Options:
    options = rocksdict.Options(raw_mode=True)
    options.create_if_missing(True)
    options.create_missing_column_families(True)
    options.set_block_based_table_factory(_table_options(shared.cache, contents))
    # To unpack a block that saves a tenth of its bytes costs more than to read it.
    is_packed = contents is not Contents.HASHES
    options.set_compression_type(rocksdict.DBCompressionType.lz4() if is_packed else rocksdict.DBCompressionType.none())
    # Whole runs of like size are merged, so what is written is written again three or four times; by levels, with keys
    # as random as these, more and more often as a store grows. At 5 million URLs compaction took two fifths of all time
    # by levels. Now and then all of a family is written anew, which needs as much free disk as it has.
    options.set_compaction_style(rocksdict.DBCompactionStyle.universal())
    options.set_write_buffer_size(min(WRITE_BUFFER_BYTES, max(log_cap // 4, 64 * 1024)))
    options.set_max_write_buffer_number(WRITE_BUFFERS)
    # RocksDB's own 4 runs until some are merged are kept, of series, too. With 8 a URL costs 1 µs less to schedule, since
    # half as much is rewritten, and 25 more to take from a queue whose turn comes, since a scan looks into each.
    if contents is not Contents.SERIES:  # a filter answers for single keys, and a scan has none
        options.set_memtable_whole_key_filtering(True)
        options.set_memtable_prefix_bloom_ratio(MEMTABLE_BLOOM_PART)
    options.set_write_buffer_manager(shared.write_buffers)
    options.set_atomic_flush(True)
    options.set_max_total_wal_size(log_cap)
    options.set_max_open_files(MAX_OPEN_FILES)
    options.set_max_background_jobs(BACKGROUND_JOBS)
    options.set_max_log_file_size(INFO_LOG_BYTES)
    options.set_keep_log_file_num(INFO_LOGS)
    return options


def _table_options(cache: rocksdict.Cache, contents: Contents) -> rocksdict.BlockBasedOptions:
    table = rocksdict.BlockBasedOptions()
    if contents is not Contents.SERIES:
        table.set_bloom_filter(BLOOM_BITS, False)
        table.set_partition_filters(True)
    table.set_block_cache(cache)
    table.set_index_type(rocksdict.BlockBasedIndexType.two_level_index_search())
    is_random = contents is Contents.HASHES
    table.set_metadata_block_size(HASHES_METADATA_BLOCK_BYTES if is_random else METADATA_BLOCK_BYTES)
    table.set_cache_index_and_filter_blocks(True)
    table.set_pin_top_level_index_and_filter(True)
    table.set_pin_l0_filter_and_index_blocks_in_cache(True)
    return table


def _guarded(doing: str, call: Callable[..., R], *arguments: Any) -> R:
    try:
        return call(*arguments)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic in the native code is a BaseException
        raise _converted(doing, error) from error


def _is_stall(error: BaseException) -> bool:
    return "Result incomplete" in str(error)


def _converted(doing: str, error: BaseException) -> StorageError:
    """RocksDB's status comes as text: `IO error: No space left on device: …`, `Corruption: …`."""
    text = str(error)
    message = f"{doing}: {text}"
    if "No space left on device" in text or "Disk quota exceeded" in text:
        return DiskFull(message)
    if text.startswith("Corruption") or "Corruption:" in text:
        return StoreCorrupt(message)
    return StorageError(message)
