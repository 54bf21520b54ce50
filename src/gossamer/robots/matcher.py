"""Allow and Disallow: which of a group's path rules decides about a URL (RFC 9309 2.2.2 and 2.2.3).

A rule's pattern and the path and query of a URL are brought to one spelling, then the longest pattern that matches
decides; an Allow wins a tie, and what no rule matches is allowed. Rules are kept by how they are looked up: those
without wildcards in dictionaries, so that 200,000 of them cost one look-up per distinct length, those with wildcards
by a clue, a text that a target must contain. A wildcard pattern is matched piece by piece from the left, each at the
first place where it fits: no backtracking, so no pattern can be made expensive.

The one spelling: unreserved octets are decoded, everything outside ASCII and all that no URL may hold is encoded, and
reserved characters are equal to their escapes. Five are not, because their escapes mean something else: `/ ? & #`, and
`%` itself. The RFC's own example has a query in which `%2F` equals `/`; so a target with such a query is tried in both
spellings, for a rule that spells out `/*%2F` must match, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_DECODED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:@!'()+,;=[]")
_SPELLINGS = tuple(chr(octet) if octet in _DECODED else f"%{octet:02X}" for octet in range(256))
"""Of an octet that was escaped, or that may not stand for itself; `/ ? & #` that do are never looked up here."""

_UNUSUAL_IN_TARGET = re.compile(r"%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:@!'()+,;=\[\]/?&]")
_UNUSUAL_IN_PATTERN = re.compile(r"%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:@!'()+,;=\[\]/?&*]")
_USUAL_PATTERN = re.compile(rb"[/*][A-Za-z0-9\-._~:@!'()+,;=\[\]/?&*]*\$?")
_STARS = re.compile(r"\*\*+")

_CLUE_LENGTH = 12
"""Long enough to tell generated rules apart, short enough that all pieces of a target are soon made."""

_Verdict = tuple[int, bool]
"""A pattern's length and whether it allows: the greater of two decides (2.2.2), Allow winning a tie."""

_UNDECIDED: _Verdict = (-1, True)


class _Wildcard:
    """A pattern with at least one `*`: the literal pieces between its stars."""

    __slots__ = ("_first", "_is_anchored", "_last", "_middle", "_shortest", "verdict")

    def __init__(self, pattern: str, verdict: _Verdict) -> None:
        self.verdict = verdict
        self._is_anchored = pattern.endswith("$")
        pieces = _STARS.sub("*", pattern.removesuffix("$")).split("*")
        self._first = pieces[0]
        self._middle = tuple(pieces[1:-1])
        self._last = pieces[-1]
        self._shortest = sum(map(len, pieces))

    @property
    def clue(self) -> str:
        """A text without which no target can match, as telling as there is; empty if there is none but the first."""
        return max((*self._middle, self._last), key=len)[:_CLUE_LENGTH]

    def is_match(self, target: str) -> bool:
        if len(target) < self._shortest or not target.startswith(self._first):
            return False
        position = len(self._first)
        for piece in self._middle:
            found = target.find(piece, position)
            if found < 0:
                return False
            position = found + len(piece)
        if self._is_anchored:
            # The end is fixed, and may not overlap what the pieces before it took.
            return target.endswith(self._last) and len(target) - len(self._last) >= position
        return target.find(self._last, position) >= 0


class PathRules:
    """The Allow and Disallow lines of one group, ready to be asked."""

    __slots__ = ("_clue_lengths", "_exact", "_prefix_lengths", "_prefixes", "_wildcards")

    def __init__(self, rules: Mapping[str, bool]) -> None:
        """`rules`: pattern, as `normalize_pattern` gives it, to whether it allows."""
        self._prefixes: dict[str, bool] = {}
        self._exact: dict[str, bool] = {}
        self._wildcards: dict[str, list[_Wildcard]] = {}
        for pattern, is_allowing in rules.items():
            if "*" in pattern:
                rule = _Wildcard(pattern, (len(pattern), is_allowing))
                self._wildcards.setdefault(rule.clue, []).append(rule)
            elif pattern.endswith("$"):
                self._exact[pattern[:-1]] = is_allowing
            else:
                self._prefixes[pattern] = is_allowing
        self._prefix_lengths = sorted({len(pattern) for pattern in self._prefixes}, reverse=True)
        self._clue_lengths = sorted({len(clue) for clue in self._wildcards})

    def is_allowed(self, path_and_query: str) -> bool:
        target = normalize_target(path_and_query)
        verdict = self._decide(target)
        path, mark, query = target.partition("?")
        if "%2F" in query:
            verdict = max(verdict, self._decide(f"{path}{mark}{query.replace('%2F', '/')}"))
        return verdict[1]

    def _decide(self, target: str) -> _Verdict:
        best = self._longest_prefix(target)
        # Most files have neither of these, and every URI of the crawl comes by.
        if self._exact:
            best = max(best, self._whole(target))
        if self._wildcards:
            for clue in self._clues_in(target):
                for rule in self._wildcards[clue]:
                    if rule.verdict > best and rule.is_match(target):
                        best = rule.verdict
        return best

    def _longest_prefix(self, target: str) -> _Verdict:
        for length in self._prefix_lengths:
            if length <= len(target):
                is_allowing = self._prefixes.get(target[:length])
                if is_allowing is not None:
                    return length, is_allowing
        return _UNDECIDED

    def _whole(self, target: str) -> _Verdict:
        is_allowing = self._exact.get(target)
        # The `$` is an octet of the pattern, too.
        return _UNDECIDED if is_allowing is None else (len(target) + 1, is_allowing)

    def _clues_in(self, target: str) -> Iterable[str]:
        """The clues that the target contains, found from whichever side there is less to look up."""
        if len(self._wildcards) <= len(self._clue_lengths) * len(target):
            return [clue for clue in self._wildcards if clue in target]
        pieces = {target[at : at + length] for length in self._clue_lengths for at in range(len(target))}
        return self._wildcards.keys() & pieces


def normalize_target(path_and_query: str) -> str:
    """The path and query of a URL in the spelling in which they are compared."""
    if not path_and_query.isascii():
        path_and_query = path_and_query.encode("utf-8", "surrogatepass").decode("latin-1")
    return _UNUSUAL_IN_TARGET.sub(_respell, path_and_query)


def normalize_pattern(value: bytes) -> str | None:
    """The value of an Allow or Disallow line in that spelling, `*` and a last `$` kept; None if it can match no URL.

    2.2.2 has a path begin with a slash; a star in its place is common and plainly meant. An empty value matches
    nothing. A `$` elsewhere is a character like any other, as is one that is escaped (2.2.3).
    """
    if _USUAL_PATTERN.fullmatch(value):
        return value.decode("ascii")
    if not value.startswith((b"/", b"*")):
        return None
    anchor = "$" if value.endswith(b"$") else ""
    pattern = _UNUSUAL_IN_PATTERN.sub(_respell, value.removesuffix(b"$").decode("latin-1"))
    path, mark, query = pattern.partition("?")
    if mark:
        pattern = f"{path}?{query.replace('%2F', '/')}"
    return pattern + anchor


def _respell(match: re.Match[str]) -> str:
    text = match[0]
    return _SPELLINGS[ord(text) if len(text) == 1 else int(text[1:], 16)]
