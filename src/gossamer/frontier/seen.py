"""Seen: which URLs are known, and what became of them.

A URL is known by its identity, 20 bytes: a checksum of its host and a 128-bit hash of its canonical form. The hash
alone tells URLs apart: that any two of a billion share one has a chance of 10^-21. It starts from random bytes that
only this job has, so no stranger can craft two URLs that hide each other. The host stands in front for the sake of
place only, so that the links of a page lie in few blocks of the store; hosts that share a checksum do no harm.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import compress
from typing import Any
from zlib import crc32

from gossamer.frontier.base import Seen
from gossamer.frontier.keys import IDENTITY_KEY, META, SEEN
from gossamer.frontier.records import decode_seen
from gossamer.model.crawluri import Identity
from gossamer.storage.kv import KV
from gossamer.util.native import usable_extension

KEY_BYTES = 32
HOST_HASH_BYTES = 4
URL_HASH_BYTES = 16
RECENT_HOSTS = 4_096
ABSENT_URLS = 16_384
"""Identities found unknown that are kept at hand until they are scheduled: what a toe asks about before it looks at the
scope of a link need not be read again a moment later. Some 100 bytes each."""


class Identifier:
    """Canonical URL -> identity, under one job's key."""

    def __init__(self, key: bytes) -> None:
        # As salt and personalization the key becomes part of the state that the hash starts from. As BLAKE2's own key
        # it would be a block to hash before each URL, which doubles the work.
        self._fresh_hash = blake2b(digest_size=URL_HASH_BYTES, salt=key[:16], person=key[16:KEY_BYTES])
        start = int.from_bytes(key[:HOST_HASH_BYTES], "big")
        self._host_hash = lru_cache(RECENT_HOSTS)(
            lambda host: crc32(host.encode("utf-8", "surrogatepass"), start).to_bytes(HOST_HASH_BYTES, "big")
        )
        extension = usable_extension()
        self._native = None if extension is None else extension.Identifier(key)

    def identify(self, canonical: str, host: str) -> Identity:
        return self.identify_all([(canonical, host)])[0]

    def identify_all(self, links: Sequence[tuple[str, str]]) -> list[Identity]:
        """Of each canonical URL and its host."""
        if self._native is not None:
            try:
                identities: list[Identity] = self._native.identify_all(links)
            except UnicodeEncodeError:  # half a surrogate pair, which is no text to Rust
                pass
            else:
                return identities
        return self.identify_all_here(links)

    def identify_all_here(self, links: Sequence[tuple[str, str]]) -> list[Identity]:
        """The same without the extension; a page has a hundred links, so what is done for each is written out."""
        # To copy a hash costs half of making one.
        copy, host_hash = self._fresh_hash.copy, self._host_hash
        identities: list[Any] = []
        for canonical, host in links:
            url_hash = copy()
            url_hash.update(canonical.encode("utf-8", "surrogatepass"))
            identities.append(host_hash(host) + url_hash.digest())
        return identities


def identity_key(store: KV) -> bytes:
    """This job's key, made and stored at the first call."""
    key = store.get(META, IDENTITY_KEY)
    if key is None:
        key = os.urandom(KEY_BYTES)
        batch = store.batch()
        batch.put(META, IDENTITY_KEY, key)
        store.write(batch)
    return key


def rising(wanted: int, last: int) -> int:
    """The doc id after `last`: the next, or one that somebody wants. Raises ValueError unless it rises above `last`."""
    if not wanted:
        return last + 1
    if wanted <= last:
        raise ValueError(f"doc id {wanted} does not rise above {last}")
    return wanted


class SeenIndex:
    """The `seen` family. What is known is not kept at hand: who finds links remembers their URLs before they are
    hashed.
    """

    def __init__(self, store: KV) -> None:
        self._store = store
        self._absent: set[Identity] = set()
        """Certainly not in the store: whoever puts a new identity there must say so by `added`."""

    def added(self, identities: Iterable[Identity]) -> None:
        """These were stored for the first time, or again."""
        self._absent.difference_update(identities)

    def records(self, identities: Sequence[Identity]) -> list[bytes | None]:
        """Of each the record, None if it is not known; read only if one of them was not lately found unknown."""
        if self._absent.issuperset(identities):
            return [None] * len(identities)
        return self._store.multi_get(SEEN, identities)

    def record(self, identity: Identity) -> bytes | None:
        return self._store.get(SEEN, identity)

    def find(self, identity: Identity) -> Seen | None:
        record = self._store.get(SEEN, identity)
        return None if record is None else decode_seen(record)

    def unseen(self, identities: Sequence[Identity]) -> list[bool]:
        """For each, whether it is not known."""
        are_unseen = [record is None for record in self.records(identities)]
        if len(self._absent) >= ABSENT_URLS:
            self._absent.clear()
        self._absent.update(compress(identities, are_unseen))
        return are_unseen
