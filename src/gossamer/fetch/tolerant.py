"""The tolerant reader of response heads: what real servers send and browsers accept, though no grammar does. Pure.

It reads bare LF, a missing reason phrase, `HTTP/1.1: 200`, `HTTP/2 200`, lines without a colon or a name (skipped),
folded lines (joined), blanks before the colon, NUL and bare CR inside values (read as blanks, so that no value can
become a second header). It does not read a status of other than three digits, nor invent a status line: such a
response is malformed.
"""

from __future__ import annotations

import re

_STATUS_LINE = re.compile(rb"HTTP(?:/([0-9](?:\.[0-9])?))?:?[ \t]+([1-9][0-9][0-9])(?![0-9])[ \t]*(.*)", re.DOTALL)
_BLANKS = b" \t\r\n"
_JUNK_TO_BLANK = bytes.maketrans(b"\r\0", b"  ")


def read(head: bytes) -> tuple[str, int, bytes, list[tuple[bytes, bytes]]] | None:
    """Version, status, reason and headers of a head; None if its first line is no status line."""
    lines = head.lstrip(_BLANKS).split(b"\n")
    match = _STATUS_LINE.match(lines[0].rstrip(b"\r").translate(_JUNK_TO_BLANK))
    if match is None:
        return None
    version, status, reason = match.groups()
    return (version or b"1.0").decode("ascii"), int(status), reason.strip(), _headers(lines[1:])


def may_start_head(data: bytes | bytearray) -> bool:
    """Can these first bytes still become a status line, after blank lines at most?"""
    start = bytes(data[:64]).lstrip(_BLANKS)[:5]
    return b"HTTP/".startswith(start) or start in (b"HTTP ", b"HTTP:", b"HTTP\t")


def _headers(lines: list[bytes]) -> list[tuple[bytes, bytes]]:
    headers: list[tuple[bytes, bytes]] = []
    folded: list[bytes] = []
    for raw in lines:
        line = raw.rstrip(b"\r").translate(_JUNK_TO_BLANK)
        if line[:1] in (b" ", b"\t"):
            if headers:
                folded.append(line.strip())
            continue
        _unfold(headers, folded)
        name, colon, value = line.partition(b":")
        name = name.strip().lower()
        if colon and name:
            headers.append((name, value.strip()))
    _unfold(headers, folded)
    return headers


def _unfold(headers: list[tuple[bytes, bytes]], folded: list[bytes]) -> None:
    """Join continuation lines to the last header (RFC 9112 5.2), all at once: a thousand of them stay linear."""
    if folded:
        name, value = headers[-1]
        headers[-1] = (name, b" ".join([value, *folded]).strip())
        folded.clear()
