"""Secrets: settings that are never shown, and how those who need them get at them.

A secret stands in the settings as a SecretStr, which hides itself from `repr` and from JSON. It may be `env:NAME`: then
the text is that of an environment variable, looked up when it is needed, and the settings hold no secret at all.
"""

from __future__ import annotations

import os
import re

from pydantic import SecretStr

from gossamer.errors import ConfigError

_REFERENCE = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")


def is_reference(text: str) -> bool:
    """Does it name a variable instead of being a secret itself?"""
    return _REFERENCE.fullmatch(text) is not None


def bare(secret: str | SecretStr) -> str:
    """The text that stands in the settings."""
    return secret if isinstance(secret, str) else secret.get_secret_value()


def secret_text(secret: str | SecretStr, setting: str) -> str:
    """The secret itself. Raises ConfigError, naming the `setting`, if its variable is not set."""
    text = bare(secret)
    match = _REFERENCE.fullmatch(text)
    if match is None:
        return text
    found = os.environ.get(match[1])
    if found is None:
        raise ConfigError(f"{setting} names the environment variable {match[1]}, which is not set")
    return found
