"""Files that must not be half written, and the lock on a job folder.

Everything here converts `OSError`: no space becomes `DiskFull`, anything else `StorageError`, with the path and what
was being done. A file is durable when its data are synced *and* the folder that names it is (fsync(2), NOTES).
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gossamer.errors import DiskFull, JobInUse, StorageError

NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})


@contextmanager
def storage_errors(doing: str, path: Path) -> Iterator[None]:
    """Turn an OSError inside into DiskFull or StorageError that says what was being done to which file."""
    try:
        yield
    except OSError as error:
        raise storage_error(doing, path, error) from error


def storage_error(doing: str, path: Path, error: OSError) -> StorageError:
    """The same for one that was caught: what stands around every append cannot afford a context manager."""
    what = DiskFull if error.errno in NO_SPACE else StorageError
    return what(f"{doing} {path}: {error.strerror or error}")


def sync_file(path: Path) -> None:
    """fdatasync a file by name."""
    with storage_errors("could not sync", path):
        _sync(path, os.O_RDONLY, os.fdatasync)


def sync_folder(path: Path) -> None:
    """fsync a folder, so that the names in it are durable."""
    with storage_errors("could not sync the folder", path):
        _sync(path, os.O_RDONLY | os.O_DIRECTORY, os.fsync)


OWNER_ONLY = 0o600
"""The mode of files with secrets in them."""


def write_atomically(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Replace or make a file: readers and crashes see the old content or the new, whole and durable."""
    draft = path.with_name(path.name + ".new")
    with storage_errors("could not write", path):
        # One that a crash left may have another mode.
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
        try:
            _write_all(descriptor, content)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        draft.rename(path)
    sync_folder(path.parent)


def append(path: Path, content: bytes) -> None:
    """Write behind what stands in a file, or make it: all or nothing for whoever goes on living, and in the kernel when
    it returns. Not synced. Raises DiskFull or StorageError.
    """
    with storage_errors("could not write", path):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            before = os.fstat(descriptor).st_size
            try:
                _write_all(descriptor, content)
            except OSError:
                os.ftruncate(descriptor, before)
                raise
        finally:
            os.close(descriptor)


def ends_with_newline(path: Path) -> bool:
    """Whether the next line can be appended; so it can where there is nothing. Raises StorageError."""
    with storage_errors("could not read", path):
        try:
            with path.open("rb") as stream:
                if not stream.seek(0, os.SEEK_END):
                    return True
                stream.seek(-1, os.SEEK_END)
                return stream.read(1) == b"\n"
        except FileNotFoundError:
            return True


def copy_file(source: Path, target: Path) -> None:
    """Copy a file's content to one that at most those may read who may read the source. Raises OSError."""
    mode = stat.S_IMODE(source.stat().st_mode) & 0o666
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    try:
        os.fchmod(descriptor, stat.S_IMODE(os.fstat(descriptor).st_mode) & mode)
        _write_all(descriptor, source.read_bytes())
    finally:
        os.close(descriptor)


def overwrite(path: Path, content: bytes) -> None:
    """Replace the content of a file by as many bytes, in place and durably: needs no space that it does not have.

    For a few bytes only, which a disk writes at once or not at all.
    """
    with storage_errors("could not overwrite", path):
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.pwrite(descriptor, content, 0)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def remove_durably(path: Path) -> None:
    """Remove a file if it is there, and make that durable."""
    with storage_errors("could not remove", path):
        if not path.exists():
            return
        path.unlink()
    sync_folder(path.parent)


def truncate(path: Path, size: int) -> None:
    """Cut a file to `size` bytes and sync it; a shorter file is left as it is, never grown."""
    with storage_errors("could not truncate", path):
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            if os.fstat(descriptor).st_size > size:
                os.ftruncate(descriptor, size)
                os.fsync(descriptor)
        finally:
            os.close(descriptor)


def free_bytes(path: Path) -> int:
    """Bytes that this user may still write on the file system that holds `path`."""
    with storage_errors("could not ask for the free space of", path):
        facts = os.statvfs(path)
    return facts.f_bavail * facts.f_frsize


class FolderLock:
    """The right to work in a job folder, held by one process at a time.

    An flock(2) on a file in the folder: it dies with its process, so a file left behind by a dead one blocks nobody.
    The holder's pid stands inside for the message only.
    """

    NAME = "lock"
    READ_AGAIN_SECONDS = 0.01
    """A holder writes its pid a moment after it has the lock; so long a loser waits before it looks again."""

    def __init__(self, folder: Path) -> None:
        """Take the lock. Raises JobInUse with the holder's pid."""
        self.path = folder / self.NAME
        with storage_errors("could not open the lock", self.path):
            self._descriptor: int | None = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            self._take(self._descriptor)
        except BaseException:
            self.release()
            raise

    def _take(self, descriptor: int) -> None:
        pid: int | None = None
        for _ in range(20):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pid = _pid_in(descriptor)
                if pid is not None and _is_alive(pid):
                    break
                time.sleep(self.READ_AGAIN_SECONDS)
            else:
                with storage_errors("could not write the lock", self.path):
                    os.ftruncate(descriptor, 0)
                    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
                return
        who = f"process {pid}" if pid is not None else "another process"
        if pid == os.getpid():
            who += " (this one: another crawl of this program)"
        raise JobInUse(f"{self.path.parent} is in use by {who}; stop it first, or choose another job folder", pid=pid)

    def release(self) -> None:
        """Let go; idempotent. The file stays, it means nothing without its lock."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> FolderLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def _sync(path: Path, flags: int, sync: Callable[[int], None]) -> None:
    descriptor = os.open(path, flags | os.O_CLOEXEC)
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def _pid_in(descriptor: int) -> int | None:
    text = os.pread(descriptor, 32, 0).strip()
    return int(text) if text.isdigit() else None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
