"""`gossamer why` and `gossamer log`: what became of a URL, why a queue waits, and what a job wrote down.

`why` asks the running job, which also knows what is in flight; of one that is not running it reads the store.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from gossamer.cli import options
from gossamer.cli.exitcodes import ExitCode
from gossamer.cli.output import Output
from gossamer.errors import ConfigError
from gossamer.util.program import program
from gossamer.util.terminal import printable

LOGS = {"crawl": "crawl", "job": "job", "progress": "progress"}
FOLLOW_SECONDS = 0.25
"""A file cannot be waited for portably; so often it is looked at."""


def why(arguments: options.WhyPlace, is_json: options.Json = False, is_debug: options.Debug = False) -> int:
    """Tell what became of a URL, or why a queue waits."""
    from gossamer.cli import inquiry
    from gossamer.cli.outcomes import sentences
    from gossamer.cli.places import split_place

    folder, asked = split_place(arguments, at_most=1)
    if not asked:
        raise ConfigError(f"name a URL, or the key of a queue as `{program()} frontier queues` shows it")
    answer = inquiry.why(folder, asked[0])
    output = Output(sys.stdout)
    if is_json:
        output.line(json.dumps(answer))
    else:
        for line in sentences(answer):
            output.line(printable(line))
    return ExitCode.FINISHED


def log(
    arguments: options.LogPlace = None,
    lines: options.Lines = 20,
    is_following: options.Follow = False,
    is_json: options.Json = False,
    is_debug: options.Debug = False,
) -> int:
    """Show the end of a log of a job: crawl (default), job or progress.

    As JSON: one object a line.
    """
    from gossamer.cli.client import check_is_job
    from gossamer.cli.places import split_place
    from gossamer.web.tails import last_lines

    folder, names = split_place(arguments, at_most=1)
    name = names[0] if names else "crawl"
    if name not in LOGS:
        raise ConfigError(f"there is no log {name!r} (and no such folder); there are: {', '.join(LOGS)}")
    check_is_job(folder)
    path = _newest(folder / "logs", name)
    output = Output(sys.stdout)
    size = 0
    with contextlib.suppress(FileNotFoundError):  # nothing was written yet
        size = path.stat().st_size
        for line in last_lines(path, lines)[0]:
            output.line(_said(line, is_json))
    if is_following:
        for line in _followed(folder, name, path, size, output):
            output.line(_said(line, is_json))
    return ExitCode.FINISHED


def _said(line: str, is_json: bool) -> str:
    return json.dumps({"line": line}) if is_json else printable(line)


def _newest(folder: Path, name: str) -> Path:
    """The file that a log goes into now: the crawl's has a number after a restore, or if one before it was full."""
    found = [path for path in folder.glob(f"{name}*.log") if path.stem == name or path.stem[len(name) :][1:].isdigit()]
    return max(found, key=lambda path: (len(path.stem), path.stem), default=folder / f"{name}.log")


def _followed(folder: Path, name: str, path: Path, position: int, output: Output) -> Iterator[str]:
    """Whole lines as they are written, until the job has ended or nobody reads them."""
    from gossamer.cli.client import running_pid

    rest = b""
    while not output.is_lost:
        is_over = running_pid(folder) is None
        with contextlib.suppress(FileNotFoundError), path.open("rb") as stream:
            # A log that was cut back, by recovery, is shorter than it was.
            stream.seek(min(position, path.stat().st_size))
            content = stream.read(1024 * 1024)
            position = stream.tell()
            *whole, rest = (rest + content).split(b"\n")
            yield from (line.decode("utf-8", "replace") for line in whole)
            if content:
                continue
            if (newest := _newest(folder / "logs", name)) != path:  # this one was full, and gets nothing more
                path, position, rest = newest, 0, b""
                continue
        if is_over:
            return
        time.sleep(FOLLOW_SECONDS)
