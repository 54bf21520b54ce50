"""The control socket: a file in the job's folder that only its owner can open.

    stale file -> unlinked (the folder's lock is held, so nobody answers there) -> bound with mode 0600 -> removed at the end

Binding fails without harm: the crawl goes on without a control API, and says so.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from gossamer.util.unixsocket import address_of

BACKLOG = 32


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
