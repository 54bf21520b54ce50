"""What a command writes: lines to a stream that may vanish at any time.

A crawl of weeks must not end because the `tee` it wrote to was killed, or the terminal it was started from is gone:
a stream that cannot be written any more is silent from then on. What a stranger wrote has been made safe before it
comes here (`util.terminal.printable`); characters that the stream's encoding lacks are written as escapes.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TextIO

from gossamer.util.terminal import printable


class Output:
    """Lines to one stream."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.is_lost = False
        """Whether a write failed: nothing is written any more."""

    def line(self, text: str = "") -> None:
        """Write one line, or several, at once."""
        if self.is_lost:
            return
        try:
            self.stream.write(_encodable(text, self.stream.encoding) + "\n")
            self.stream.flush()
        except (OSError, ValueError):  # ValueError: closed
            self.is_lost = True
            _silence(self.stream)

    @property
    def is_terminal(self) -> bool:
        """Whether a person sees it, on something that can move its cursor."""
        return self.stream.isatty() and os.environ.get("TERM", "") not in {"", "dumb"}


def complain(message: str) -> None:
    """Tell a person what went wrong, on standard error: `gossamer: …`, further lines indented."""
    first, *rest = message.splitlines() or [""]
    Output(sys.stderr).line("\n".join([f"gossamer: {printable(first)}", *(f"  {printable(line)}" for line in rest)]))


def _encodable(text: str, encoding: str | None) -> str:
    encoding = encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _silence(stream: TextIO) -> None:
    # Python flushes stdout once more when it ends, and would fail then: let it flush into nothing.
    with contextlib.suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nothing, stream.fileno())
        finally:
            os.close(nothing)
