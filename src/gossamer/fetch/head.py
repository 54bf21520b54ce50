"""ResponseHead: a status line and its headers, read from the bytes between which and the body stands an empty line.

Two readers fill it: `strict` is llhttp's opinion and the fast path; where it objects, `tolerant` reads the same bytes
again as browsers and curl would. What neither can read has no status line, and nothing is invented in its place.
"""

from __future__ import annotations

import re

from gossamer.fetch import tolerant

_END = re.compile(rb"\n\r?\n")


class ResponseHead:
    """What stood before the body."""

    __slots__ = ("headers", "is_strict", "reason", "status", "version")

    def __init__(self) -> None:
        self.version = ""
        """`1.1`, `1.0`, or whatever else the server claims."""
        self.status = 0
        """100-999."""
        self.reason = b""
        self.headers: list[tuple[bytes, bytes]] = []
        """Names lower-cased, values stripped, in order, repeats kept; no CR, LF or NUL in either."""
        self.is_strict = False
        """Nothing in it needed the tolerant reader."""


def find_end(data: bytes | bytearray, start: int = 0) -> int:
    """The index after the empty line that ends a head, the first at or after `start`; -1 = not there yet.

    Any line end counts: a head may have bare LF though a CR LF CR LF comes later, in the body.
    """
    match = _END.search(data, start)
    return match.end() if match else -1


def read_tolerantly(data: bytes) -> ResponseHead | None:
    """Read a whole head that the strict reader refused; None if no status line can be made out."""
    read = tolerant.read(data)
    if read is None:
        return None
    head = ResponseHead()
    head.version, head.status, head.reason, head.headers = read
    return head


def may_become_head(data: bytes | bytearray) -> bool:
    """Can these first bytes of a response still turn out to be a head? False = never, whatever follows."""
    return tolerant.may_start_head(data)
