"""Set-Cookie lines, read as browsers do (RFC 6265bis 5.6): bytes in, one cookie or none out. Pure.

Whatever a server writes is bounded: a line with control characters is no cookie, nor is one whose name and value are
longer than 4 KiB together; an attribute longer than 1 KiB is as if it were not there. Dates are read by the standard's
own forgiving rules, and no cookie lives longer than 400 days.
"""

from __future__ import annotations

import calendar
import re

import msgspec

LONGEST_COOKIE = 4096
"""Bytes of name and value together (RFC 6265bis 5.6, RFC 6265 6.1)."""
_LONGEST_ATTRIBUTE = 1024
_MOST_ATTRIBUTES = 50
LONGEST_LIFE = 400 * 86400
"""Seconds (RFC 6265bis 5.5)."""
_CONTROLS = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_DELTA = re.compile(rb"-?[0-9]+")

# RFC 6265bis 5.6.1: what separates the parts of a date, and the parts.
_TOKENS = re.compile(r"[^\x09\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+")
_TIME = re.compile(r"([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[^0-9].*)?", re.DOTALL)
_DAY = re.compile(r"([0-9]{1,2})(?:[^0-9].*)?", re.DOTALL)
_YEAR = re.compile(r"([0-9]{2,4})(?:[^0-9].*)?", re.DOTALL)
_MONTHS = {name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}


class SetCookie(msgspec.Struct, frozen=True):
    """What one line says; whether it is believed is the jar's matter."""

    name: str
    """Text is ISO-8859-1: bytes as they came."""
    value: str
    domain: str = ""
    """Lower case, without a leading dot; empty = none given."""
    path: str = ""
    """Empty = none given that counts."""
    expires: float | None = None
    """Wall time, in the past for one that is to be forgotten; None = with the session."""
    is_secure: bool = False
    is_http_only: bool = False


def parse_set_cookie(line: bytes, now: float) -> SetCookie | None:
    """The cookie of one Set-Cookie value; None if it is none. `now` is wall time."""
    if _CONTROLS.search(line):
        return None
    pair, _, rest = line.partition(b";")
    name, equals, value = pair.partition(b"=")
    if not equals:
        name, value = b"", pair
    name, value = name.strip(b" \t"), value.strip(b" \t")
    if not (name or value) or len(name) + len(value) > LONGEST_COOKIE:
        return None
    domain = path = b""
    expires = max_age = None
    is_secure = is_http_only = False
    for attribute in rest.split(b";", _MOST_ATTRIBUTES)[:_MOST_ATTRIBUTES]:
        key, _, text = attribute.partition(b"=")
        key, text = key.strip(b" \t").lower(), text.strip(b" \t")
        if len(text) > _LONGEST_ATTRIBUTE:
            continue
        if key == b"domain":
            domain = text
        elif key == b"path":
            path = text if text.startswith(b"/") else b""
        elif key == b"expires":
            moment = parse_cookie_date(text.decode("latin-1"))
            expires = expires if moment is None else moment
        elif key == b"max-age" and _DELTA.fullmatch(text):
            max_age = _moment_after(text, now)
        elif key == b"secure":
            is_secure = True
        elif key == b"httponly":
            is_http_only = True
    end = max_age if max_age is not None else expires
    return SetCookie(
        name.decode("latin-1"),
        value.decode("latin-1"),
        domain.decode("latin-1").removeprefix(".").lower(),
        path.decode("latin-1"),
        None if end is None else min(end, now + LONGEST_LIFE),
        is_secure,
        is_http_only,
    )


def _moment_after(delta: bytes, now: float) -> float:
    if delta.startswith(b"-"):
        return 0.0
    seconds = min(int(delta[:12]), LONGEST_LIFE) if len(delta) <= 12 else LONGEST_LIFE
    return now + seconds if seconds else 0.0


def parse_cookie_date(text: str) -> float | None:
    """Wall time of a date as servers write it (RFC 6265bis 5.6.1); None if it is none."""
    time: tuple[int, int, int] | None = None
    day = month = year = None
    for token in _TOKENS.findall(text):
        if time is None and (match := _TIME.fullmatch(token)):
            time = int(match[1]), int(match[2]), int(match[3])
        elif day is None and (match := _DAY.fullmatch(token)):
            day = int(match[1])
        elif month is None and token[:3].lower() in _MONTHS:
            month = _MONTHS[token[:3].lower()]
        elif year is None and (match := _YEAR.fullmatch(token)):
            year = int(match[1])
    if time is None or day is None or month is None or year is None:
        return None
    if year < 100:
        year += 1900 if year >= 70 else 2000
    hour, minute, second = time
    if year < 1601 or hour > 23 or minute > 59 or second > 59:
        return None
    if not 1 <= day <= calendar.monthrange(year, month)[1]:
        return None
    return float(calendar.timegm((year, month, day, hour, minute, second)))
