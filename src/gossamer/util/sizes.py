"""Durations and sizes as people write them: "30s", "1h30m", "5 min"; "64 MB", "1 GiB". Pure.

Text comes in from configuration files and the command line; seconds (float) and bytes (int) go out, and back. A number
without a unit is seconds, or bytes. MB is 1000 * 1000 and MiB 1024 * 1024; a bare M is refused, since half of its
writers mean the other. Nothing is guessed: what cannot be read is a ValueError whose message says what would be.

`exact=True` formats so that parsing gives back the very same number; without it a person is spared the digits.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction

_DURATION_UNITS: dict[str, Fraction] = {
    name: Fraction(seconds)
    for seconds, names in (
        ("604800", ("w", "week", "weeks")),
        ("86400", ("d", "day", "days")),
        ("3600", ("h", "hr", "hour", "hours")),
        ("60", ("m", "min", "mins", "minute", "minutes")),
        ("1", ("s", "sec", "secs", "second", "seconds")),
        ("1/1000", ("ms",)),
    )
    for name in names
}
_SIZE_UNITS: dict[str, int] = {
    "b": 1,
    **{f"{letter}b": 1000**power for power, letter in enumerate("kmgtp", start=1)},
    **{f"{letter}ib": 1024**power for power, letter in enumerate("kmgtp", start=1)},
}
_BINARY_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")

_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_BARE = re.compile(rf"{_NUMBER}")
_PART = re.compile(rf"({_NUMBER})\s*([A-Za-z]+)\s*")

_DURATION_HINT = 'write a duration like "30s", "5 min" or "1h30m"'
_SIZE_HINT = 'write a size like "512 KiB", "64 MB" or "1 GiB"'


def parse_duration(text: str) -> float:
    """Seconds of "90", "500ms", "5 min", "1h30m", "1 day 12 hours"; units fall from left to right.

    Raises ValueError.
    """
    stripped = text.strip()
    if _BARE.fullmatch(stripped):
        return _float(Fraction(stripped), text)
    total = Fraction(0)
    last: Fraction | None = None
    position = 0
    while position < len(stripped) or last is None:
        part = _PART.match(stripped, position)
        if part is None:
            raise ValueError(f"{text!r} is not a duration; {_DURATION_HINT}")
        unit = _DURATION_UNITS.get(part[2].lower())
        if unit is None:
            raise ValueError(f"{part[2]!r} is not a unit of time (ms, s, min, h, d, w); {_DURATION_HINT}")
        if last is not None and unit >= last:
            raise ValueError(f"{text!r} has its units out of order; {_DURATION_HINT}")
        total += Fraction(part[1]) * unit
        last = unit
        position = part.end()
    return _float(total, text)


def _float(value: Fraction, text: str) -> float:
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{text!r} is too long a duration") from None


def format_duration(seconds: float, *, exact: bool = False) -> str:
    """E.g. "500ms", "1m30s", "2d4h": the two largest units, or with `exact` every digit. Raises ValueError below 0."""
    if not math.isfinite(seconds) or seconds < 0:
        raise ValueError(f"{seconds!r} is not a duration")
    if exact:
        return _exact_duration(seconds)
    if seconds < 0.9995:
        return f"{round(seconds * 1000)}ms" if seconds else "0s"
    if seconds < 9.95:
        return f"{seconds:.1f}".removesuffix(".0") + "s"
    parts = _split(round(seconds))
    while len(parts) > 2:
        parts.pop()
    return "".join(f"{count}{unit}" for count, unit in parts)


def _exact_duration(seconds: float) -> str:
    # repr() is the shortest text that reads back as the same float; format "f" spells it without an exponent.
    whole, _, fraction = format(Decimal(repr(float(seconds))), "f").partition(".")
    fraction = fraction.rstrip("0")
    if whole == "0" and 0 < len(fraction) <= 3:
        return f"{int(fraction.ljust(3, '0'))}ms"
    if not fraction:
        return "".join(f"{count}{unit}" for count, unit in _split(int(whole)))
    parts = _split(int(whole) // 60 * 60) if int(whole) >= 60 else []
    return "".join(f"{count}{unit}" for count, unit in parts) + f"{int(whole) % 60}.{fraction}s"


def _split(seconds: int) -> list[tuple[int, str]]:
    """The parts that are not zero, largest first; [(0, "s")] for nothing."""
    parts = []
    for unit, length in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        count, seconds = divmod(seconds, length)
        if count:
            parts.append((count, unit))
    return parts or [(0, "s")]


def parse_size(text: str) -> int:
    """Bytes of "1024", "64MB", "1.5 GiB"; a fraction of a byte is dropped. Raises ValueError."""
    stripped = text.strip()
    if _BARE.fullmatch(stripped):
        return int(Fraction(stripped))
    part = _PART.fullmatch(stripped)
    if part is None:
        raise ValueError(f"{text!r} is not a size; {_SIZE_HINT}")
    unit = part[2].lower()
    if unit not in _SIZE_UNITS:
        if unit in {"k", "m", "g", "t", "p"}:
            letter = unit.upper()
            raise ValueError(f"{part[2]!r} may mean {letter}B (by 1000) or {letter}iB (by 1024); write one of them")
        raise ValueError(f"{part[2]!r} is not a unit of size (B, KB, MB, GB, KiB, MiB, GiB); {_SIZE_HINT}")
    return int(Fraction(part[1]) * _SIZE_UNITS[unit])


def format_size(count: int, *, exact: bool = False) -> str:
    """E.g. "1.5 GiB", "812 B": one decimal at most, or with `exact` the largest unit that loses nothing.

    Raises ValueError below 0.
    """
    if count < 0:
        raise ValueError(f"{count!r} is not a size")
    if exact:
        power = next((p for p in range(len(_BINARY_UNITS) - 1, 0, -1) if count and count % 1024**p == 0), 0)
        return f"{count // 1024**power} {_BINARY_UNITS[power]}"
    value = float(count)
    for unit in _BINARY_UNITS:
        # 1023.95 would round up to a thousand and something of the smaller unit.
        if value < 1023.95 or unit == _BINARY_UNITS[-1]:
            break
        value /= 1024
    return f"{value:.1f}".removesuffix(".0") + f" {unit}"
