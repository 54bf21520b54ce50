"""WarcReader: one record after another from a compressed WARC file, ours or another's, checking all it passes.

Memory is bounded whatever stands in the file: a member is inflated 64 KiB at a time and never kept, a header block may
have 256 KiB. The gzip CRC, the length in the header, the end of the record, and both digests are compared with what is
really there. Deliberately on zlib, not on the library that wrote the file.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import zlib
from typing import BinaryIO

import msgspec

from gossamer.warc.fields import Hash

PIECE = 64 * 1024
MAX_HEAD = 256 * 1024

_GZIP_WINDOW = 31
_MAGIC = b"\x1f\x8b"
_HEAD_END = b"\r\n\r\n"
_ALGORITHMS = frozenset({"md5", "sha1", "sha224", "sha256", "sha384", "sha512"})
_STATUS = re.compile(rb"\S+[ \t]+([0-9]{3})(?![0-9])")


class DamagedRecord(ValueError):
    """What stands at `offset` is not a whole record."""

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(f"at byte {offset}: {reason}")
        self.offset = offset
        self.reason = reason


class RecordFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One whole record, read and checked."""

    start: int
    """Where its gzip member begins in the file."""
    end: int
    kind: str
    """WARC-Type."""
    record_id: str
    """Without its angle brackets."""
    headers: dict[str, str]
    """Names in lower case; the first of each."""
    http_status: int | None = None
    http_headers: dict[str, str] = {}
    """Of an HTTP response or request block; the first of each."""
    has_block_digest: bool = False
    wrong: tuple[str, ...] = ()
    """Digests that differ from what the record says."""


class WarcReader:
    """Where one is in the file, and what was read ahead."""

    def __init__(self, file: BinaryIO, start: int = 0) -> None:
        """`file` must be seekable; `start` is where a record begins."""
        file.seek(start)
        self._file = file
        self._ahead = b""
        self.offset = start
        """Where the next record begins."""

    def is_at_end(self) -> bool:
        """Whether the file ends here."""
        if not self._ahead:
            self._ahead = self._file.read(PIECE)
        return not self._ahead

    def read(self) -> RecordFacts:
        """The next record. Raises DamagedRecord, after which nothing more can be read."""
        start = self.offset
        if self.is_at_end():
            raise DamagedRecord(start, "the file ends where a record should begin")
        if len(self._ahead) < len(_MAGIC):
            self._ahead += self._file.read(PIECE)
        if not self._ahead.startswith(_MAGIC):
            raise DamagedRecord(start, self._what_stands_here())
        member = _Member(self._file, self._ahead, start)
        facts = _read_record(member, start)
        self._ahead = member.rest
        self.offset = self._file.tell() - len(self._ahead)
        return msgspec.structs.replace(facts, end=self.offset)

    def _what_stands_here(self) -> str:
        """Zeros to the end are what a power loss leaves; `gzip -t` does not mind them."""
        piece = self._ahead
        while piece:
            if piece.count(0) != len(piece):
                return "no gzip member begins here"
            piece = self._file.read(PIECE)
        return "zeros from here to the end"


class _Member:
    """One gzip member, inflated piece by piece."""

    def __init__(self, file: BinaryIO, ahead: bytes, start: int) -> None:
        self._file = file
        self._input = ahead
        self._start = start
        self._inflate = zlib.decompressobj(_GZIP_WINDOW)

    def piece(self) -> bytes:
        """The next bytes; empty at the end of the member, its CRC and length being right."""
        while not self._inflate.eof:
            data = self._input or self._inflate.unconsumed_tail or self._file.read(PIECE)
            self._input = b""
            try:
                out = self._inflate.decompress(data, PIECE)
            except zlib.error as exc:
                raise DamagedRecord(self._start, f"the gzip member is damaged ({exc})") from exc
            if out:
                return out
            if not data and not self._inflate.eof:
                raise DamagedRecord(self._start, "the file ends within a gzip member")
        return b""

    @property
    def rest(self) -> bytes:
        """What was read of the file beyond the member."""
        return self._inflate.unused_data


def _read_record(member: _Member, start: int) -> RecordFacts:
    head, begun = _take_head(member, start)
    headers = _parse_warc_head(head, start)
    length = headers.get("content-length", "")
    if not (length.isascii() and length.isdigit()):
        raise DamagedRecord(start, "Content-Length is missing or no number")
    block = _BlockCheck(headers)
    _read_block(member, begun, int(length), block, start)
    return RecordFacts(
        start=start,
        end=start,
        kind=headers.get("warc-type", ""),
        record_id=headers.get("warc-record-id", "").strip("<>"),
        headers=headers,
        http_status=block.http_status(),
        http_headers=block.http_headers(),
        has_block_digest="warc-block-digest" in headers,
        wrong=block.wrong(),
    )


def _take_head(member: _Member, start: int) -> tuple[bytes, bytes]:
    """The header block without its end, and what was inflated beyond it."""
    buffer = b""
    while _HEAD_END not in buffer:
        piece = member.piece()
        if not piece:
            raise DamagedRecord(start, "the header has no end")
        buffer += piece
        if len(buffer) > MAX_HEAD and _HEAD_END not in buffer[:MAX_HEAD]:
            raise DamagedRecord(start, f"the header is longer than {MAX_HEAD} bytes")
    head, _, begun = buffer.partition(_HEAD_END)
    return head, begun


def _parse_warc_head(head: bytes, start: int) -> dict[str, str]:
    version, *lines = head.decode("utf-8", "replace").split("\r\n")
    if not version.startswith("WARC/"):
        raise DamagedRecord(start, "no WARC record begins here")
    return _parse_fields(lines)


def _parse_fields(lines: list[str]) -> dict[str, str]:
    """Header fields, names in lower case, the first of each."""
    fields: dict[str, str] = {}
    name = ""
    for line in lines:
        if line[:1] in (" ", "\t"):
            if name:
                fields[name] += " " + line.strip()
            continue
        before, colon, value = line.partition(":")
        name = before.strip().lower() if colon else ""
        if name in fields:
            name = ""
        if name:
            fields[name] = value.strip()
    return fields


def _read_block(member: _Member, begun: bytes, length: int, block: _BlockCheck, start: int) -> None:
    """Pass `length` bytes to the check; behind them the record must end, and the member with it."""
    left = length
    piece = begun
    while left > 0:
        if not piece:
            piece = member.piece()
            if not piece:
                raise DamagedRecord(start, f"the record ends {left} bytes before its Content-Length")
        block.update(piece[:left])
        piece, left = piece[left:], max(0, left - len(piece))
    while len(piece) <= len(_HEAD_END):
        more = member.piece()
        if not more:
            break
        piece += more
    if piece != _HEAD_END:
        raise DamagedRecord(start, "behind Content-Length does not come the end of the record")


class _BlockCheck:
    """The digests of a block and, if it is HTTP, its head. The payload begins by the rule in `payload`."""

    def __init__(self, headers: dict[str, str]) -> None:
        self._block = _Digest.of(headers.get("warc-block-digest"))
        self._payload = _Digest.of(headers.get("warc-payload-digest"))
        self._is_http = headers.get("content-type", "").replace(" ", "").lower().startswith("application/http")
        self._head = b""
        self._is_in_head = self._is_http
        if headers.get("warc-type") == "revisit":
            # Its digest is that of the payload it stands for, which is not in the record.
            self._payload = None

    def update(self, data: bytes) -> None:
        if self._block is not None:
            self._block.hash.update(data)
        if self._is_in_head:
            data = self._end_of_head(data)
        if self._payload is not None and data:
            self._payload.hash.update(data)

    def _end_of_head(self, data: bytes) -> bytes:
        """Add to the head; what lies beyond it."""
        self._head += data
        end = self._head.find(_HEAD_END)
        if end < 0:
            if len(self._head) > 4 * MAX_HEAD:
                self._is_in_head, self._payload = False, None
            return b""
        self._is_in_head = False
        self._head, beyond = self._head[:end], self._head[end + len(_HEAD_END) :]
        return beyond

    def wrong(self) -> tuple[str, ...]:
        named = (("WARC-Block-Digest", self._block), ("WARC-Payload-Digest", self._payload))
        return tuple(name for name, digest in named if digest is not None and not digest.is_right())

    def http_status(self) -> int | None:
        found = _STATUS.match(self._head) if self._is_http else None
        return int(found[1]) if found else None

    def http_headers(self) -> dict[str, str]:
        if not self._is_http:
            return {}
        return _parse_fields(self._head.decode("latin-1").split("\r\n")[1:])


class _Digest:
    """One digest as a record claims it, and the hash that will tell."""

    def __init__(self, algorithm: str, claimed: str) -> None:
        self.hash: Hash = hashlib.new(algorithm, usedforsecurity=False)
        self._claimed = claimed

    @classmethod
    def of(cls, label: str | None) -> _Digest | None:
        """From `sha1:BASE32` or `sha256:hex`; None if there is none, or of a kind nobody here can check."""
        algorithm, _, claimed = (label or "").partition(":")
        algorithm = algorithm.strip().lower().replace("-", "")
        return cls(algorithm, claimed.strip()) if algorithm in _ALGORITHMS else None

    def is_right(self) -> bool:
        digest = self.hash.digest()
        if self._claimed.lower() == digest.hex():
            return True
        try:
            return base64.b32decode(self._claimed + "=" * (-len(self._claimed) % 8), casefold=True) == digest
        except binascii.Error:
            return False
