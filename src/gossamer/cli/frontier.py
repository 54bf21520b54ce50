"""`gossamer frontier`: what became of a URL, and why each queue waits. Works beside a running crawl and without one."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gossamer.cli import options
from gossamer.cli.exitcodes import ExitCode
from gossamer.cli.output import Output
from gossamer.cli.usage import Commands
from gossamer.util.sizes import format_duration
from gossamer.util.terminal import printable

app = Commands(help="Ask what became of a URL, and why queues wait.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Ask what became of a URL, and why queues wait."""


@app.command("lookup")
def lookup(arguments: options.LookupPlace, is_json: options.Json = False, is_debug: options.Debug = False) -> int:
    """Tell what became of a URL: fetched, failed, waiting, or never seen, and why.

    A running crawl is asked; of one that is not, the store is read.
    """
    from gossamer.cli import inquiry
    from gossamer.cli.logs import start_logging
    from gossamer.cli.outcomes import sentences
    from gossamer.cli.places import split_place
    from gossamer.errors import ConfigError

    start_logging(is_debug=is_debug)
    folder, asked = split_place(arguments, at_most=1)
    if not asked:
        raise ConfigError("name the URL that is asked about")
    answer = inquiry.what_became_of(folder, asked[0])
    output = Output(sys.stdout)
    if is_json:
        output.line(_dumps(answer))
    else:
        for line in sentences(answer):
            output.line(printable(line))
    return ExitCode.FINISHED


@app.command("queues")
def queues(
    folder: options.Folder = Path(),
    limit: options.QueueLimit = 100,
    is_json: options.Json = False,
    is_debug: options.Debug = False,
) -> int:
    """List the queues that hold URLs, one per host, and why each waits.

    A running crawl is asked; of one that is not, the store is read.
    """
    from gossamer.cli import inquiry
    from gossamer.cli.logs import start_logging

    start_logging(is_debug=is_debug)
    output = Output(sys.stdout)
    found = inquiry.queues(folder)
    shown = list(itertools.islice(found, limit or None))
    more = sum(1 for _ in found)
    if is_json:
        output.line(_dumps({"queues": shown, "not_shown": more}))
    elif shown:
        output.line(_table(output, shown))
        if more:
            output.line(f"and {more:,} more; --limit 0 shows all")
    else:
        output.line("No queue holds a URL.")
    return ExitCode.FINISHED


def _table(output: Output, shown: Iterable[dict[str, Any]]) -> str:
    from gossamer.cli.render import Column, table

    columns = [Column("queue"), Column("state"), Column("queued", True), Column("wakes", True), Column("why")]
    rows = [
        [queue["class_key"], queue["state"], f"{queue['queued']:,}", _wakes(queue["wake"]), queue["why"]]
        for queue in shown
    ]
    return table(output, columns, rows)


def _wakes(wake: float | None) -> str:
    if wake is None:
        return "-"
    seconds = wake - time.time()
    return f"in {format_duration(seconds)}" if seconds > 0 else "now"


def _dumps(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=True)
