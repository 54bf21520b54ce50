"""`[DIR] ARGUMENT…`: which of a command's arguments is the job's folder, if any.

The first one, if it is a folder, or else the last; or else the job is where one stands. So `gossamer toes 5` and
`gossamer toes DIR 5` both do what they look like.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gossamer.errors import ConfigError


def split_place(arguments: Sequence[str] | None, *, at_most: int | None = None) -> tuple[Path, list[str]]:
    """(folder, other arguments). Raises ConfigError for more than `at_most` others."""
    given = list(arguments or ())
    folder = Path()
    if given and Path(given[0]).is_dir():
        folder = Path(given.pop(0))
    elif len(given) > 1 and Path(given[-1]).is_dir():
        folder = Path(given.pop())
    if at_most is not None and len(given) > at_most:
        raise ConfigError(f"there is no folder {given[0]}" if len(given) == at_most + 1 else "too many arguments")
    return folder, given
