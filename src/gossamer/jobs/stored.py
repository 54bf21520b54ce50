"""What the store of a job knows of a URL, read without the job: before it begins, beside it, or long after it ended.

The store is opened for reading only, which works beside a process that writes it; what is seen is what was settled at
the moment of opening.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path

from gossamer.errors import StorageError
from gossamer.frontier import FAMILIES, Seen
from gossamer.frontier.keys import IDENTITY_KEY, META
from gossamer.frontier.seen import Identifier, SeenIndex
from gossamer.storage import KV, RocksKV
from gossamer.url import canonicalize, host_of

_TRIES = 3
"""The writer may drop a file between the listing and the opening of the store; a second look finds what replaced it."""
_BLOCK_CACHE = 8 * 1024 * 1024


class StoredUrls:
    """The URLs of one store."""

    def __init__(self, store: KV) -> None:
        key = store.get(META, IDENTITY_KEY)
        self._identifier = Identifier(key) if key is not None else None
        self._seen = SeenIndex(store)

    def find(self, href: str) -> Seen | None:
        """What is known of a parsed URL; None if it was never scheduled. Raises StorageError."""
        if self._identifier is None:
            return None
        canonical = canonicalize(href)
        return self._seen.find(self._identifier.identify(canonical, host_of(canonical)))


def open_stored(state: Path) -> RocksKV:
    """A store for reading, to be closed by the caller. Raises StorageError."""
    opened = partial(RocksKV, state, FAMILIES, block_cache=_BLOCK_CACHE, read_only=True)
    for _ in range(_TRIES - 1):
        with suppress(StorageError):
            return opened()
    return opened()
