"""`script`: what a program that is run from a command line makes of errors.

    a setting, a seed, a file that cannot be used     ->  one message on standard error, exit code 2
    a crawl that failed                               ->  one message on standard error, exit code 1
    a folder in use                                   ->  one message on standard error, exit code 4
    a full disk                                       ->  one message on standard error, exit code 5
    Ctrl-C                                            ->  exit code 130
    nobody reads what is printed any more (`| head`)  ->  exit code 1, without a word

A traceback is for who mends a program; whoever runs one wants to know what to do. Everything else stays an exception.

What is printed comes out at once and line by line, whoever prints: hooks run in several threads, and where Python does
not buffer its output (PYTHONUNBUFFERED, usual in containers) `print` writes a line and its end apart, so that another
thread's line can come between.
"""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path

from gossamer.errors import ConfigError, DiskFull, GossamerError, JobInUse
from gossamer.util.terminal import printable

FAILED, USAGE, IN_USE, DISK, INTERRUPTED = 1, 2, 4, 5, 130
"""Exit codes, which mean what they mean of `gossamer crawl` (`cli.exitcodes`)."""


@contextmanager
def script(*errors: type[Exception]) -> Iterator[None]:
    """Around the body of a program, `with gossamer.script():`, so that errors end it with a message and an exit code.

    These are ConfigError, OSError and what is given as `errors`: 2; JobInUse: 4; DiskFull: 5; any other GossamerError:
    1; Ctrl-C: 130. Raises SystemExit. Standard output is written in whole lines from here on.
    """
    if isinstance(sys.stdout, TextIOWrapper) and not sys.stdout.closed:
        sys.stdout.reconfigure(line_buffering=True, write_through=False)
    told: tuple[type[Exception], ...] = (GossamerError, OSError, *errors)
    try:
        yield
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    except told as error:
        if isinstance(error, BrokenPipeError) and _is_unread():
            raise SystemExit(FAILED) from None
        for line in _message_of(error).splitlines():
            sys.stderr.write(f"{Path(sys.argv[0]).name}: {printable(line)}\n")
        raise SystemExit(_code_of(error)) from None


def _code_of(error: Exception) -> int:
    match error:
        case JobInUse():
            return IN_USE
        case DiskFull():
            return DISK
        case GossamerError() if not isinstance(error, ConfigError):
            return FAILED
        case _:
            return USAGE


def _is_unread() -> bool:
    """Whether it is standard output that broke, and not a socket or a pipe of the program's own; it is dropped then."""
    try:
        output = sys.stdout.fileno()
    except (AttributeError, OSError):  # no stream, or one of the program's own
        return False
    asked = select.poll()
    asked.register(output, 0)  # what is wrong with it is told unasked
    if not asked.poll(0):
        return False
    # Python flushes stdout once more when it ends, and would fail again: let it flush into nothing.
    os.dup2(os.open(os.devnull, os.O_WRONLY), output)
    return True


def _message_of(error: BaseException) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__
