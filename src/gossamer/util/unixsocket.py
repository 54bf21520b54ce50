"""The address of a Unix socket, for whoever listens and whoever calls.

It holds 107 bytes (unix(7)); in a deeper folder the socket is named through /proc/self/fd instead.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

LONGEST_ADDRESS = 107
"""Bytes; sockaddr_un has room for one zero more."""
_OWN_DESCRIPTORS = Path("/proc/self/fd")


@contextlib.contextmanager
def address_of(path: Path) -> Iterator[str]:
    """An address of the socket at `path` that is short enough to bind or connect to. Raises OSError if there is none."""
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
