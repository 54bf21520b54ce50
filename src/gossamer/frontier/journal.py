"""Journal: what was settled since the last commit, and the tails of the files that go with it.

A step that appended to files stores, in its own batch, an entry that tells each file's new end and can undo the step.
The system may bring the store's log to the disk before the WARC: so after an unclean stop each entry's records are
looked at, and the first that is not whole is undone, with all that came later (`recovery`). A commit syncs the files
and the log, and then drops the entries it covers and stores the tails that they told; crawling goes on meanwhile.

A file is registered with tail 0 before it is made; a file the store does not name is nobody's business. So the tail of
a file is what the last entry says of it, or else its row (`stored_files`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor

from gossamer.errors import StateError, StorageError
from gossamer.frontier.keys import DURABLE, FILES, JOURNAL, META, number_key, parse_number
from gossamer.frontier.ledger import Draft
from gossamer.frontier.records import FileRow, JournalEntry, decode_entry, decode_file, encode_entry, encode_file
from gossamer.storage.kv import KV, scan_all
from gossamer.util.tasks import blocking_in

log = logging.getLogger(__name__)

SUSPECT_NOTE = "suspect"
"""Name of the note that says up to which entry a failed sync makes everything suspect; 0 = none. It is always there,
so that the disk may be full when it is needed."""


def stored_durable(store: KV) -> int:
    """Every entry up to this number is covered by a commit."""
    value = store.get(META, DURABLE)
    return 0 if value is None else parse_number(value)


def stored_suspect(store: KV) -> int:
    """Every entry behind the durable ones up to this number is to be undone."""
    value = store.note(SUSPECT_NOTE)
    return 0 if value is None else parse_number(value)


def trust(store: KV) -> None:
    """Nothing is suspect (any more)."""
    store.put_note(SUSPECT_NOTE, number_key(0))


def stored_entries(store: KV) -> Iterator[tuple[int, JournalEntry]]:
    """Every entry behind the durable ones, oldest first, with its number."""
    for key, value in scan_all(store, JOURNAL, number_key(stored_durable(store) + 1)):
        yield parse_number(key), decode_entry(value)


def stored_files(store: KV) -> dict[str, FileRow]:
    """Every file the store names, and its tail as the last step left it."""
    files = {key.decode(): decode_file(value) for key, value in scan_all(store, FILES)}
    for _, entry in stored_entries(store):
        for span in entry.spans:
            row = files.get(span.file)
            if row is not None and not row.is_closed and row.tail < span.end:
                files[span.file] = FileRow(span.end)
    return files


class Journal:
    """The open end of the journal. Made after recovery, so there is nothing behind `durable` yet."""

    def __init__(self, store: KV) -> None:
        self._store = store
        self.durable = stored_durable(store)
        self.last = self.durable
        self.files = stored_files(store)
        self._dirty: set[str] = set()
        self._committing = asyncio.Lock()
        self._bytes = 0

    @property
    def uncommitted(self) -> int:
        """Entries not yet durable."""
        return self.last - self.durable

    @property
    def uncommitted_bytes(self) -> int:
        """Bytes appended to files since the last commit began."""
        return self._bytes

    def add(self, draft: Draft, entry: JournalEntry) -> dict[str, FileRow]:
        """Put an entry into a draft; returns the tails that it tells, for `added`. Raises StateError for a span of a
        file that was not registered, or that does not lie behind the file's tail.
        """
        draft.batch.put(JOURNAL, number_key(self.last + 1), encode_entry(entry))
        tails: dict[str, FileRow] = {}
        files = self.files
        for span in entry.spans:
            file, start, end = span.file, span.start, span.end
            row = tails.get(file) or files.get(file)
            if row is None or row.is_closed:
                raise StateError(f"{file} is not registered as open")
            if not row.tail <= start <= end:
                raise StateError(f"bytes {start}-{end} of {file} do not lie behind its tail {row.tail}")
            tails[file] = FileRow(end)
        return tails

    def added(self, tails: Mapping[str, FileRow]) -> None:
        """The draft was written."""
        self.last += 1
        for file, row in tails.items():
            self._bytes += row.tail - self.files[file].tail
        self.files.update(tails)
        self._dirty.update(tails)

    # ---- commit

    async def commit(self, sync_files: Callable[[list[str]], None], executor: Executor | None) -> None:
        """Make every entry so far durable, in a thread. Raises DiskFull or StorageError if a sync failed."""
        async with self._committing:
            number, files = self.last, sorted(self._dirty)
            self._dirty.clear()
            self._bytes = 0

            def sync() -> None:
                sync_files(files)
                self._store.sync()

            try:
                await blocking_in(executor, sync)
            except BaseException as error:
                self._dirty.update(files)
                if isinstance(error, StorageError):
                    self._mark_suspect()
                raise
            self._forget(number, files)

    def _forget(self, number: int, files: list[str]) -> None:
        """Everything up to `number`, in these files, is durable, so nobody needs to know how to undo it."""
        batch = self._store.batch()
        for file in files:
            batch.put(FILES, file.encode(), encode_file(self.files[file]))
        batch.put(META, DURABLE, number_key(number))
        batch.delete_range(JOURNAL, number_key(self.durable + 1), number_key(number + 1))
        self._store.write(batch)
        self.durable = number

    def _mark_suspect(self) -> None:
        """A sync failed: whatever is not durable may look whole and yet not be on the disk (the kernel drops its
        note of a failed write), so it will be undone at the next start. Kept beside the store, which may refuse.
        """
        try:
            self._store.put_note(SUSPECT_NOTE, number_key(self.last))
        except StorageError:
            log.exception("could not note that what was settled since the last commit may not be on the disk")

    # ---- files

    def register(self, file: str) -> None:
        """Name a file that is about to be made, with tail 0. Raises StateError if it is known."""
        if file in self.files:
            raise StateError(f"{file} is registered already")
        self._store_file(file, FileRow(0))

    def close_file(self, file: str) -> None:
        """Note that a file was synced and got its final name: nothing more is appended."""
        row = self.files.get(file)
        if row is None:
            raise StateError(f"{file} was never registered")
        self._store_file(file, FileRow(row.tail, True))

    def _store_file(self, file: str, row: FileRow) -> None:
        batch = self._store.batch()
        batch.put(FILES, file.encode(), encode_file(row))
        self._store.write(batch)
        self.files[file] = row

    def known_files(self) -> list[str]:
        """Every file the store names, closed ones included."""
        return sorted(self.files)

    def open_files(self) -> dict[str, int]:
        """Each open file and its tail."""
        return {file: row.tail for file, row in self.files.items() if not row.is_closed}
