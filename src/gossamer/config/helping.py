"""What `help()` shows of a settings class: first what it is for, then each setting with default, unit and why.

The signature is one of names and defaults. Both are made when somebody asks: most programs do not.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from gossamer.config.docstrings import field_texts
from gossamer.config.record import Field, Record, fields_of
from gossamer.config.values import Unit, unit_of
from gossamer.util.sizes import format_duration, format_size


class _Text:
    """The docstring of a settings class."""

    def __init__(self, summary: str | None) -> None:
        self.summary = inspect.cleandoc(summary or "")
        """As it stands in the source."""

    def __get__(self, instance: object, owner: type[Record]) -> str:
        return "\n".join([self.summary, "", *_settings(owner)])


class _NamesAndDefaults:
    """The signature of a settings class."""

    def __get__(self, instance: object, owner: type[Record]) -> inspect.Signature:
        return inspect.Signature([_parameter(name, field) for name, field in fields_of(owner).items()])


class Helpful(Record):
    """A record that `help()` explains."""

    __signature__ = _NamesAndDefaults()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__doc__ = _Text(cls.__doc__)  # type: ignore[assignment]  # `type` asks a docstring that is a descriptor


def summary_of(kind: type[Record]) -> str:
    """The docstring of a settings class as it stands in the source."""
    text: _Text = vars(kind)["__doc__"]
    return text.summary


def _parameter(name: str, field: Field) -> inspect.Parameter:
    default = inspect.Parameter.empty if field.is_required else _Default(field)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)


class _Default:
    """Shows a default in a signature."""

    def __init__(self, field: Field) -> None:
        self._default = field.default

    def __repr__(self) -> str:
        return f"{type(self._default).__name__}()" if _is_group(self._default) else repr(self._default)


def _settings(kind: type[Record]) -> Iterator[str]:
    texts = field_texts(kind)
    for name, field in fields_of(kind).items():
        default = "" if field.is_required else f" = {_Default(field)!r}"
        yield f"    {name}{default}{_unit(field)}"
        text = summary_of(type(field.default)) if _is_group(field.default) else texts.get(name, "")
        yield from (f"        {line}" for line in text.splitlines())


def _unit(field: Field) -> str:
    """What a number counts, and the default as people write it."""
    unit = unit_of(field.annotation)
    if unit is None:
        return ""
    value: Any = field.default
    is_number = isinstance(value, int | float) and value > 0
    if unit is Unit.DURATION:
        return f'    seconds, or text: "{format_duration(value, exact=True) if is_number else "1h30m"}"'
    return f'    bytes, or text: "{format_size(value, exact=True) if is_number else "64 MiB"}"'


def _is_group(default: object) -> bool:
    return isinstance(default, Record)
