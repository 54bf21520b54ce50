"""SpooledRecording: the bytes of one response as they came, in memory up to a size, in a spool file beyond it.

The reader appends; afterwards everybody reads ranges; the toe closes. The file has no name: it is unlinked as it is
made, so nothing is left behind by a kill. Pieces are gathered and written 256 KiB at a time, synchronously, in the
reader's own call: a slow disk slows the network down instead of growing memory. What the file system refuses is a
StorageError, DiskFull where space is what is missing.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from gossamer.errors import DiskFull, StorageError

_WRITE_SIZE = 256 * 1024
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})


class SpooledRecording:
    """Implements `model.exchange.Recording`, and `append` for its one writer."""

    is_closed = False
    _length = 0
    _tail: bytes | bytearray = b""
    """What is in memory: everything, or what follows the `_spooled` bytes that are in the file."""
    _spooled = 0
    _file: IO[bytes] | None = None

    def __init__(self, spool_above: int, folder: Path | None = None) -> None:
        """`folder` is where the spool file would be made; None = the system's folder for temporary files."""
        self._spool_above = spool_above
        self._folder = folder

    def __len__(self) -> int:
        return self._length

    @property
    def is_spooled(self) -> bool:
        """Is it in a file?"""
        return self._file is not None

    def append(self, data: bytes) -> None:
        """Add what arrived. Raises StorageError."""
        # Most responses come in one or two reads: the first piece is kept as it is, not copied.
        if not self._length:
            self._tail = data
        elif isinstance(self._tail, bytearray):
            self._tail += data
        else:
            self._tail = bytearray(self._tail)
            self._tail += data
        self._length = length = self._length + len(data)
        if length > self._spool_above and (self._file is None or len(self._tail) >= _WRITE_SIZE):
            self._spool()

    def read(self, start: int = 0, end: int | None = None) -> bytes:
        """The bytes from `start` to `end`, which may lie beyond the end. Raises StorageError, ValueError if closed."""
        if self.is_closed:
            raise ValueError("the recording is closed")
        if self._file is None:
            tail = self._tail
            return tail[start:end] if isinstance(tail, bytes) else bytes(memoryview(tail)[start:end])
        end = self._length if end is None else min(end, self._length)
        if start >= end:
            return b""
        if self._tail:
            self._spool()
        return self._read_file(start, end - start)

    def chunks(self, start: int = 0, size: int = 65536) -> Iterator[bytes]:
        """From `start` to the end, `size` bytes at a time."""
        while start < self._length:
            yield self.read(start, start + size)
            start += size

    def close(self) -> None:
        """Give back memory and file; idempotent."""
        self.is_closed = True
        self._tail = b""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _spool(self) -> None:
        """Move what is in memory to the end of the file."""
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self._folder, buffering=0)  # noqa: SIM115 (closed by close)
            view = memoryview(self._tail)
            written = 0
            while written < len(view):
                written += os.pwrite(self._file.fileno(), view[written:], self._spooled + written)
        except OSError as exc:
            raise _storage_error(exc, self._folder) from exc
        self._spooled += written
        self._tail = bytearray()

    def _read_file(self, start: int, length: int) -> bytes:
        assert self._file is not None
        pieces = []
        try:
            while length:
                piece = os.pread(self._file.fileno(), length, start)
                if not piece:
                    raise StorageError(f"the spool file ends at byte {start}, before what was written to it")
                pieces.append(piece)
                start += len(piece)
                length -= len(piece)
        except OSError as exc:
            raise _storage_error(exc, self._folder) from exc
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _storage_error(exc: OSError, folder: Path | None) -> StorageError:
    place = folder or tempfile.gettempdir()
    if exc.errno in _NO_SPACE:
        return DiskFull(f"no space left for a spool file in {place}")
    return StorageError(f"the spool file in {place} failed: {exc.strerror or exc}")
