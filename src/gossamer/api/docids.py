"""DocIds: those of a crawl that is not open, read from its folder: it has ended, or goes on where another one was.

The store is opened at the first question and kept open for the next ones, a thousand of which should not open it a
thousand times; it is opened anew when another crawl has written to it since. Nothing is locked by it.
"""

from __future__ import annotations

import threading
from pathlib import Path

from gossamer.jobs import JobDirectory
from gossamer.jobs.stored import StoredUrls, open_stored
from gossamer.storage import RocksKV

Version = tuple[int, int, int] | None


class DocIds:
    """What one folder knows. For any thread."""

    def __init__(self, folder: Path) -> None:
        self._directory = JobDirectory(folder)
        self._lock = threading.Lock()
        self._store: RocksKV | None = None
        self._urls: StoredUrls | None = None
        self._version: Version = None

    def docid_of(self, href: str) -> int | None:
        """Of a parsed URL; None if it is not known, or nothing was crawled here. Raises StorageError."""
        with self._lock:
            version = self._present_version()
            if version != self._version:
                self._close()
            if version is None:
                return None
            if self._urls is None:
                self._store = open_stored(self._directory.state)
                self._urls, self._version = StoredUrls(self._store), version
            seen = self._urls.find(href)
            return None if seen is None else seen.docid

    def close(self) -> None:
        """Let go of the store; idempotent, and a further question opens it again."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        store, self._store, self._urls, self._version = self._store, None, None, None
        if store is not None:
            store.close()

    def _present_version(self) -> Version:
        """Another one whenever a crawl began, and whenever what it wrote was taken into the store's files, as in the
        end all is; None if there is no store.
        """
        state = self._directory.state
        try:
            found = (state / (state / "CURRENT").read_text().strip()).stat()  # the list of its files, which grows
        except (OSError, ValueError):  # ValueError: it holds no name
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size
