"""CookieKeeper: brings a jar back at the start, and keeps what changes in it.

Changes are written when the crawl commits, each second, in a batch of their own, and not with the finish of the page
that brought them: a cookie that every answer sets anew is then written once, and pages without cookies pay nothing. A
kill costs the cookies of the last second, that is, at most one more login.

    at the start    the store's cookies, then those of the operator's file that are newer
    at a commit     what has changed
    at the end      the whole jar as a cookies.txt, if one was asked for
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import msgspec

from gossamer.errors import ConfigError, StoreCorrupt
from gossamer.fetch.cookiefile import read_cookies, write_cookies
from gossamer.fetch.cookies import Cookie, CookieJar
from gossamer.storage.files import OWNER_ONLY, write_atomically
from gossamer.storage.kv import KV, scan_all

log = logging.getLogger(__name__)

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Cookie)


class CookieKeeper:
    """The store's side of one jar; `family` is the store's name space for it."""

    def __init__(self, jar: CookieJar, store: KV, family: str) -> None:
        self.jar = jar
        self._store = store
        self._family = family

    def load_stored(self, now: float) -> None:
        """Fill the jar from the store. Raises StorageError."""
        cookies = []
        for key, value in scan_all(self._store, self._family, stop=b"\xff" * 255):
            try:
                cookies.append(_DECODER.decode(value))
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise StoreCorrupt(f"the cookie at {key[:100]!r} cannot be read: {error}") from error
        self.jar.load(sorted(cookies, key=lambda cookie: cookie.created), now)

    def load_file(self, path: Path, now: float, is_suffix: Callable[[str], bool]) -> None:
        """Add the cookies of a cookies.txt. Raises ConfigError."""
        try:
            written, raw = path.stat().st_mtime, path.read_bytes()
        except OSError as exc:
            raise ConfigError(f"cookies.load: {path} cannot be read: {exc.strerror or exc}") from exc
        cookies = read_cookies(raw, str(path), written, is_suffix)
        self.jar.give(cookies, now)
        log.info("%d cookies read from %s", len(cookies), path)

    def flush(self) -> None:
        """Write what has changed. Raises StorageError; the changes are lost then, the next start has older cookies."""
        changed = self.jar.take_changes()
        if not changed:
            return
        batch = self._store.batch()
        for key, cookie in changed.items():
            if cookie is None:
                batch.delete(self._family, _encoded(key))
            else:
                batch.put(self._family, _encoded(key), _ENCODER.encode(cookie))
        self._store.write(batch)

    def save(self, path: Path) -> None:
        """Write the jar as a cookies.txt. Raises StorageError."""
        write_atomically(path, write_cookies(self.jar.all()), OWNER_ONLY)


def _encoded(key: tuple[str, str, str]) -> bytes:
    return "\0".join(key).encode()
