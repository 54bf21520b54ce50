"""Exceptions as a person reads them: one message that says what happened, where, and what to do.

A trace is for those who mend Gossamer, and is shown with `--debug` only.
"""

from __future__ import annotations

import traceback
from pathlib import Path

from gossamer.errors import DiskFull, GossamerError, StoreCorrupt
from gossamer.util.terminal import text_of

_HINTS: dict[type[GossamerError], str] = {
    DiskFull: "Make room, then give the same command again: it goes on where it was.",
    StoreCorrupt: "Nothing was changed or deleted. Put the folder back from a copy, or start over with --fresh: the archive stays.",
}
_PACKAGE = Path(__file__).parent.parent


def message_of(error: BaseException) -> str:
    """What to tell a person about an exception that ended a command."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted; the same command goes on where it was"
    if isinstance(error, GossamerError):
        hint = next((hint for kind, hint in _HINTS.items() if isinstance(error, kind)), None)
        return str(error) if hint is None else f"{error}\n{hint}"
    if isinstance(error, OSError):
        return _message_of_oserror(error)
    return (
        f"an unexpected {type(error).__name__}: {text_of(error)} (in {place_of(error)})\n"
        "This is a fault of Gossamer. Nothing that was crawled is lost. --debug shows where it happened."
    )


def place_of(error: BaseException) -> str:
    """File and line, inside the package if the trace has one, of where an exception was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(_PACKAGE)]
    if not frames:
        return "an unknown place"
    frame = (ours or frames)[-1]
    path = Path(frame.filename)
    name = path.relative_to(_PACKAGE.parent) if ours else Path(path.name)
    return f"{name}:{frame.lineno}"


def _message_of_oserror(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename is not None else ""
    return f"{where}{error.strerror or error}"
