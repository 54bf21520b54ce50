"""What is wrong with settings, said to the person who wrote them.

A `Problem` is one setting that cannot be used: where it stands and one sentence. They are gathered, so that all
mistakes of a file are told at once, as one InvalidSettings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from gossamer.errors import ConfigError
from gossamer.util.terminal import printable

_SHOWN = 60
"""Characters of a bad value that a message repeats."""
NEVER_SHOWN = frozenset({("fetching", "proxy"), ("login", "credentials"), ("login", "forms")})
"""Settings with secrets in them: what is wrong there is said without the value."""


class Problem(msgspec.Struct, frozen=True):
    """One mistake."""

    path: tuple[str, ...]
    """E.g. ("politeness", "delay"); () for the whole."""
    sentence: str
    """Without the name: "must be at least 0, not -1"."""

    def __str__(self) -> str:
        if not self.path:
            return self.sentence
        name = ".".join(self.path)
        # A name that is none may be anything, and is read in a terminal.
        return f"{name if name.isprintable() else repr(name)[1:-1]} {self.sentence}"


class InvalidSettings(ConfigError):
    """Some settings cannot be used; `problems` has each of them."""

    __module__ = "gossamer"  # where a program that catches it finds it, and what a traceback calls it

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[type[InvalidSettings], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)


def not_a_setting(name: str, known: Iterable[str]) -> str:
    """The sentence about a mistyped name, with the known one most like it."""
    import difflib  # only somebody's mistake needs it

    matches = difflib.get_close_matches(name.lower(), list(known), n=1, cutoff=0.6)
    return "is not a setting" + (f"; did you mean {matches[0]}?" if matches else "")


def shown(value: object) -> str:
    """A bad value as a message repeats it: one line, short, harmless."""
    try:
        text = repr(value)
    except Exception as error:  # a number of 5,000 digits, an object of somebody's own
        return f"a {type(value).__name__} that cannot be shown ({type(error).__name__})"
    return printable(text, _SHOWN)
