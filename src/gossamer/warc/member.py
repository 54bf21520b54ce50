"""Gzip members: every record of the archive is one, so that a reader can begin at any record (WARC/1.1 annex D).

The only file that knows isal. At level 2 it is nine times as fast as zlib at its default level for the same size of
result, within a few per cent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import repeat

from isal import isal_zlib

_GZIP_WINDOW = 31
"""15 bits of window, with a gzip header and trailer."""


def members(blocks: Iterable[bytes], level: int) -> list[bytes]:
    """One whole gzip member of each block; `level` is isal's, 0-3."""
    return list(map(isal_zlib.compress, blocks, repeat(level), repeat(_GZIP_WINDOW)))


def member_pieces(pieces: Iterable[bytes], level: int) -> Iterator[bytes]:
    """One gzip member, piece by piece; never holds more than isal's window."""
    compressor = isal_zlib.compressobj(level, isal_zlib.DEFLATED, _GZIP_WINDOW)
    for piece in pieces:
        compressed = compressor.compress(piece)
        if compressed:
            yield compressed
    yield compressor.flush()
