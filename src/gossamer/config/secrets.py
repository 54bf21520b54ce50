"""Secrets: settings that are never shown, and how those who need them get at them.

A secret stands in the settings as a SecretText, which hides itself from whoever prints it. It may be `env:NAME`: then
the text is that of an environment variable, looked up when it is needed, and the settings hold no secret at all.
"""

from __future__ import annotations

import os
import re
from typing import Self

from gossamer.config.kinds import Readable, Unfit
from gossamer.errors import ConfigError

_REFERENCE = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")


class SecretText(Readable):
    """A text that is not shown by `repr` or `str`."""

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text."""
        return self._text

    @classmethod
    def read_value(cls, value: object) -> Self:
        """A text, or a secret already. Raises Unfit, which does not repeat it."""
        if isinstance(value, cls):
            return value
        if not isinstance(value, str):
            raise Unfit("must be text")
        return cls(value)

    def __eq__(self, other: object) -> bool:
        return self._text == other._text if isinstance(other, SecretText) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return "SecretText('**********')"

    def __str__(self) -> str:
        return "**********"


def is_reference(text: str) -> bool:
    """Does it name a variable instead of being a secret itself?"""
    return _REFERENCE.fullmatch(text) is not None


def bare(secret: str | SecretText) -> str:
    """The text that stands in the settings."""
    return secret if isinstance(secret, str) else secret.reveal()


def secret_text(secret: str | SecretText, setting: str) -> str:
    """The secret itself. Raises ConfigError, naming the `setting`, if its variable is not set."""
    text = bare(secret)
    match = _REFERENCE.fullmatch(text)
    if match is None:
        return text
    found = os.environ.get(match[1])
    if found is None:
        raise ConfigError(f"{setting} names the environment variable {match[1]}, which is not set")
    return found
