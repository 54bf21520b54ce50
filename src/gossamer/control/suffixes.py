"""Suffixes: which list of public suffixes a job goes by: the one that is built in, or the operator's own.

It decides what one site is (the scope by domain) and what a cookie may be set for; both must go by the same list. No
list is ever fetched.
"""

from __future__ import annotations

from pathlib import Path

from gossamer.errors import ConfigError
from gossamer.url import Suffixes, bundled_suffixes


def suffixes_of(file: Path | None, folder: Path) -> Suffixes:
    """The list of public suffixes that the job goes by. Raises ConfigError."""
    if file is None:
        return bundled_suffixes()
    path = folder / file
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigError(f"scope.public_suffixes: {path} cannot be read: {exc}") from exc
    if not any(line.strip() and not line.startswith("//") for line in text.splitlines()):
        raise ConfigError(f"scope.public_suffixes: there is no suffix in {path}")
    return Suffixes(text)
