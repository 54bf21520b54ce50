"""AppendFile: a file that only grows, and the one place where the archive's and the log's bytes reach the disk.

It has one owner, who knows where it ends: `position`, which after a start is what the store says, not what the disk
says. Appending is all or nothing for whoever goes on living: after an error the file ends where it ended before. What
a crash leaves behind `position` is cut away at the next start, because the store's tail is what counts.

Nothing is buffered: an append that returned is in the kernel, so it survives the death of the process; it survives a
power loss once `sync` has returned. Errors of the system come out as DiskFull or StorageError.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

from gossamer.errors import StorageError
from gossamer.storage.files import storage_error, storage_errors


def write_at(descriptor: int, data: bytes | memoryview, offset: int) -> int:
    """Write some of `data` at `offset`, and say how much."""
    return os.pwrite(descriptor, data, offset)


class AppendFile:
    """One file, open for appending at a known position."""

    def __init__(self, path: Path, position: int = 0, *, create: bool = False) -> None:
        """Open it and cut it after `position`, the store's own end of it.

        With `create` it must not exist yet. Raises StorageError; so does a file that ends before `position`.
        """
        self.path = path
        self.position = position
        self._is_torn = False
        """Something may stand behind `position`; it must be cut away before the next append."""
        flags = os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT | os.O_EXCL if create else 0)
        with storage_errors("could not open", path):
            self._descriptor = os.open(path, flags, 0o644)
        try:
            self._adopt(position)
        except BaseException:
            self.close()
            raise

    def _adopt(self, position: int) -> None:
        size = os.fstat(self._descriptor).st_size
        if size < position:
            raise StorageError(f"{self.path} ends at {size}, but the store has recorded {position} bytes of it")
        if size > position:
            self._is_torn = True
            self.rollback(position)

    def append(self, data: bytes) -> tuple[int, int]:
        """Write `data` at the end, in one call unless the system writes short; return where it starts and ends.

        Raises DiskFull or StorageError, after which the file is as before.
        """
        start = self.position
        try:
            if self._is_torn:
                self._cut(start)
            written = write_at(self._descriptor, data, start)
            if written < len(data):
                self._write(data, start, written)
        except OSError as error:
            self._undo(start)
            raise storage_error("could not write to", self.path, error) from error
        except BaseException:
            self._undo(start)
            raise
        self.position = end = start + len(data)
        return start, end

    def append_all(self, pieces: Iterable[bytes]) -> tuple[int, int]:
        """The same for pieces that are made while they are written; an exception in their making undoes them, too."""
        start = end = self.position
        try:
            with storage_errors("could not write to", self.path):
                if self._is_torn:
                    self._cut(start)
                for piece in pieces:
                    self._write(piece, end)
                    end += len(piece)
        except BaseException:
            self._undo(start)
            raise
        self.position = end
        return start, end

    def _undo(self, start: int) -> None:
        """An append failed: something of it may stand behind `start`."""
        self._is_torn = True
        self.rollback(start)

    def _write(self, data: bytes, offset: int, done: int = 0) -> None:
        """Write `data`, of which `done` bytes are written, at `offset`."""
        while done < len(data):
            more = write_at(self._descriptor, memoryview(data)[done:], offset + done)
            if more == 0:
                raise OSError(errno.EIO, "the system wrote nothing and gave no reason")
            done += more

    def rollback(self, position: int) -> None:
        """Forget everything after `position`.

        If even that fails (StorageError), `position` is set all the same and the next append cuts first.
        """
        if position == self.position and not self._is_torn:
            return
        self.position = position
        self._is_torn = True
        with storage_errors("could not cut", self.path):
            self._cut(position)

    def _cut(self, position: int) -> None:
        os.ftruncate(self._descriptor, position)
        self._is_torn = False

    def sync(self) -> None:
        """Make everything appended so far durable (fdatasync). May be called from another thread."""
        with storage_errors("could not sync", self.path):
            os.fdatasync(self._descriptor)

    def close(self) -> None:
        """Give the file back, synced or not; idempotent."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)
