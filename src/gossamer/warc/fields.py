"""The small parts of a WARC header: dates, digests, record ids, and values that cannot break out of their line.

Whatever comes from a server passes `header_value` before it stands in a header, and every URL `one_word`: a carriage
return or line feed there would let a stranger write headers, or whole records, of the archive.
"""

from __future__ import annotations

import hashlib
import os
import re
import struct
import time
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Protocol

from gossamer.util.native import usable_extension

_BASE32 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".ljust(256, b"\0")

_UNPRINTABLE = re.compile(r"[^ -~]+")
_ID_BATCH = 63
# Six of the 128 bits say which kind of UUID it is (RFC 9562 5.4): set for a whole batch at once.
_RANDOM_BITS = int.from_bytes(bytes.fromhex("ffffffffffff0fff3fffffffffffffff") * _ID_BATCH, "big")
_KIND_BITS = int.from_bytes(bytes.fromhex("00000000000040008000000000000000") * _ID_BATCH, "big")
# A whole batch is cut and written by one call each, in two thirds of the time that one after another takes.
_UUID_PARTS = struct.Struct("8s4s4s4s12s" * _ID_BATCH)
_UUID_TEMPLATES = b"urn:uuid:%b-%b-%b-%b-%b " * _ID_BATCH


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


# 20 bytes four times, as 16 pieces of 40 bits, each of which becomes eight letters.
_FIVES = struct.Struct("5s" * 16)
_FIVES_IN_EIGHTS = struct.Struct("3x5s" * 16)


def _halvings() -> list[tuple[int, int, int]]:
    """How 40 bits at the end of each eight bytes become eight times five: (lower halves, upper halves, shift) by step.

    Each step cuts every group of bits in two, and moves the upper half up to where its bytes will be.
    """
    steps = []
    width, room = 40, 64
    while width > 5:
        width, room = width // 2, room // 2
        starts = range(0, _FIVES_IN_EIGHTS.size * 8, 2 * room)
        half = (1 << width) - 1
        steps.append(
            (sum(half << start for start in starts), sum(half << start + width for start in starts), room - width)
        )
    return steps


_HALVINGS = _halvings()


def labels_in_python(a: bytes, b: bytes, c: bytes, d: bytes) -> tuple[str, str, str, str]:
    """`sha1:BASE32` of four SHA-1s, the form that every WARC tool writes (WARC/1.1 5.8).

    A capture needs four, and base64.b32encode takes longer for one of them than this for all: each five bytes get room
    for eight, the bits are dealt out to those by arithmetic on one large number, and all become letters in one look-up.
    """
    bits = int.from_bytes(_FIVES_IN_EIGHTS.pack(*_FIVES.unpack(b"".join((a, b, c, d)))), "big")
    for lower, upper, shift in _HALVINGS:
        bits = bits & lower | (bits & upper) << shift
    all_four = bits.to_bytes(_FIVES_IN_EIGHTS.size, "big").translate(_BASE32).decode("ascii")
    return f"sha1:{all_four[:32]}", f"sha1:{all_four[32:64]}", f"sha1:{all_four[64:96]}", f"sha1:{all_four[96:]}"


def _quickest_labels() -> Callable[[bytes, bytes, bytes, bytes], tuple[str, str, str, str]]:
    extension = usable_extension()
    return labels_in_python if extension is None else extension.sha1_labels


sha1_labels = _quickest_labels()
"""`sha1:BASE32` of four SHA-1s; by the native extension, where there is one, in a fifth of the time."""


def sha1_digest(data: bytes | memoryview) -> bytes:
    """The SHA-1 of some bytes."""
    return hashlib.sha1(data, usedforsecurity=False).digest()


def sha1_of(data: bytes | memoryview) -> str:
    """`sha1:BASE32` of some bytes."""
    digest = sha1_digest(data)
    return sha1_labels(digest, digest, digest, digest)[0]


class RecordIds:
    """Random UUIDs (RFC 9562 version 4) as `urn:uuid:…`, made in batches because a system call for each costs more.

    Not to be carried over a fork: both halves would give out the same ones.
    """

    def __init__(self) -> None:
        self._ready: list[tuple[str, str, str]] = []

    def take(self) -> tuple[str, str, str]:
        """Three that nobody else has, as many as a capture needs."""
        try:
            return self._ready.pop()
        except IndexError:
            made = _uuids()
            batch = list(zip(made[::3], made[1::3], made[2::3], strict=True))
            self._ready += batch[1:]
            return batch[0]


def _uuids() -> list[str]:
    bits = int.from_bytes(os.urandom(16 * _ID_BATCH), "big") & _RANDOM_BITS | _KIND_BITS
    digits = bits.to_bytes(16 * _ID_BATCH, "big").hex().encode()
    return (_UUID_TEMPLATES % _UUID_PARTS.unpack(digits)).decode("ascii").split()


def header_value(text: str) -> str:
    """Text as the value of a header, in printable ASCII: runs of anything else become one `?`."""
    if text.isascii() and text.isprintable():
        return text
    return _UNPRINTABLE.sub("?", text)


def warc_fields(pairs: Iterable[tuple[str, str]]) -> bytes:
    """A block of type application/warc-fields (WARC/1.1 4); control characters are replaced, UTF-8 is kept."""
    return "".join([f"{name}: {one_line(value)}\r\n" for name, value in pairs]).encode("utf-8", "replace")


def one_line(text: str) -> str:
    """Text as the value of such a field: each character that cannot be printed becomes a `?`."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "?" for c in text)
