"""What `help()` shows of a settings class: first what it is for, then each setting with default, unit and why.

pydantic's own methods and attributes, five screens of them, come after it, and its signature, which spells out how
every value is checked, gives way to one of names and defaults. Both are made when somebody asks: most programs do not.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from gossamer.config.docstrings import field_texts
from gossamer.config.values import Unit, unit_of
from gossamer.util.sizes import format_duration, format_size


def help_of(kind: type[BaseModel]) -> str:
    """The whole docstring of a settings class."""
    return "\n".join([summary_of(kind), "", *_settings(kind)])


def summary_of(kind: type[BaseModel]) -> str:
    """The docstring as it stands in the source."""
    return inspect.cleandoc(vars(kind).get("__doc__") or "")


class NamesAndDefaults:
    """The signature of a settings class."""

    def __get__(self, instance: object, owner: type[BaseModel]) -> inspect.Signature:
        return inspect.Signature([_parameter(name, field) for name, field in owner.model_fields.items()])


def _parameter(name: str, field: FieldInfo) -> inspect.Parameter:
    default = inspect.Parameter.empty if field.is_required() else _Default(field)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)


class _Default:
    """Shows a default in a signature."""

    def __init__(self, field: FieldInfo) -> None:
        self._default = field.default

    def __repr__(self) -> str:
        return f"{type(self._default).__name__}()" if _is_group(self._default) else repr(self._default)


def _settings(kind: type[BaseModel]) -> Iterator[str]:
    texts = field_texts(kind)
    for name, field in kind.model_fields.items():
        default = "" if field.is_required() else f" = {_Default(field)!r}"
        yield f"    {name}{default}{_unit(field)}"
        text = summary_of(type(field.default)) if _is_group(field.default) else texts.get(name, "")
        yield from (f"        {line}" for line in text.splitlines())


def _unit(field: FieldInfo) -> str:
    """What a number counts, and the default as people write it."""
    unit = unit_of(field)
    if unit is None:
        return ""
    value: Any = field.default
    is_number = isinstance(value, int | float) and value > 0
    if unit is Unit.DURATION:
        return f'    seconds, or text: "{format_duration(value, exact=True) if is_number else "1h30m"}"'
    return f'    bytes, or text: "{format_size(value, exact=True) if is_number else "64 MiB"}"'


def _is_group(default: object) -> bool:
    return isinstance(default, BaseModel)
