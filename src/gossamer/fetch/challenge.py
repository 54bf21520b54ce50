"""Challenges: what a server says when it wants a user name and a password (RFC 9110 11.6.1). Pure.

    WWW-Authenticate: Digest realm="a, b", nonce="…", qop="auth,auth-int", Basic realm="x"

Several may stand in one line, with commas between them as between their parameters, and servers write them loosely:
what cannot be read is skipped, and what can be read is taken. No more is read than a server has reason to write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

import msgspec

_MOST = 20
"""Challenges that are looked at."""
_LONGEST_LINE = 8192
"""Bytes of a line that are looked at."""
_TOKEN = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_PIECE = re.compile(
    rf"""[ \t]*(?:
      (?P<name>{_TOKEN})[ \t]*=[ \t]*(?:"(?P<quoted>(?:[^"\\]|\\.)*)(?:"|$)|(?P<bare>[^ \t,"=]+)(?=[ \t]*(?:,|$)))
    | (?P<scheme>{_TOKEN})(?=[ \t,]|$)
    | ,
    | [^,]                            # rubbish, or the credentials of a token68 scheme
    )""",
    re.VERBOSE | re.DOTALL,
)


class Challenge(msgspec.Struct, frozen=True):
    """One way in. Text is ISO-8859-1: bytes as they came."""

    scheme: str
    """Lower case."""
    parameters: dict[str, str] = msgspec.field(default_factory=dict)
    """Names in lower case; the first of each."""

    @property
    def realm(self) -> str:
        return self.parameters.get("realm", "")


def parse_challenges(lines: Iterable[bytes]) -> list[Challenge]:
    """All challenges of these header values, in order."""
    found: list[Challenge] = []
    for line in islice(lines, _MOST):
        _read(line[:_LONGEST_LINE].decode("latin-1"), found)
    return found[:_MOST]


def parse_parameters(line: bytes) -> dict[str, str]:
    """The parameters of a header that has no scheme: Authentication-Info (RFC 7615)."""
    found = [Challenge("")]
    _read(line[:_LONGEST_LINE].decode("latin-1"), found)
    return found[0].parameters


def _read(text: str, found: list[Challenge]) -> None:
    position = 0
    while position < len(text) and len(found) <= _MOST:
        match = _PIECE.match(text, position)
        if match is None:  # blanks at the end
            return
        position = match.end()
        if match["scheme"]:
            found.append(Challenge(match["scheme"].lower()))
        elif match["name"] and found:
            quoted, bare = match["quoted"], match["bare"]
            value = bare if quoted is None else re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL)
            found[-1].parameters.setdefault(match["name"].lower(), value)
