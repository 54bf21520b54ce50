"""Log messages of the program on standard error, one safe line each.

What is logged may hold what a stranger wrote, so it passes `printable`. A trace takes one line, with the place where
it was raised; `--debug` shows it whole, and what is logged below WARNING. The stream is looked up at each message,
since the live progress puts its own in place while it runs, so that messages appear above it.
"""

from __future__ import annotations

import logging
import sys

from gossamer.cli.failures import place_of
from gossamer.cli.output import Output
from gossamer.util.terminal import printable, text_of

_LONGEST = 2000


def start_logging(*, is_debug: bool, is_quiet: bool = False) -> None:
    """Send the program's log to standard error; `is_quiet` leaves only errors. Once per process."""
    logging.raiseExceptions = is_debug
    root = logging.getLogger()
    for handler in root.handlers[:]:
        if isinstance(handler, _StderrHandler):
            root.removeHandler(handler)
    handler = _StderrHandler()
    handler.setFormatter(_DebugFormatter() if is_debug else LineFormatter())
    root.addHandler(handler)
    logging.getLogger("gossamer").setLevel(logging.INFO if is_debug else logging.ERROR if is_quiet else logging.WARNING)


class LineFormatter(logging.Formatter):
    """One line per message, the exception's last words included."""

    def format(self, record: logging.LogRecord) -> str:
        text = f"gossamer: {record.levelname.lower()}: {record.getMessage()}"
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            text += f": {type(error).__name__}: {text_of(error)} (in {place_of(error)})"
        return printable(text, _LONGEST)


class _DebugFormatter(LineFormatter):
    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        if record.exc_info:
            trace = self.formatException(record.exc_info)
            text += "".join(f"\n  {printable(line, _LONGEST)}" for line in trace.splitlines())
        return text


class _StderrHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        try:
            Output(sys.stderr).line(self.format(record))
        except Exception:  # what logs must not fail because of what it logs
            self.handleError(record)
