"""What is wrong with settings, said to the person who wrote them.

A `Problem` is one setting that cannot be used: where it stands and one sentence. They are gathered, so that all
mistakes of a file are told at once, and leave here as one InvalidSettings. pydantic's own wording stays behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from gossamer.errors import ConfigError
from gossamer.util.terminal import printable

if TYPE_CHECKING:
    from pydantic import ValidationError

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
        return f"{'.'.join(self.path)} {self.sentence}" if self.path else self.sentence


class InvalidSettings(ConfigError):
    """Some settings cannot be used; `problems` has each of them."""

    __module__ = "gossamer"  # where a program that catches it finds it, and what a traceback calls it

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[type[InvalidSettings], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)


def problems_of(error: ValidationError, where: tuple[str, ...], unknown: Callable[[str], str]) -> list[Problem]:
    """Translate what pydantic found in the group at `where`; `unknown` is the sentence about a name it lacks."""
    problems = []
    for details in error.errors(include_url=False):
        # A part of an entry, ("credentials", 0, "url"), stands below it; the number of an item is in the sentence.
        loc = details["loc"]
        path = tuple(str(step) for step in (loc[:1] if len(loc) < 3 else (loc[0], *loc[2:3])) if isinstance(step, str))
        if details["type"] == "extra_forbidden":
            sentence = unknown(path[0]) if len(path) == 1 else f"is not a setting{_item(loc)}"
        else:
            sentence = _sentence(details, is_shown=(where + path)[:2] not in NEVER_SHOWN)
        problems.append(Problem(where + path, sentence))
    return problems


def not_a_setting(name: str, known: Iterable[str]) -> str:
    """The sentence about a mistyped name, with the known one most like it."""
    import difflib  # only somebody's mistake needs it

    matches = difflib.get_close_matches(name.lower(), list(known), n=1, cutoff=0.6)
    return "is not a setting" + (f"; did you mean {matches[0]}?" if matches else "")


def shown(value: object) -> str:
    """A bad value as a message repeats it: one line, short, harmless."""
    return printable(repr(value), _SHOWN)


def _item(loc: tuple[int | str, ...]) -> str:
    return f" (item {loc[1] + 1})" if len(loc) > 1 and isinstance(loc[1], int) else ""


def _sentence(details: Mapping[str, Any], *, is_shown: bool) -> str:
    kind = details["type"]
    given = f", not {shown(details['input'])}" if is_shown else ""
    context: dict[str, Any] = details.get("ctx", {})
    item = _item(details["loc"])
    if kind == "value_error":
        return str(context["error"]) + (item if len(details["loc"]) > 2 else "")
    if kind == "literal_error":
        return f"must be one of {context['expected']}{given}"
    if kind == "missing" and isinstance(details["loc"][-1], str):
        return f"must be given{item}"
    if kind in _BOUNDS:
        return f"must be {_BOUNDS[kind]} {_plain(next(iter(context.values())))}{given}{item}"
    expected = next((text for start, text in _EXPECTED.items() if kind.startswith(start)), None)
    if expected is None:
        return f"cannot be used: {details['msg']}{given}{item}"
    return f"must be {expected}{given}{item}"


def _plain(bound: float) -> str:
    return str(int(bound)) if bound == int(bound) else str(bound)


_BOUNDS = {
    "greater_than_equal": "at least",
    "greater_than": "more than",
    "less_than_equal": "at most",
    "less_than": "less than",
}
_EXPECTED = {
    "int": "a whole number",
    "finite_number": "a finite number",
    "float": "a number",
    "bool": "true or false",
    "string": "text",
    "tuple": "a list",
    "dict": "a table of names and values",
    "model": "a table",
    "is_instance_of": "a path",
    "path": "a path",
    "missing": "a pair",
    "too_long": "a pair",
}
"""How pydantic's names of errors begin -> what was expected."""
