"""The texts of options, turned into values: durations and sizes with units, settings by name.

A value that cannot be read is refused with the option's name and an example of one that can.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any, TypeVar

import typer

from gossamer.util.sizes import parse_duration, parse_size

T = TypeVar("T")


def converter(parse: Callable[[str], T]) -> Callable[[str], T]:
    """A converter for an option: a ValueError's message is what the operator reads."""

    def convert(text: str) -> T:
        try:
            return parse(text)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from error

    return convert


def parse_positive_duration(text: str) -> float:
    """A duration above zero. Raises ValueError."""
    seconds = parse_duration(text)
    if seconds <= 0:
        raise ValueError(f"{text!r} must be longer than nothing")
    return seconds


def parse_positive_size(text: str) -> int:
    """A size above zero. Raises ValueError."""
    size = parse_size(text)
    if size <= 0:
        raise ValueError(f"{text!r} must be more than nothing")
    return size


def parse_setting(text: str) -> tuple[str, Any]:
    """`group.key=value` as ("group.key", value); the value is TOML, or else plain text. Raises ValueError."""
    name, equals, written = text.partition("=")
    name = name.strip()
    if not equals or not name:
        raise ValueError(f"{text!r} is not a setting; write it like politeness.max_delay=10s")
    try:
        document = tomllib.loads(f"value = {written}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return name, written.strip()
    # A line break in the text would let it set other keys; then it is a text.
    return name, document["value"] if len(document) == 1 else written.strip()
