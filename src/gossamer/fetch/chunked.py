"""ChunkReader: the chunked transfer coding (RFC 9112 7.1), read piece by piece as it arrives. Pure.

Payload is gathered in one buffer up to a limit; beyond it is only skipped. Nothing is kept per chunk, and a piece of
input is looked at once, so a million one-byte chunks cost a million steps and no memory. Extensions and trailers are
skipped within one allowance for the whole body. Lines may end with a bare LF. What is not a chunk size ends the body:
it is broken, and what came before it stands.
"""

from __future__ import annotations

import re

_PLAIN_SIZE_LINE = re.compile(rb"([0-9a-fA-F]{1,15})\r\n")
_SIZE_LINE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")
_SIZE_LINE_START = re.compile(rb"[ \t]*(?:[0-9a-fA-F]{1,15}[ \t]*(?:;[^\n]*|\r)?)?")
_LONGEST_PLAIN_LINE = 32
"""A size line this long or shorter is not charged to the allowance."""


class ChunkReader:
    """Feed it what follows the head."""

    __slots__ = (
        "_allowance",
        "_at_trailers",
        "_left",
        "_limit",
        "_partial",
        "is_broken",
        "is_done",
        "is_last",
        "payload",
    )

    def __init__(self, limit: int, allowance: int) -> None:
        """Keep `limit` bytes of payload; `allowance` bytes for all extensions and trailers together."""
        self._limit = limit
        self._allowance = allowance
        self._left = 0
        """Bytes of the current chunk still to come, its closing line end included; 0 = a size line comes next."""
        self._partial = b""
        """A line whose end has not arrived."""
        self._at_trailers = False
        self.payload = bytearray()
        self.is_last = False
        """The last chunk came, so the payload is whole, though trailers may be cut."""
        self.is_done = False
        self.is_broken = False

    def feed(self, data: bytes, start: int, stop: int) -> int:
        """Read `data[start:stop]`; the index at which the body ended, or `stop` if it goes on (or broke)."""
        position = start
        if self._partial:
            return self._feed_partial(data, start, stop)
        while position < stop:
            if not self._left and not self._at_trailers:
                position = self._whole_chunks(data, position, stop)
                if position >= stop:
                    break
            if self._at_trailers:
                position = self._trailer(data, position, stop)
            elif self._left:
                position = self._chunk(data, position, stop)
            else:
                position = self._size(data, position, stop)
            if self.is_done or self.is_broken:
                break
        return stop if self.is_broken else position

    def _whole_chunks(self, data: bytes, position: int, stop: int) -> int:
        """Read chunks that are all there and plainly written; the index of the first that is not."""
        payload = self.payload
        room = self._limit - len(payload)
        match_line = _PLAIN_SIZE_LINE.match
        while match := match_line(data, position, stop):
            begin = match.end()
            size = int(match[1], 16)
            end = begin + size
            if not size or end + 2 > stop or data[end] != 0x0D or data[end + 1] != 0x0A:
                break
            if room > 0:
                payload += data[begin : min(end, begin + room)]
                room -= size
            position = end + 2
        return position

    def _feed_partial(self, data: bytes, start: int, stop: int) -> int:
        """Complete the line that began in earlier pieces, then go on behind it."""
        end = data.find(b"\n", start, stop)
        piece = data[start : stop if end < 0 else end + 1]
        if len(self._partial) + len(piece) > _LONGEST_PLAIN_LINE:
            self._allowance -= len(piece)
            if self._allowance < 0:
                self.is_broken = True
                return stop
        # Only the beginning of a long line is of interest: its size, or that it is not empty.
        line = self._partial[: 2 * _LONGEST_PLAIN_LINE] + piece
        if end < 0:
            self._set_partial(line)
            return stop
        self._partial = b""
        if self._at_trailers:
            self.is_done = line in (b"\r\n", b"\n")
        else:
            self._open(line)
        if self.is_broken:
            return stop
        return end + 1 if self.is_done else self.feed(data, end + 1, stop)

    def _size(self, data: bytes, position: int, stop: int) -> int:
        end = data.find(b"\n", position, stop)
        if end < 0:
            return self._keep_partial(data, position, stop)
        line = data[position : end + 1]
        if len(line) > _LONGEST_PLAIN_LINE and not self._charge(len(line)):
            return stop
        self._open(line)
        return end + 1

    def _open(self, line: bytes) -> None:
        """Begin the chunk whose size line this is."""
        match = _SIZE_LINE.match(line)
        if match is None:
            self.is_broken = True
            return
        size = int(match[1], 16)
        if size:
            self._left = size + 2
        else:
            self.is_last = True
            self._at_trailers = True

    def _chunk(self, data: bytes, position: int, stop: int) -> int:
        """Payload up to its closing line end, or a part of it."""
        size = self._left - 2
        if size > 0:
            end = min(position + size, stop)
            room = self._limit - len(self.payload)
            if room > 0:
                self.payload += data[position : min(end, position + room)]
            self._left -= end - position
            return end
        return self._line_end(data, position)

    def _line_end(self, data: bytes, position: int) -> int:
        """CR LF or LF behind a chunk; `_left` is 2 before either, 1 after the CR."""
        byte = data[position]
        if byte == 0x0A:
            self._left = 0
        elif byte == 0x0D and self._left == 2:
            self._left = 1
        else:
            self.is_broken = True
        return position + 1

    def _trailer(self, data: bytes, position: int, stop: int) -> int:
        end = data.find(b"\n", position, stop)
        if end < 0:
            return self._keep_partial(data, position, stop)
        line_length = end - position
        self.is_done = line_length == 0 or (line_length == 1 and data[position] == 0x0D)
        self._charge(line_length)
        return end + 1

    def _keep_partial(self, data: bytes, position: int, stop: int) -> int:
        length = stop - position
        if length <= _LONGEST_PLAIN_LINE or self._charge(length):
            self._set_partial(data[position : min(stop, position + 2 * _LONGEST_PLAIN_LINE)])
        return stop

    def _set_partial(self, line: bytes) -> None:
        self._partial = line[: 2 * _LONGEST_PLAIN_LINE]
        if not self._at_trailers and _SIZE_LINE_START.fullmatch(self._partial) is None:
            self.is_broken = True

    def _charge(self, length: int) -> bool:
        """Take `length` bytes from the allowance; False = it is spent, and the body broken."""
        self._allowance -= length
        if self._allowance < 0:
            self.is_broken = True
        return not self.is_broken
