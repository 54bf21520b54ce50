"""Members: each is one, and whole."""

from __future__ import annotations

import gzip
import random
import zlib

import pytest

from gossamer.warc.member import member_pieces, members


def _text(size: int) -> bytes:
    """Text that compresses as a record's head does: words, numbers and digests."""
    rng = random.Random(size)
    words = (b"WARC-Type: ", b"http://example.org/", b"sha1:", b"Content-Length: ", b"\r\n")
    made = b"".join(rng.choice(words) + b"%x" % rng.getrandbits(64) for _ in range(size // 16))
    return made[:size]


@pytest.mark.parametrize("level", [0, 1, 2, 3])
@pytest.mark.parametrize("size", [0, 1, 700, 4096, 4097, 100_000])
def test_a_member_is_one_and_whole(size: int, level: int) -> None:
    data = _text(size)
    for member, block in zip(members([data, data[:10]], level), [data, data[:10]], strict=True):
        inflate = zlib.decompressobj(31)
        assert inflate.decompress(member) == block
        assert inflate.eof and not inflate.unused_data
    assert gzip.decompress(b"".join(member_pieces([data[:10], data[10:]], level))) == data
