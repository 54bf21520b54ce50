"""From the annotation of a setting to the function that checks a value for it.

What comes in: an annotation and, later, anything a person may write. What is promised: the value as the rest of the
program relies on it (a list became a tuple, a text with a unit a number), or Unfit with all that is wrong, each the rest
of a sentence that begins with the setting's name. Nothing is guessed: `1` is no truth value and "10" no number.

Annotations are `bool`, `int`, `float`, `str`, a class whose instances are taken as they are, `Literal`, `X | None`,
`tuple[X, ...]`, `tuple[X, Y]`, `dict[str, X]`, and `Annotated` with these marks, which apply in the order they stand in:
`Before` (another way to write a value), `After` (what its type does not say), `Bounds`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from functools import partial
from types import UnionType
from typing import Annotated, Any, Literal, Self, Union, get_args, get_origin

import msgspec

from gossamer.config.problems import Problem, shown

Reader = Callable[[object], Any]
"""Given -> kept. Raises Unfit, or another ValueError whose text is a whole sentence without the setting's name."""


class Readable:
    """A class that makes its own instances of what a person may write."""

    @classmethod
    def read_value(cls, value: object) -> Self:
        """An instance. Raises Unfit."""
        raise NotImplementedError


class Fault(msgspec.Struct, frozen=True):
    """One thing that is wrong with a value."""

    sentence: str
    """Without the setting's name: "must be at least 0"."""
    given: tuple[object, ...] = ()
    """The value if the sentence is to end with it: one, or none."""
    path: tuple[str, ...] = ()
    """The names of the parts below the setting."""
    item: int | None = None
    """Which item of a list it is, from 1."""

    def problem(self, place: tuple[str, ...], *, is_shown: bool) -> Problem:
        """The same for the person who wrote it; `is_shown` = the value may be repeated."""
        given = f", not {shown(self.given[0])}" if self.given and is_shown else ""
        item = f" (item {self.item})" if self.item else ""
        return Problem(place + self.path, self.sentence + given + item)


class Unfit(ValueError):
    """A value cannot be used, for one reason or several."""

    def __init__(self, sentence: str, *given: object) -> None:
        super().__init__(sentence)
        self.faults = [Fault(sentence, given)]


def unfit(faults: list[Fault]) -> Unfit:
    """One exception for all of them."""
    error = Unfit(faults[0].sentence)
    error.faults = faults
    return error


def faults_of(error: ValueError) -> list[Fault]:
    """What a reader has raised."""
    return error.faults if isinstance(error, Unfit) else [Fault(str(error))]


# ---- marks


class Before:
    """`Annotated[float, Before(parse)]`: `parse` is given the value first, and what it makes of it is checked."""

    def __init__(self, function: Reader) -> None:
        self._function = function

    def around(self, read: Reader) -> Reader:
        """The reader with this mark."""
        return lambda value: read(self._function(value))


class After:
    """`Annotated[str, After(check)]`: `check` is given what is of the right type, and says what is kept."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def around(self, read: Reader) -> Reader:
        """The reader with this mark."""
        return lambda value: self._function(read(value))


class Bounds(msgspec.Struct, frozen=True):
    """`Annotated[int, Bounds(ge=1)]`: a number is within these. None is not compared."""

    ge: float | None = None
    gt: float | None = None
    le: float | None = None

    def around(self, read: Reader) -> Reader:
        """The reader with this mark."""

        def within(value: object) -> Any:
            number = read(value)
            if number is not None:
                self._check(number, value)
            return number

        return within

    def _check(self, number: float, given: object) -> None:
        if self.ge is not None and number < self.ge:
            raise Unfit(f"must be at least {_plain(self.ge)}", given)
        if self.gt is not None and number <= self.gt:
            raise Unfit(f"must be more than {_plain(self.gt)}", given)
        if self.le is not None and number > self.le:
            raise Unfit(f"must be at most {_plain(self.le)}", given)


def _plain(bound: float) -> str:
    return str(int(bound)) if bound == int(bound) else str(bound)


# ---- readers


def reader_of(annotation: Any) -> Reader:
    """The function that checks a value. Raises TypeError for an annotation that nobody has thought of."""
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        read = reader_of(arguments[0])
        for mark in arguments[1:]:
            if isinstance(mark, Before | After | Bounds):
                read = mark.around(read)
        return read
    if origin in (Union, UnionType) and len(arguments) == 2 and arguments[1] is type(None):
        return partial(_read_optional, reader_of(arguments[0]))
    if origin is Literal:
        return partial(_read_choice, arguments)
    if origin is tuple and arguments[1:] == (Ellipsis,):
        return partial(_read_list, reader_of(arguments[0]))
    if origin is tuple:
        return partial(_read_pair, [reader_of(argument) for argument in arguments])
    if origin is dict and arguments[0] is str:
        return partial(_read_table, reader_of(arguments[1]))
    if isinstance(annotation, type):
        return annotation.read_value if issubclass(annotation, Readable) else partial(_read_instance, annotation)
    raise TypeError(f"a setting cannot be {annotation!r}")


def _read_truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise Unfit("must be true or false", value)
    return value


def _read_whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise Unfit("must be a whole number", value)
    return int(value)


def _read_number(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise Unfit("must be a number", value)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise Unfit("must be a finite number", value)
    return number


def _read_text(value: object) -> str:
    if not isinstance(value, str):
        raise Unfit("must be text", value)
    return str(value)


_PLAIN: Mapping[Any, Reader] = {bool: _read_truth, int: _read_whole, float: _read_number, str: _read_text}


def _read_instance(kind: type, value: object) -> Any:
    if not isinstance(value, kind):
        raise Unfit(f"must be a {kind.__name__.lower()}", value)
    return value


def _read_optional(read: Reader, value: object) -> Any:
    return None if value is None else read(value)


def _read_choice(choices: tuple[str, ...], value: object) -> Any:
    if not isinstance(value, str) or value not in choices:
        *others, last = map(repr, choices)
        raise Unfit(f"must be one of {', '.join(others)} or {last}", value)
    return value


def _read_list(read: Reader, value: object) -> tuple[Any, ...]:
    if not isinstance(value, Collection) or isinstance(value, str | bytes | bytearray | memoryview | Mapping):
        raise Unfit("must be a list", value)
    items, faults = [], []
    for number, item in enumerate(value, 1):
        try:
            items.append(read(item))
        except Unfit as exc:
            faults += [msgspec.structs.replace(fault, item=number) for fault in exc.faults]
        except ValueError as exc:  # its sentence repeats the item
            faults += faults_of(exc)
    if faults:
        raise unfit(faults)
    return tuple(items)


def _read_pair(readers: list[Reader], value: object) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple) or len(value) != len(readers):
        raise Unfit("must be a pair", value)
    return tuple(read(part) for read, part in zip(readers, value, strict=True))


def _read_table(read: Reader, value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise Unfit("must be a table of names and values", value)
    return {_read_text(name): read(part) for name, part in value.items()}
