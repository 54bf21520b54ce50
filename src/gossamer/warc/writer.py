"""WarcFile: one file of the archive while it is written. It has the suffix `.open` until it is closed for good.

    create (.open) -> warcinfo -> records … -> finish: fdatasync, rename without .open, fsync the folder

Each record is one gzip member. The records given to one `append` are written with one system call, so a kill leaves all
of them or a torn tail that the next start cuts away. The file knows neither the store nor other files: that is the
pool's part.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, repeat
from operator import attrgetter
from pathlib import Path

from gossamer.model.disposition import Span
from gossamer.storage.appendfile import AppendFile
from gossamer.storage.files import remove_durably, storage_errors, sync_folder
from gossamer.warc.member import member_pieces, members
from gossamer.warc.naming import OPEN_SUFFIX
from gossamer.warc.records import Record

_record_id = attrgetter("record_id")


class WarcFile:
    """One `.open` file and its end."""

    def __init__(self, job_folder: Path, name: str, position: int, level: int, *, create: bool) -> None:
        """Create it, or open it and cut it after `position`.

        `name` is the file's path relative to the job folder, without `.open`: the form that stands in the store.
        Raises StorageError.
        """
        self.name = name
        self.warcinfo_id = ""
        """Of the record that opens it, which those that follow name; set by the pool."""
        self.is_finished = False
        self._path = job_folder / name
        self._level = level
        self._file = AppendFile(self._path.with_name(self._path.name + OPEN_SUFFIX), position, create=create)

    @property
    def position(self) -> int:
        """Where the next record begins."""
        return self._file.position

    def append(self, records: Sequence[Record]) -> list[Span]:
        """Write small records at once. Raises DiskFull or StorageError, after which none of them is in the file."""
        packed = members(map(Record.to_bytes, records), self._level)
        start, _ = self._file.append(b"".join(packed))
        ends = list(accumulate(map(len, packed), initial=start))
        return list(map(Span, repeat(self.name), ends, ends[1:], map(_record_id, records)))

    def append_large(self, record: Record) -> Span:
        """Compress and write one record piece by piece, in bounded memory; for a thread.

        Raises DiskFull or StorageError, after which nothing of it is in the file.
        """
        start, end = self._file.append_all(member_pieces(record.pieces(), self._level))
        return Span(self.name, start, end, record.record_id)

    def rollback(self, position: int) -> None:
        """Forget everything after `position`."""
        self._file.rollback(position)

    def sync(self) -> None:
        """Make everything appended so far durable."""
        self._file.sync()

    def finish(self) -> None:
        """Make it durable under its final name. Blocking, up to seconds; for a thread.

        A file without a single byte is removed: an empty .gz would be called damaged by every tool.
        """
        if self.position == 0:
            remove_durably(self._file.path)
        else:
            self._file.sync()
            with storage_errors("could not rename", self._file.path):
                self._file.path.rename(self._path)
            sync_folder(self._path.parent)
        self._file.close()
        self.is_finished = True

    def drop(self) -> None:
        """Give the descriptor back and leave the file as it is, `.open`; idempotent."""
        self._file.close()
