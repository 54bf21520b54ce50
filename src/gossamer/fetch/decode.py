"""Content codings undone (RFC 9110 8.4), for extraction only; the archive keeps the wire bytes. Pure.

Nothing a server sends is an error here. What can be decoded is returned, up to a limit, and what was odd is named: a
truncated or damaged body gives its decoded prefix, a body that is not coded at all is taken as it is, an unknown coding
is none. Several codings are undone in turn up to a number of layers, each within the limit, so that no bomb costs more
than layers times limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, cast

# The module `brotli` is only a front to this one; a package called brotlipy, which some archiving tools bring along,
# takes its name and cannot bound its output.
import _brotli  # type: ignore[import-not-found]
import zstandard
from isal import isal_zlib

_MAX_MEMBERS = 64
"""Gzip members read one after the other; each costs a copy of what follows it."""
_ZSTD_WINDOW = 8 * 1024 * 1024
"""RFC 9659 3: what a decoder must support for this content coding, and so the most it need."""
_ZSTD_FRAME = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")
_ZSTD_PIECE = 512
"""Input fed at a time. A block has at least 4 bytes and gives at most 128 KiB (RFC 8878 3.1.1.2): 16 MiB a piece."""
_PIECE = 64 * 1024
_SMALL_PIECE = 256
"""Input fed at a time when a stream is known to be damaged: this much output is lost at most before the damage."""

TRUNCATED = "decodeTruncated"
"""The coded stream ended early or was damaged."""
LIMITED = "decodeLimited"
"""There was more than the limit."""
JUNK = "decodeJunk"
"""Something followed the coded stream; it was ignored."""
NOT_CODED = "decodeNotCoded"
"""The body is not in the coding it is said to be; it was taken as it is."""
UNKNOWN = "decodeUnknown"
"""An unknown coding; what is inside it was left as it is."""
TOO_DEEP = "decodeTooDeep"
"""More layers than are undone."""


# isal's stubs type its error as an instance.
_DamagedError = cast("type[Exception]", isal_zlib.error)


class Decoded(NamedTuple):
    """What came out."""

    data: bytes
    flags: tuple[str, ...] = ()
    """Short words for crawl.log, each at most once."""


_Decoder = Callable[[bytes, int], tuple[bytes, list[str]]]


def decode(data: bytes, content_encoding: Sequence[bytes], *, max_decoded: int, max_layers: int) -> Decoded:
    """Undo the codings named by the Content-Encoding header values, last one first.

    `max_decoded` bounds what is returned, and every layer between, in bytes.
    """
    if not content_encoding and len(data) <= max_decoded:
        return Decoded(data)
    codings = [name.strip().lower() for value in content_encoding for name in value.split(b",")]
    flags: list[str] = []
    layers = 0
    for coding in reversed(codings):
        if coding in _NO_CODING:
            continue
        decoder = _DECODERS.get(coding)
        if decoder is None:
            flags.append(UNKNOWN)
            break
        layers += 1
        if layers > max_layers:
            flags.append(TOO_DEEP)
            break
        if data:
            data, odd = decoder(data, max_decoded)
            flags += odd
    if len(data) > max_decoded:
        data = data[:max_decoded]
        flags.append(LIMITED)
    return Decoded(data, tuple(dict.fromkeys(flags)))


def _gunzip(data: bytes, limit: int) -> tuple[bytes, list[str]]:
    if not data.startswith(b"\x1f\x8b"):
        return data, [NOT_CODED]
    pieces: list[bytes] = []
    flags: list[str] = []
    for _ in range(_MAX_MEMBERS):
        member, rest, flags = _inflate(data, limit, 31)
        pieces.append(member)
        limit -= len(member)
        data = rest.lstrip(b"\0")
        if flags or not data:
            break
        if not data.startswith(b"\x1f\x8b"):
            flags = [JUNK]
            break
    else:
        flags = [JUNK]
    return b"".join(pieces), flags


def _undeflate(data: bytes, limit: int) -> tuple[bytes, list[str]]:
    """zlib's wrapping as the RFC says, or raw deflate as some servers understood it."""
    has_header = len(data) > 1 and data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0
    for window_bits in (15, -15) if has_header else (-15,):
        decoded, rest, flags = _inflate(data, limit, window_bits)
        if decoded or not flags:
            return decoded, flags or ([JUNK] if rest else [])
    return data, [NOT_CODED]


def _inflate(data: bytes, limit: int, window_bits: int) -> tuple[bytes, bytes, list[str]]:
    """One deflate stream: what it holds, what follows it, and what was odd."""
    stream = isal_zlib.decompressobj(window_bits)
    try:
        # One byte more than is wanted tells a stream that ends at the limit from one that goes on.
        decoded = stream.decompress(data, limit + 1)
    except _DamagedError:
        return _inflate_damaged(data, limit, window_bits), b"", [TRUNCATED]
    if len(decoded) > limit:
        return decoded[:limit], b"", [LIMITED]
    return decoded, stream.unused_data, [] if stream.eof else [TRUNCATED]


def _inflate_damaged(data: bytes, limit: int, window_bits: int) -> bytes:
    """What comes before the damage."""
    stream = isal_zlib.decompressobj(window_bits)
    decoded = bytearray()
    try:
        for start in range(0, len(data), _SMALL_PIECE):
            piece = stream.unconsumed_tail + data[start : start + _SMALL_PIECE]
            decoded += stream.decompress(piece, limit + 1 - len(decoded))
            if len(decoded) > limit:
                break
    except _DamagedError:
        pass  # This is the damage.
    return bytes(decoded[:limit])


def _unbrotli(data: bytes, limit: int) -> tuple[bytes, list[str]]:
    # The decoder throws away the output of the piece that it fails in, and junk behind the end makes it fail: so come
    # back to the failure with ever smaller pieces.
    failed_at = 0
    decoded = b""
    flags: list[str] = []
    for size in (_PIECE, 256, 1):
        decoded, flags, failed_at = _unbrotli_by(data, limit, failed_at, size)
        if flags != [TRUNCATED] or failed_at >= len(data):
            break
    return (decoded, flags) if decoded or not flags else (data, [NOT_CODED])


def _unbrotli_by(data: bytes, limit: int, careful_from: int, size: int) -> tuple[bytes, list[str], int]:
    """Decode in pieces of `size` from `careful_from` on; also where the piece begins that could not be decoded."""
    stream = _brotli.Decompressor()
    decoded = bytearray()
    start = 0
    try:
        while start < len(data):
            if stream.is_finished():
                return bytes(decoded), [JUNK], start
            end = min(start + _PIECE, careful_from) if start < careful_from else start + size
            piece = stream.process(data[start:end], output_buffer_limit=_PIECE)
            while piece:
                decoded += piece
                if len(decoded) > limit:
                    return bytes(decoded[:limit]), [LIMITED], start
                piece = b"" if stream.is_finished() else stream.process(b"", output_buffer_limit=_PIECE)
            start = end
    except _brotli.error:
        return bytes(decoded), [TRUNCATED], start
    return bytes(decoded), [] if stream.is_finished() else [TRUNCATED], len(data)


def _unzstd(data: bytes, limit: int) -> tuple[bytes, list[str]]:
    if not _ZSTD_FRAME.match(data):
        return data, [NOT_CODED]
    decoded = bytearray()
    for _ in range(_MAX_MEMBERS):
        rest, flags = _unzstd_frame(data, limit, decoded)
        if len(decoded) > limit:
            return bytes(decoded[:limit]), [LIMITED]
        if flags or not rest:
            return bytes(decoded), flags
        if not _ZSTD_FRAME.match(rest):
            break
        data = rest
    return bytes(decoded), [JUNK]


def _unzstd_frame(data: bytes, limit: int, decoded: bytearray) -> tuple[bytes, list[str]]:
    """Add one frame's content to `decoded`, hardly more than `limit` of it; what follows the frame, what was odd."""
    stream = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()
    try:
        for start in range(0, len(data), _ZSTD_PIECE):
            decoded += stream.decompress(data[start : start + _ZSTD_PIECE])
            if stream.eof:
                return stream.unused_data + data[start + _ZSTD_PIECE :], []
            if len(decoded) > limit:
                break
    except zstandard.ZstdError:
        pass  # Damaged, or wants a larger window than it may have: what came before stands.
    return b"", [TRUNCATED]


_NO_CODING = frozenset({b"", b"identity", b"none"})
_DECODERS: dict[bytes, _Decoder] = {
    b"gzip": _gunzip,
    b"x-gzip": _gunzip,
    b"deflate": _undeflate,
    b"br": _unbrotli,
    b"zstd": _unzstd,
}
