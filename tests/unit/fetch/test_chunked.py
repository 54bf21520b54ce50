"""The chunked coding, in whatever pieces it arrives."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.fetch.chunked import ChunkReader


def read(pieces: list[bytes], limit: int = 10**6, allowance: int = 10**4) -> tuple[ChunkReader, int]:
    """Feed pieces until the end; also how many bytes belong to the body."""
    reader = ChunkReader(limit, allowance)
    taken = 0
    for piece in pieces:
        taken += reader.feed(piece, 0, len(piece))
        if reader.is_done or reader.is_broken:
            break
    return reader, taken


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[a:b] for a, b in pairwise(edges)]


@given(
    st.lists(st.binary(min_size=1, max_size=50), max_size=8),
    st.sampled_from([b"\r\n", b"\n"]),
    st.sampled_from([b"", b";x=y", b" "]),
    st.lists(st.integers(min_value=0), max_size=12),
    st.binary(max_size=20),
)
def test_a_body_is_the_same_however_it_is_cut(
    chunks: list[bytes], line_end: bytes, extension: bytes, places: list[int], extra: bytes
) -> None:
    coded = b"".join(b"%x%b%b%b%b" % (len(c), extension, line_end, c, line_end) for c in chunks)
    coded += b"0" + line_end + b"Trailer: x" + line_end + line_end
    reader, taken = read(cut(coded + extra, places))
    assert reader.is_done and not reader.is_broken
    assert reader.payload == b"".join(chunks)
    assert taken == len(coded)


@given(st.lists(st.binary(max_size=30), max_size=10))
def test_rubbish_is_never_an_error_and_never_read_beyond_its_end(pieces: list[bytes]) -> None:
    _, taken = read(pieces)
    assert taken <= sum(map(len, pieces))


@given(st.binary(min_size=1, max_size=200), st.lists(st.integers(min_value=0), max_size=12))
def test_whether_a_body_is_broken_does_not_depend_on_how_it_is_cut(data: bytes, places: list[int]) -> None:
    whole, _ = read([data])
    pieces, _ = read(cut(data, places))
    assert (pieces.is_done, pieces.is_broken, pieces.payload) == (whole.is_done, whole.is_broken, whole.payload)


@pytest.mark.parametrize(
    "line", [b"zz\r\n", b"-1\r\n", b"+1\r\n", b"0x1\r\n", b"1_0\r\n", b"\r\n", b"1 1\r\n", b"f" * 16 + b"\r\n"]
)
def test_what_is_no_size_breaks_the_body_and_keeps_what_came_before(line: bytes) -> None:
    reader, _ = read([b"3\r\nabc\r\n" + line + b"x" * 99])
    assert reader.is_broken and not reader.is_done and reader.payload == b"abc"


def test_payload_beyond_the_limit_is_skipped() -> None:
    reader, taken = read([b"3\r\nabc\r\n", b"a\r\n01234", b"56789\r\n0\r\n\r\n"], limit=5)
    assert reader.is_done and reader.payload == b"abc01"
    assert taken == 28


def test_trailers_beyond_the_allowance_break_a_body_that_is_whole() -> None:
    reader, _ = read([b"3\r\nabc\r\n0\r\n", *[b"X: " + b"y" * 1000 + b"\r\n"] * 20])
    assert reader.is_broken and reader.is_last and reader.payload == b"abc"


def test_a_line_that_never_ends_is_not_kept() -> None:
    reader = ChunkReader(100, 10**6)
    for _ in range(900):
        reader.feed(b"1;" + b"x" * 998 if not reader._partial else b"x" * 1000, 0, 1000)
    assert not reader.is_broken and len(reader._partial) <= 64
    for _ in range(200):
        reader.feed(b"x" * 1000, 0, 1000)
    assert reader.is_broken
