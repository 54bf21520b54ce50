"""Content codings undone, whatever their state."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import _brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from gossamer.fetch import decode as codings
from gossamer.fetch.decode import Decoded, decode

TEXT = b"".join(b"<p>line %d of %d</p>\n" % (n, n * 7919 % 1000) for n in range(4000))


def undo(data: bytes, *encodings: bytes, max_decoded: int = 10**6, max_layers: int = 5) -> Decoded:
    return decode(data, encodings, max_decoded=max_decoded, max_layers=max_layers)


def deflate_raw(data: bytes) -> bytes:
    compressor = zlib.compressobj(6, zlib.DEFLATED, -15)
    return compressor.compress(data) + compressor.flush()


def brotli(data: bytes) -> bytes:
    compressor = _brotli.Compressor(quality=5)
    return bytes(compressor.process(data) + compressor.finish())


def zstd_blocks(data: bytes) -> bytes:
    """As a server that streams: without the content's size, in many blocks."""
    compressor = zstandard.ZstdCompressor().compressobj()
    pieces = [
        compressor.compress(data[start : start + 4000]) + compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        for start in range(0, len(data), 4000)
    ]
    return b"".join(pieces) + compressor.flush()


CODERS: dict[str, tuple[bytes, Callable[[bytes], bytes]]] = {
    "gzip": (b"gzip", gzip.compress),
    "x-gzip": (b"X-GZip", gzip.compress),
    "deflate with header": (b"deflate", zlib.compress),
    "raw deflate": (b"deflate", deflate_raw),
    "br": (b"br", brotli),
    "zstd": (b"zstd", zstd_blocks),
}
every_coder = pytest.mark.parametrize("coder", CODERS)


@every_coder
def test_a_coded_body_is_decoded(coder: str) -> None:
    name, code = CODERS[coder]
    assert undo(code(TEXT), name) == Decoded(TEXT)
    assert undo(code(b""), name).data == b""


@every_coder
def test_a_truncated_body_gives_its_prefix_and_says_so(coder: str) -> None:
    """H73."""
    name, code = CODERS[coder]
    coded = code(TEXT)
    decoded = undo(coded[: len(coded) * 2 // 3], name)
    assert decoded.flags == (codings.TRUNCATED,)
    assert len(decoded.data) > 10_000 and TEXT.startswith(decoded.data) and decoded.data != TEXT


@every_coder
def test_junk_behind_the_stream_is_ignored(coder: str) -> None:
    """H76."""
    name, code = CODERS[coder]
    assert undo(code(TEXT) + b"trailing junk " * 100, name) == Decoded(TEXT, (codings.JUNK,))


@every_coder
def test_a_body_that_is_not_coded_is_taken_as_it_is(coder: str) -> None:
    """H74."""
    name, _ = CODERS[coder]
    assert undo(TEXT, name) == Decoded(TEXT, (codings.NOT_CODED,))


@every_coder
def test_output_ends_exactly_at_the_limit(coder: str) -> None:
    name, code = CODERS[coder]
    coded = code(TEXT)
    assert undo(coded, name, max_decoded=1000) == Decoded(TEXT[:1000], (codings.LIMITED,))
    assert undo(coded, name, max_decoded=len(TEXT)) == Decoded(TEXT)
    assert undo(coded, name, max_decoded=len(TEXT) - 1) == Decoded(TEXT[:-1], (codings.LIMITED,))


@every_coder
@pytest.mark.parametrize("part", [0.3, 0.7])
def test_a_damaged_body_gives_what_came_before_the_damage(coder: str, part: float) -> None:
    name, code = CODERS[coder]
    coded = bytearray(code(TEXT))
    place = int(len(coded) * part)
    coded[place : place + 40] = b"\xff\x00" * 20
    decoded = undo(bytes(coded), name)
    assert TEXT.startswith(decoded.data[:1000]) and len(decoded.data) > 1000


@pytest.mark.parametrize("coder", ["gzip", "br", "zstd"])
def test_a_bomb_is_stopped_at_the_limit(coder: str) -> None:
    """H70, H71: 100 MB of zeros."""
    name, code = CODERS[coder]
    assert undo(code(bytes(100_000_000)), name, max_decoded=10**6) == Decoded(bytes(10**6), (codings.LIMITED,))


def test_a_zstd_block_bomb_gives_little_more_than_the_limit_at_a_time() -> None:
    """25,000 blocks of 4 bytes, 128 KiB each when decoded."""
    block = ((131072 << 3) | 2).to_bytes(3, "little") + b"a"
    frame = b"\x28\xb5\x2f\xfd\x00\x58" + block * 25_000
    assert undo(frame, b"zstd", max_decoded=10**6) == Decoded(b"a" * 10**6, (codings.LIMITED,))


def test_a_zstd_window_beyond_8_mib_is_refused() -> None:
    """H71."""
    parameters = zstandard.ZstdCompressionParameters(window_log=27)
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    assert undo(compressor.compress(TEXT) + compressor.flush(), b"zstd") == Decoded(b"", (codings.TRUNCATED,))


def test_several_members_or_frames_are_one_body() -> None:
    assert undo(gzip.compress(TEXT[:999]) + gzip.compress(TEXT[999:]), b"gzip") == Decoded(TEXT)
    assert undo(gzip.compress(TEXT) + bytes(1000), b"gzip") == Decoded(TEXT)
    assert undo(zstd_blocks(TEXT[:999]) + zstd_blocks(TEXT[999:]), b"zstd") == Decoded(TEXT)


def test_a_hundred_thousand_empty_members_are_not_read() -> None:
    assert undo(gzip.compress(b"") * 100_000, b"gzip") == Decoded(b"", (codings.JUNK,))


def test_codings_are_undone_last_one_first() -> None:
    assert undo(gzip.compress(brotli(TEXT)), b"br, gzip") == Decoded(TEXT)
    assert undo(gzip.compress(brotli(TEXT)), b"br", b"gzip") == Decoded(TEXT)


def test_no_more_layers_are_undone_than_allowed() -> None:
    """H72."""
    data = TEXT
    for _ in range(20):
        data = gzip.compress(data)
    decoded = undo(data, b", ".join([b"gzip"] * 20))
    assert decoded.flags == (codings.TOO_DEEP,) and decoded.data.startswith(b"\x1f\x8b")


@pytest.mark.parametrize("name", [b"foo", b"utf-8", b"compress", b"\xff"])
def test_an_unknown_coding_is_none(name: bytes) -> None:
    """H79."""
    assert undo(TEXT, name) == Decoded(TEXT, (codings.UNKNOWN,))


@pytest.mark.parametrize("name", [b"", b"identity", b"none", b", ,"])
def test_no_coding_is_none(name: bytes) -> None:
    assert undo(TEXT, name) == Decoded(TEXT)
    assert undo(TEXT, name, max_decoded=10) == Decoded(TEXT[:10], (codings.LIMITED,))


def test_a_gzip_header_that_never_ends_gives_nothing() -> None:
    """H81."""
    for flags in (0x08, 0x10, 0x04, 0xE0):
        decoded = undo(b"\x1f\x8b\x08" + bytes([flags]) + b"\0\0\0\0\0\0" + b"c" * 1_000_000, b"gzip")
        assert decoded.flags and len(decoded.data) < 10**6


@given(st.sampled_from([b"gzip", b"deflate", b"br", b"zstd"]), st.binary(max_size=400), st.booleans())
def test_rubbish_is_never_an_error_and_never_beyond_the_limit(name: bytes, rubbish: bytes, with_magic: bool) -> None:
    magic = {b"gzip": b"\x1f\x8b\x08\0", b"deflate": b"x\x9c", b"br": b"", b"zstd": b"\x28\xb5\x2f\xfd"}[name]
    decoded = undo((magic if with_magic else b"") + rubbish, name, max_decoded=100)
    assert len(decoded.data) <= 100
