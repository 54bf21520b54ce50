"""An operator's regular expressions, searched for in what strangers write. The only module that knows RE2.

Python's own engine backtracks: for `(a+)+$` and a text made for it, it needs longer than the universe, and holds up
everything meanwhile, Ctrl-C included. RE2 (Google's, by way of google-re2) takes time in proportion to the text, and
asks for all patterns at once: a microsecond for six of them and a URL, where Python's engine needs four.

What a pattern means is what Python says it means. RE2 gets those that it reads in the same way, which is nearly all;
look-around, back-references and the like it does not have, and those are left to Python's engine (`is_bounded`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

MAX_MEMORY = 64 * 1024 * 1024
"""Bytes for the automata of one set of patterns; nearly all need some kilobytes."""
_READ_OTHERWISE = ("{,", "[:")
"""`{,3}` is a text to RE2, and `[[:alpha:]]` a class."""


class BadPattern(ValueError):
    """It is no regular expression; `pattern` is which."""

    def __init__(self, pattern: str, reason: str) -> None:
        super().__init__(f"{pattern!r} is not a regular expression: {reason}")
        self.pattern = pattern


class Patterns:
    """Several patterns, of which any may be found."""

    def __init__(self, patterns: Iterable[str]) -> None:
        """Raises BadPattern."""
        bounded, self._others = [], []
        for pattern in patterns:
            compiled = _compiled(pattern)
            if is_bounded(pattern):
                bounded.append(pattern)
            else:
                self._others.append(compiled)
        self._bounded = _set_of(bounded) if bounded else None

    def is_found_in(self, text: str) -> bool:
        """Whether one of them matches anywhere in `text`."""
        if self._bounded is not None and self._bounded.Match(text):
            return True
        return bool(self._others) and any(other.search(text) for other in self._others)


def is_bounded(pattern: str) -> bool:
    """Whether the time of a search is in proportion to the text. Raises BadPattern."""
    _compiled(pattern)
    return not any(mark in pattern for mark in _READ_OTHERWISE) and _set_of([pattern]) is not None


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise BadPattern(pattern, str(error)) from None


def _set_of(patterns: Iterable[str]) -> Any:
    """An re2.Set; None if RE2 cannot read one of them."""
    # Not at the top: most crawls have no pattern, and it costs 20 ms.
    import re2  # type: ignore[import-untyped]  # it has no annotations

    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_MEMORY
    found = re2.Set.SearchSet(options)
    try:
        for pattern in patterns:
            found.Add(pattern)
        found.Compile()
    except re2.error:
        return None
    return found
