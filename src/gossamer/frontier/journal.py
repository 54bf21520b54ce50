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
from collections.abc import Callable, Iterator
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
        files = stored_files(store)
        self._closed = {file: row for file, row in files.items() if row.is_closed}
        self._tails = {file: row.tail for file, row in files.items() if not row.is_closed}
        """Of each open file; another mapping after each change, so it may be kept as what was at a time."""
        self._begun = self._tails
        """The tails at the beginning of the last commit."""
        self._synced = self._tails
        """The tails at the beginning of the last commit that succeeded."""
        self._committing = asyncio.Lock()

    @property
    def uncommitted(self) -> int:
        """Entries not yet durable."""
        return self.last - self.durable

    @property
    def uncommitted_bytes(self) -> int:
        """Bytes appended to open files since the last commit began."""
        return sum(tail - self._begun.get(file, 0) for file, tail in self._tails.items())

    def add(self, draft: Draft, entry: JournalEntry) -> dict[str, int]:
        """Put an entry into a draft; returns all tails as they will be, for `added`. Raises StateError for a span of a
        file that was not registered, or that does not lie behind the file's tail.
        """
        draft.batch.put(JOURNAL, number_key(self.last + 1), encode_entry(entry))
        tails = self._tails.copy()
        for span in entry.spans:
            file, start, end = span.file, span.start, span.end
            tail = tails.get(file)
            if tail is None:
                raise StateError(f"{file} is not registered as open")
            if not tail <= start <= end:
                raise StateError(f"bytes {start}-{end} of {file} do not lie behind its tail {tail}")
            tails[file] = end
        return tails

    def added(self, tails: dict[str, int]) -> None:
        """The draft was written."""
        self.last += 1
        self._tails = tails

    # ---- commit

    async def commit(self, sync_files: Callable[[list[str]], None], executor: Executor | None) -> None:
        """Make every entry so far durable, in a thread. Raises DiskFull or StorageError if a sync failed."""
        async with self._committing:
            number, tails = self.last, self._tails
            self._begun = tails
            # One that was closed since is durable, and its row tells its end.
            files = sorted(file for file, tail in tails.items() if tail != self._synced.get(file, 0))

            def sync() -> None:
                sync_files(files)
                self._store.sync()

            try:
                await blocking_in(executor, sync)
            except StorageError:
                self._mark_suspect()
                raise
            self._forget(number, files)
            self._synced = tails

    def _forget(self, number: int, files: list[str]) -> None:
        """Everything up to `number`, in these files, is durable, so nobody needs to know how to undo it."""
        batch = self._store.batch()
        for file in files:
            if file in self._tails:
                batch.put(FILES, file.encode(), encode_file(FileRow(self._tails[file])))
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
        if file in self._tails or file in self._closed:
            raise StateError(f"{file} is registered already")
        self._store_file(file, FileRow(0))
        self._tails = {**self._tails, file: 0}

    def close_file(self, file: str) -> None:
        """Note that a file was synced and got its final name: nothing more is appended."""
        if file in self._closed:
            return
        if file not in self._tails:
            raise StateError(f"{file} was never registered")
        row = FileRow(self._tails[file], True)
        self._store_file(file, row)
        self._closed[file] = row
        self._tails = {name: tail for name, tail in self._tails.items() if name != file}

    def _store_file(self, file: str, row: FileRow) -> None:
        batch = self._store.batch()
        batch.put(FILES, file.encode(), encode_file(row))
        self._store.write(batch)

    def known_files(self) -> list[str]:
        """Every file the store names, closed ones included."""
        return sorted((*self._tails, *self._closed))

    def open_files(self) -> dict[str, int]:
        """Each open file and its tail."""
        return dict(self._tails)
