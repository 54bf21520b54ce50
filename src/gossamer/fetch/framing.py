"""Framing: which body follows a head, and whether the connection can be used again after it. Pure.

RFC 9112 6.3, read tolerantly: a transfer coding wins over a length; lengths that are rubbish are no lengths; lengths
that contradict each other bound the body from above and the connection is not trusted again. After anything doubtful
the connection is closed, so that no doubt about one response can reach the next.
"""

from __future__ import annotations

import sys

import msgspec

from gossamer.fetch.head import ResponseHead

UNBOUNDED = sys.maxsize
_LENGTH_DIGITS = 18
_BODILESS = frozenset({204, 304})


class Framing(msgspec.Struct, frozen=True, gc=False):
    """How the end of a body is known."""

    length: int = UNBOUNDED
    """Bytes of the body, or the most it can be."""
    is_exact: bool = False
    """The body is `length` bytes; fewer is a cut. Otherwise it ends where the stream does."""
    is_chunked: bool = False
    is_reusable: bool = False
    """The connection may carry another request when this body has ended."""
    annotation: str = ""
    """What was odd about it, for the log."""


def framing(head: ResponseHead, fields: dict[bytes, bytes]) -> Framing:
    """What follows `head`, which is that of a final response to a GET; `fields` are its headers as a dict."""
    if len(fields) != len(head.headers):
        fields = _repeats_joined(head.headers)
    persists = head.is_strict and _persists(head.version, fields.get(b"connection"))
    length, annotation = _length(fields.get(b"content-length"))
    coding = fields.get(b"transfer-encoding")
    if head.status in _BODILESS:
        # A length here announces nothing (RFC 9112 6.3), but a body may follow it all the same.
        return Framing(0, True, False, persists and not length and not annotation and coding is None)
    if coding is not None:
        last = coding.rpartition(b",")[2].strip().lower()
        if last == b"chunked":
            return Framing(UNBOUNDED, True, True, persists and length is None and not annotation)
        if last != b"identity":
            return Framing()
    if annotation:
        return Framing(UNBOUNDED if length is None else length, annotation=annotation)
    if length is None:
        return Framing()
    return Framing(length, True, False, persists)


def _repeats_joined(headers: list[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Name -> value; those of repeated headers as one list (RFC 9110 5.3)."""
    values: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        values.setdefault(name, []).append(value)
    return {name: b",".join(several) for name, several in values.items()}


def _persists(version: str, connection: bytes | None) -> bool:
    """RFC 9112 9.3."""
    if connection is None:
        return version == "1.1"
    if connection == b"keep-alive":
        return version in ("1.1", "1.0")
    options = [option.strip() for option in connection.lower().split(b",")]
    if b"close" in options:
        return False
    return version == "1.1" or (version == "1.0" and b"keep-alive" in options)


def _length(value: bytes | None) -> tuple[int | None, str]:
    """The body's length and what is odd about it; with an oddity, None or the most that is claimed."""
    if value is None:
        return None, ""
    if value.isdigit() and len(value) <= _LENGTH_DIGITS:
        return int(value), ""
    claims = set()
    for claim in value.split(b","):
        digits = claim.strip()
        if not digits.isdigit():
            return None, "badLength"
        digits = digits.lstrip(b"0") or b"0"
        claims.add(int(digits) if len(digits) <= _LENGTH_DIGITS else UNBOUNDED)
    return max(claims), "" if len(claims) == 1 else "badLength"
