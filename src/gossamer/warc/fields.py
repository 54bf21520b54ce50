"""The small parts of a WARC header: dates, digests, record ids, and values that cannot break out of their line.

Whatever comes from a server passes `header_value` before it stands in a header, and every URL `one_word`: a carriage
return or line feed there would let a stranger write headers, or whole records, of the archive.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterable
from functools import lru_cache
from typing import Protocol

_BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_PAIRS = [first + second for first in _BASE32 for second in _BASE32]
_SHIFTS = range(150, -1, -10)
"""A SHA-1 has 160 bits: sixteen pairs of five. The table makes this half as slow as base64.b32encode."""

_UNPRINTABLE = re.compile(r"[^ -~]+")
_ID_BATCH = 64


def warc_date(wall_seconds: float) -> str:
    """A time as WARC-Date has it, to the microsecond, UTC (WARC/1.1 5.4)."""
    seconds, micros = divmod(round(wall_seconds * 1_000_000), 1_000_000)
    return f"{_date_and_time(seconds)}.{micros:06d}Z"


@lru_cache(maxsize=64)
def _date_and_time(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


class Hash(Protocol):
    """What hashlib makes."""

    def update(self, data: bytes, /) -> None: ...

    def digest(self) -> bytes: ...


def new_sha1() -> Hash:
    """A running SHA-1. It names contents and guards against accidents; it is no defence against forgers."""
    return hashlib.sha1(usedforsecurity=False)


def sha1_label(digest: bytes) -> str:
    """`sha1:BASE32` of a SHA-1, the form that every WARC tool writes (WARC/1.1 5.8)."""
    bits = int.from_bytes(digest, "big")
    return "sha1:" + "".join([_PAIRS[bits >> shift & 1023] for shift in _SHIFTS])


def sha1_of(data: bytes | memoryview) -> str:
    """`sha1:BASE32` of some bytes."""
    return sha1_label(hashlib.sha1(data, usedforsecurity=False).digest())


class RecordIds:
    """Random UUIDs (RFC 9562 version 4) as `urn:uuid:…`, made in batches because a system call for each costs more.

    Not to be carried over a fork: both halves would give out the same ones.
    """

    def __init__(self) -> None:
        self._ready: list[str] = []

    def take(self) -> str:
        """One that nobody else has."""
        try:
            return self._ready.pop()
        except IndexError:
            made = _uuids(os.urandom(16 * _ID_BATCH).hex())
            self._ready += made[1:]
            return made[0]


def _uuids(random_hex: str) -> list[str]:
    uuids = []
    for at in range(0, len(random_hex), 32):
        h = random_hex[at : at + 32]
        variant = "89ab"[int(h[16], 16) & 3]
        uuids.append(f"urn:uuid:{h[:8]}-{h[8:12]}-4{h[13:16]}-{variant}{h[17:20]}-{h[20:]}")
    return uuids


def header_value(text: str) -> str:
    """Text as the value of a header, in printable ASCII: runs of anything else become one `?`."""
    if text.isascii() and text.isprintable():
        return text
    return _UNPRINTABLE.sub("?", text)


def warc_fields(pairs: Iterable[tuple[str, str]]) -> bytes:
    """A block of type application/warc-fields (WARC/1.1 4); control characters are replaced, UTF-8 is kept."""
    return "".join([f"{name}: {_one_line(value)}\r\n" for name, value in pairs]).encode("utf-8", "replace")


def _one_line(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "?" for c in text)
