"""Recovery: what happens to a store before anything else is done with it.

Every file that the store names is cut to its tail: what lies behind belongs to a step that was never settled. After a
clean stop that is all. After any other, the journal is walked from the last commit on. Each entry's records must be
whole on the disk; from the first that is not, every later entry, in every file, is undone, last first: the URI goes
back where it stood, uncharged, its outcome and the counters are taken back, a robots.txt is forgotten; discoveries
stay. An entry that a failed sync made suspect is undone whatever it looks like.

Each undo is one batch that also takes its entry out of the journal and moves the tails of its files back. So recovery
can be killed anywhere and run again: what is undone is not seen again, what is not yet cut is cut by the tails.
"""

from __future__ import annotations

import logging
from typing import Protocol

import msgspec

from gossamer.errors import StorageError, StoreCorrupt
from gossamer.frontier.journal import (
    stored_durable,
    stored_entries,
    stored_files,
    stored_suspect,
    trust,
)
from gossamer.frontier.keys import (
    DURABLE,
    FAILED,
    FILES,
    JOURNAL,
    META,
    QUEUE,
    ROBOTS,
    SEEN,
    STOPPED_CLEANLY,
    number_key,
    parse_suffix,
    queue_prefix,
)
from gossamer.frontier.ledger import Draft, Ledger
from gossamer.frontier.records import (
    FileRow,
    JournalEntry,
    Step,
    decode_file,
    encode_file,
    encode_waiting,
    identity_in,
    is_waiting,
)
from gossamer.frontier.scheduling import add_to_row
from gossamer.model.crawluri import ClassKey
from gossamer.model.disposition import Fate, Span
from gossamer.storage.kv import KV

log = logging.getLogger(__name__)


class ArchiveFiles(Protocol):
    """The files that spans lie in, as recovery needs them. Names are as in `Span.file`.

    Everything raises StorageError or DiskFull for what the operating system refuses.
    """

    def size(self, file: str) -> int | None:
        """Its bytes, under its open or its final name; None if there is neither."""

    def is_final(self, file: str) -> bool:
        """Whether it stands under its final name only: it was closed, though the store may not know."""

    def is_whole(self, span: Span) -> bool:
        """Whether the span holds exactly what was appended: whole gzip members, checksums right, the record id."""

    def truncate(self, file: str, size: int) -> None:
        """Cut it, durably."""

    def sync(self, file: str) -> None:
        """Make its bytes durable."""


class NoFiles:
    """For a crawl without an archive: there are no files, so none may be named."""

    def size(self, file: str) -> int | None:
        raise StorageError(f"the store names the file {file}, but it was opened without an archive")

    def is_final(self, file: str) -> bool:
        return False

    def is_whole(self, span: Span) -> bool:
        return False

    def truncate(self, file: str, size: int) -> None:
        raise StorageError(f"there is no archive to cut {file} in")

    def sync(self, file: str) -> None:
        raise StorageError(f"there is no archive to sync {file} in")


class Recovery(msgspec.Struct):
    """What was found and done."""

    is_first: bool = False
    """The store was new."""
    was_clean: bool = False
    undone: int = 0
    """Steps taken back."""
    kept: int = 0
    """Steps since the last commit that were found whole."""
    cut: dict[str, int] = msgspec.field(default_factory=dict)
    """File -> bytes cut off its end."""
    damaged: list[str] = msgspec.field(default_factory=list)
    """One sentence per file that lost what a commit had promised."""


def close_files(store: KV) -> int:
    """Have the store name no open file: for a copy of it that is gone back to, since nobody may cut or continue what
    was written after the copy was made. How many there were.
    """
    files = {file: row for file, row in stored_files(store).items() if not row.is_closed}
    batch = store.batch()
    for file, row in files.items():
        batch.put(FILES, file.encode(), encode_file(FileRow(row.tail, True)))
    store.write(batch)
    store.sync()
    return len(files)


def recover(store: KV, files: ArchiveFiles) -> Recovery:
    """Bring store and files to a state that agrees; afterwards the journal is empty and everything is synced."""
    found = Recovery()
    found.is_first = store.get(META, STOPPED_CLEANLY) is None and store.get(META, DURABLE) is None
    found.was_clean = store.get(META, STOPPED_CLEANLY) is not None and stored_suspect(store) == 0
    _check_presence(store, files)
    _cut_to_tails(store, files, found)
    last = _walk_journal(store, files, found)
    _cut_to_tails(store, files, found)
    _sync_files(store, files)
    _match_files(store, files, found)
    _settle(store, last)
    for sentence in found.damaged:
        log.warning("%s", sentence)
    if found.undone:
        log.warning("the last run did not end cleanly: %d steps were taken back and will be done again", found.undone)
    return found


def _check_presence(store: KV, files: ArchiveFiles) -> None:
    """Refuse to go on without a file that was written to: the disk it lies on may not be mounted.

    The folder was synced before the first byte was appended, so no accident of power explains its absence.
    """
    for file, row in stored_files(store).items():
        if not row.is_closed and row.tail > 0 and files.size(file) is None:
            raise StorageError(
                f"{file} is gone, but {row.tail} bytes of it were recorded; put it back (an empty file if it is lost)"
            )


def _cut_to_tails(store: KV, files: ArchiveFiles, found: Recovery) -> None:
    """Closed files are left alone: their owner may have done with them what he likes."""
    for file, row in stored_files(store).items():
        size = None if row.is_closed else files.size(file)
        if size is not None and size > row.tail:
            files.truncate(file, row.tail)
            found.cut[file] = found.cut.get(file, 0) + size - row.tail


def _walk_journal(store: KV, files: ArchiveFiles, found: Recovery) -> int:
    """Undo, last first, from the first entry whose records are not whole; returns the number of the last entry."""
    suspect = stored_suspect(store)
    last = stored_durable(store)
    bad: list[tuple[int, JournalEntry]] = []
    for last, entry in stored_entries(store):
        if bad or last <= suspect or not all(_is_whole(files, span) for span in entry.spans):
            bad.append((last, entry))
        else:
            found.kept += 1
    ledger = Ledger(store, {})
    for number, entry in reversed(bad):
        _undo(ledger, number, entry)
        found.undone += 1
    return last


def _is_whole(files: ArchiveFiles, span: Span) -> bool:
    size = files.size(span.file)
    return size is not None and size >= span.end and files.is_whole(span)


def _undo(ledger: Ledger, number: int, entry: JournalEntry) -> None:
    """One entry, in one batch."""
    draft = ledger.draft()
    draft.counters.wire_bytes -= entry.wire_bytes
    if entry.step is Step.FINISH:
        _undo_finish(ledger, draft, entry)
    elif entry.step is Step.ROBOTS:
        draft.batch.delete(ROBOTS, entry.authority.encode())
    starts: dict[str, int] = {}
    for span in entry.spans:
        starts.setdefault(span.file, span.start)
    for file, start in starts.items():
        stored = ledger.store.get(FILES, file.encode())
        if stored is not None:
            tail = min(start, decode_file(stored).tail)
            draft.batch.put(FILES, file.encode(), encode_file(FileRow(tail)))
    draft.batch.delete(JOURNAL, number_key(number))
    draft.commit()


def _undo_finish(ledger: Ledger, draft: Draft, entry: JournalEntry) -> None:
    fate = entry.fate
    if fate is None:
        raise StoreCorrupt(f"a journal entry of {entry.class_key} does not say what became of its URI")
    class_key = ClassKey(entry.class_key)
    draft.counters.count_fate(fate, -1)
    row = draft.find_row(class_key)
    if row is None:
        return
    row.failures, row.throttles = entry.failures, entry.throttles
    row.is_unreachable = entry.is_unreachable
    if fate is Fate.RETRY:
        _undo_retry(ledger, draft, entry, class_key)
    else:
        _undo_fate(ledger, draft, entry, class_key, fate)


def _undo_retry(ledger: Ledger, draft: Draft, entry: JournalEntry, class_key: ClassKey) -> None:
    """Back under the old key, unless it was deleted meanwhile."""
    prefix = queue_prefix(class_key)
    if ledger.store.get(QUEUE, prefix + entry.new_suffix) is None:
        return
    row = draft.row(class_key)
    draft.batch.delete(QUEUE, prefix + entry.new_suffix)
    draft.batch.put(QUEUE, prefix + entry.suffix, entry.value)
    row.bound = min(row.bound, entry.suffix)


def _undo_fate(ledger: Ledger, draft: Draft, entry: JournalEntry, class_key: ClassKey, fate: Fate) -> None:
    """Back into its queue, unless it was queued again by force meanwhile."""
    prefix = queue_prefix(class_key)
    draft.counters.pages -= entry.is_page
    draft.counters.add_reason(entry.reason, -1)
    if fate is Fate.FAILED:
        draft.batch.delete(FAILED, prefix + entry.suffix)
    identity = identity_in(entry.value)
    seen = ledger.store.get(SEEN, identity)
    if seen is not None and is_waiting(seen):
        draft.counters.discovered -= 1
        return
    _, _, _, docid = parse_suffix(entry.suffix)
    draft.batch.put(QUEUE, prefix + entry.suffix, entry.value)
    draft.batch.put(SEEN, identity, encode_waiting(docid))
    add_to_row(draft, class_key, draft.row(class_key), entry.suffix)


def _sync_files(store: KV, files: ArchiveFiles) -> None:
    """What was found whole may still be in memory only, and soon nothing will look at it again."""
    for file, row in stored_files(store).items():
        if not row.is_closed and files.size(file) is not None:
            files.sync(file)


def _match_files(store: KV, files: ArchiveFiles, found: Recovery) -> None:
    """Make the rows of open files say what is there.

    One that was registered but never made is forgotten; one that got its final name is closed; one that ends before
    its tail lost what a commit had promised, and goes on from where it ends.
    """
    batch = store.batch()
    for file, row in stored_files(store).items():
        if row.is_closed:
            continue
        size = files.size(file)
        if row.tail > (size or 0):
            lost = row.tail - (size or 0)
            found.damaged.append(f"{file} lost {lost} bytes that were safely on the disk; their URIs stay done")
        if size is None:
            batch.delete(FILES, file.encode())
        else:
            batch.put(FILES, file.encode(), encode_file(FileRow(min(row.tail, size), files.is_final(file))))
    store.write(batch)


def _settle(store: KV, last: int) -> None:
    """The files are synced: sync the store, then empty the journal; from here on nothing refers to the run before."""
    store.sync()
    batch = store.batch()
    durable = stored_durable(store)
    if last > durable:
        batch.delete_range(JOURNAL, number_key(durable + 1), number_key(last + 1))
    batch.put(META, DURABLE, number_key(last))
    batch.delete(META, STOPPED_CLEANLY)
    store.write(batch)
    store.sync()
    trust(store)
