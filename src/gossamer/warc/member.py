"""Gzip members: every record of the archive is one, so that a reader can begin at any record (WARC/1.1 annex D).

The only file that knows isal. At level 2 it is nine times as fast as zlib at its default level for the same size of
result, within a few per cent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from isal import isal_zlib

_GZIP_WINDOW = 31
"""15 bits of window, with a gzip header and trailer."""
SMALL = 1024
"""Bytes of data below which levels 1 and 2 are not worth it: they lay out tables for 17 µs, to save 140 bytes of the 550
of a request's record at level 0, which takes 2 µs. A page has two such records, beside one of 7 KB on average.
"""
_LEVEL_OF_SMALL = (0, 0, 0, 3)
"""By the level asked for: who asks for the highest wants the smallest."""


def member(data: bytes, level: int) -> bytes:
    """One whole gzip member of `data`; `level` is isal's, 0-3."""
    return isal_zlib.compress(data, level if len(data) >= SMALL else _LEVEL_OF_SMALL[level], _GZIP_WINDOW)


def member_pieces(pieces: Iterable[bytes], level: int) -> Iterator[bytes]:
    """One gzip member, piece by piece; never holds more than isal's window."""
    compressor = isal_zlib.compressobj(level, isal_zlib.DEFLATED, _GZIP_WINDOW)
    for piece in pieces:
        compressed = compressor.compress(piece)
        if compressed:
            yield compressed
    yield compressor.flush()
