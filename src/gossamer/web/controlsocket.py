"""The control socket: a file in the job's folder that only its owner can open.

    stale file -> unlinked (the folder's lock is held, so nobody answers there) -> bound with mode 0600 -> removed at the end

Binding fails without harm: the crawl goes on without a control API, and says so. An address of a Unix socket holds 107
bytes (unix(7)); in a deeper folder it is named through /proc/self/fd instead.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

LONGEST_ADDRESS = 107
"""Bytes; sockaddr_un has room for one zero more."""
BACKLOG = 32
_OWN_DESCRIPTORS = Path("/proc/self/fd")


class ControlSocket:
    """A listening Unix socket and the file that names it."""

    def __init__(self, path: Path) -> None:
        """Bind and listen. Raises OSError.

        The caller holds the lock of the folder: what lies at `path` was left behind by a process that is gone.
        """
        self.path = path
        if path.is_socket():
            path.unlink()
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.listener.setblocking(False)
            with address_of(path) as address, _private_files():
                self.listener.bind(address)
            self._file = _identity(path)
            self.listener.listen(BACKLOG)
        except BaseException:
            self.listener.close()
            raise

    def close(self) -> None:
        """Listen no more, and remove the file unless another process has put its own there. Idempotent."""
        self.listener.close()
        with contextlib.suppress(OSError):  # somebody removed it, or the folder
            if _identity(self.path) == self._file:
                self.path.unlink()


@contextlib.contextmanager
def address_of(path: Path) -> Iterator[str]:
    """An address for the socket at `path` that is short enough to bind or connect to. Raises OSError if there is none."""
    if len(os.fsencode(path)) <= LONGEST_ADDRESS:
        yield str(path)
        return
    if not _OWN_DESCRIPTORS.is_dir():
        raise OSError(f"its path is longer than {LONGEST_ADDRESS} bytes")
    descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"{_OWN_DESCRIPTORS}/{descriptor}/{path.name}"
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _private_files() -> Iterator[None]:
    """What is made inside is nobody else's from its first moment. Holds for all threads, so keep it short."""
    before = os.umask(0o177)
    try:
        yield
    finally:
        os.umask(before)


def _identity(path: Path) -> tuple[int, int]:
    facts = path.lstat()
    return facts.st_dev, facts.st_ino
