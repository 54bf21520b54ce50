"""Every key the frontier writes, in one table.

| family     | key                                                        | value                           |
|------------|------------------------------------------------------------|---------------------------------|
| `queue`    | class_key 00 priority(1) attempts(1) depth(2) docid(8)     | a CrawlURI that waits           |
| `failed`   | as `queue`                                                 | a CrawlURI given up, revivable  |
| `seen`     | host checksum(4) url hash(16)                              | doc id, outcome                 |
| `queues`   | class_key                                                  | the queue's row                 |
| `inactive` | precedence(1) ordinal(8)                                   | class_key                       |
| `snoozed`  | wake(8) class_key                                          | nothing                         |
| `robots`   | authority                                                  | what robots.txt said, and when  |
| `cookies`  | domain 00 path 00 name                                     | a cookie (`fetch.cookiestore`)  |
| `files`    | path of a WARC file or log                                 | its tail (at a commit), closed? |
| `journal`  | sequence number(8)                                         | how to undo one step            |
| `meta`     | a name                                                     | counters, identity key, marks   |
| `meta`     | `promoted:` docid(8)                                       | URL of a seed found by redirect |

Numbers are unsigned and big-endian, so the store's order is the crawl's order: `priority`, `attempts`, `depth`,
`docid`, all lower first. `wake` is wall-clock microseconds.

    example.org 00 60 00 0000 0000000000000001     the seed of example.org, never tried
    example.org 00 80 00 0002 0000000000000309     an ordinary link two hops away
    example.org 00 80 01 0001 0000000000000042     tried once: behind every fresh one of its priority
    example.org:8080 00 80 …                       another queue: 00 sorts before ':', and a class_key holds no 00
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache

from gossamer.model.crawluri import ClassKey, CrawlURI, DocId
from gossamer.storage.kv import Contents

QUEUE = "queue"
FAILED = "failed"
SEEN = "seen"
QUEUES = "queues"
INACTIVE = "inactive"
SNOOZED = "snoozed"
ROBOTS = "robots"
COOKIES = "cookies"
FILES = "files"
JOURNAL = "journal"
META = "meta"

FAMILIES = {
    QUEUE: Contents.SERIES,
    FAILED: Contents.SERIES,
    SEEN: Contents.HASHES,
    QUEUES: Contents.RECORDS,
    INACTIVE: Contents.SERIES,
    SNOOZED: Contents.SERIES,
    ROBOTS: Contents.RECORDS,
    COOKIES: Contents.RECORDS,
    FILES: Contents.RECORDS,
    JOURNAL: Contents.SERIES,
    META: Contents.RECORDS,
}

COUNTERS = b"counters"
DURABLE = b"durable"
IDENTITY_KEY = b"identity_key"
STOPPED_CLEANLY = b"stopped_cleanly"
NOTE_PREFIX = b"note:"
PROMOTED_PREFIX = b"promoted:"

MAX_PRIORITY = 0xFF
MAX_DEPTH = 0xFFFF
MAX_ATTEMPTS = 0xFF
SUFFIX_BYTES = 12
FIRST_SUFFIX = bytes(SUFFIX_BYTES)

RECENT_CLASS_KEYS = 4_096
"""Kept at hand as bytes: one batch asks for each of its own up to four times. Some 200 bytes each."""

_SUFFIX = struct.Struct(">BBHQ")
_ORDINAL = struct.Struct(">BQ")
_NUMBER = struct.Struct(">Q")


@lru_cache(RECENT_CLASS_KEYS)
def class_bytes(class_key: ClassKey) -> bytes:
    """A class_key as it stands in keys. Raises ValueError for an empty one or one with a NUL, which ends it."""
    encoded = class_key.encode()
    if not encoded or b"\x00" in encoded:
        raise ValueError(f"not a class_key: {class_key!r}")
    return encoded


def queue_suffix(priority: int, attempts: int, depth: int, docid: int) -> bytes:
    """The part of a queue key that orders a queue; what exceeds its bytes is clipped, the doc id must fit."""
    try:
        return _SUFFIX.pack(priority, attempts, depth, docid)
    except struct.error:
        return _SUFFIX.pack(
            min(max(priority, 0), MAX_PRIORITY), min(attempts, MAX_ATTEMPTS), min(depth, MAX_DEPTH), docid
        )


def suffix_of(curi: CrawlURI) -> bytes:
    try:
        return _SUFFIX.pack(curi.priority, curi.attempts, curi.depth, curi.docid)
    except struct.error:
        return queue_suffix(curi.priority, curi.attempts, curi.depth, curi.docid)


# What does no more than pack or unpack is bound, not wrapped in a function: most of it is done for every URI.

parse_suffix: Callable[[bytes], tuple[int, int, int, DocId]] = _SUFFIX.unpack
"""(priority, attempts, depth, docid)."""


def queue_prefix(class_key: ClassKey) -> bytes:
    """What every key of a queue begins with."""
    return class_bytes(class_key) + b"\x00"


def queue_stop(prefix: bytes) -> bytes:
    """The first key that can no longer belong to the queue of this prefix."""
    return prefix[:-1] + b"\x01"


def parse_queue_key(key: bytes) -> tuple[ClassKey, bytes]:
    """(class_key, suffix)."""
    return ClassKey(key[: -SUFFIX_BYTES - 1].decode()), key[-SUFFIX_BYTES:]


inactive_key: Callable[[int, int], bytes] = _ORDINAL.pack
"""Of precedence and ordinal."""


def parse_inactive_key(key: bytes) -> tuple[int, int]:
    """(precedence, ordinal)."""
    precedence, ordinal = _ORDINAL.unpack(key)
    return precedence, ordinal


def snoozed_key(wake: int, class_key: ClassKey) -> bytes:
    """`wake` in wall-clock `microseconds`, as it stands in a row's position."""
    return _NUMBER.pack(wake) + class_bytes(class_key)


def parse_snoozed_key(key: bytes) -> tuple[float, ClassKey]:
    """(wake in wall-clock seconds, class_key)."""
    return _NUMBER.unpack_from(key)[0] / 1e6, ClassKey(key[8:].decode())


def microseconds(wake: float) -> int:
    return max(0, int(wake * 1e6))


number_key: Callable[[int], bytes] = _NUMBER.pack
"""Of a sequence number of the journal."""


def parse_number(key: bytes) -> int:
    number: int = _NUMBER.unpack(key)[0]
    return number
