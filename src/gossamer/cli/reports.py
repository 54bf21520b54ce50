"""`gossamer report`: what a job has done so far, as a table, JSON or CSV; while it runs, or later.

hosts, status, types    counted from logs/crawl*.log: every answered attempt of all runs
seeds, frontier         from the store
toes                    from the running job
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.cli import options
from gossamer.cli.exitcodes import ExitCode
from gossamer.cli.output import Output
from gossamer.cli.tables import STATUS, Cell, Table, toes_table

if TYPE_CHECKING:
    from gossamer.stats.tally import Tally

MAX_NAMES = 100_000
"""Names told apart; the rest is counted as `(other)`."""


class ReportKind(StrEnum):
    """What can be reported."""

    HOSTS = "hosts"
    STATUS = "status"
    TYPES = "types"
    SEEDS = "seeds"
    FRONTIER = "frontier"
    TOES = "toes"


def report(
    arguments: options.ReportPlace = None,
    limit: options.RowLimit = 100,
    is_csv: options.Csv = False,
    is_json: options.Json = False,
    is_debug: options.Debug = False,
) -> int:
    """Report on a job: hosts, status codes, media types, seeds, the frontier, or toes."""
    from gossamer.cli.client import check_is_job
    from gossamer.cli.places import split_place
    from gossamer.errors import ConfigError

    folder, kinds = split_place(arguments, at_most=1)
    names = ", ".join(ReportKind)
    if kinds and kinds[0] not in list(ReportKind):
        raise ConfigError(f"there is no report {kinds[0]!r} (and no such folder); there are: {names}")
    check_is_job(folder)
    table = _MAKERS[ReportKind(kinds[0]) if kinds else ReportKind.FRONTIER](folder)
    if limit:
        table = Table(table.columns, table.rows[:limit], table.empty)
    output = Output(sys.stdout)
    output.line(table.to_csv() if is_csv else table.to_json() if is_json else table.to_text(output))
    return ExitCode.FINISHED


def _hosts(folder: Path) -> Table:
    return _counted(folder, "host", lambda words: _host_of(words[3]))


def _statuses(folder: Path) -> Table:
    table = _counted(folder, STATUS, lambda words: words[1])
    return Table(table.columns, [(_number(name), *figures) for name, *figures in table.rows], table.empty)


def _number(cell: Cell) -> Cell:
    text = str(cell)
    return int(text) if text.removeprefix("-").isdecimal() else text


def _types(folder: Path) -> Table:
    return _counted(folder, "type", lambda words: words[6])


def _counted(folder: Path, name: str, key: Callable[[list[str]], str]) -> Table:
    from gossamer.stats.tally import Tally

    tally: Tally[str] = Tally(MAX_NAMES)
    for words in _log_lines(folder):
        tally.add(key(words), int(words[2]) if words[2].isdecimal() else 0)
    return Table((name, "attempts", "body_bytes"), _rows(tally), "Nothing was fetched yet.")


def _rows(tally: Tally[str]) -> list[tuple[str, int, int]]:
    return tally.largest() + ([("(other)", *tally.other)] if tally.other[0] else [])


def _log_lines(folder: Path) -> Iterator[list[str]]:
    """The words of each whole line of the crawl's logs; look-ups of names are left out."""
    for path in sorted((folder / "logs").glob("crawl*.log")):
        with path.open("r", encoding="utf-8", errors="replace") as stream:
            for line in stream:
                words = line.split()
                if len(words) == 12 and line.endswith("\n") and not words[3].startswith("dns:"):
                    yield words


def _host_of(url: str) -> str:
    from gossamer.url import InvalidUrl, class_key, parse

    try:
        return class_key(parse(url))
    except InvalidUrl:
        return "-"


def _seeds(folder: Path) -> Table:
    from gossamer.cli.offline import open_offline
    from gossamer.cli.outcomes import meaning
    from gossamer.jobs import JobDirectory
    from gossamer.seeds import Seed
    from gossamer.url import parse

    rows: list[tuple[str, str, str]] = []
    with open_offline(folder) as frontier:
        for seed in JobDirectory(folder).seeds():
            if isinstance(seed, Seed):
                seen = frontier.find(parse(seed.url))
                fate = "not seen" if seen is None else "waiting" if seen.fate is None else seen.fate.value
                rows.append((seed.text, fate, meaning(seen.status) if seen and seen.fate else "-"))
    return Table(("seed", "fate", "status"), rows, "There is no seed.")


def _frontier(folder: Path) -> Table:
    import msgspec

    from gossamer.cli.offline import open_offline

    with open_offline(folder) as frontier:
        counts = msgspec.to_builtins(frontier.counts())
    reasons = counts.pop("reasons")
    rows = [(name, count) for name, count in counts.items() if name not in _MEMORY_ONLY]
    return Table(("count", "uris"), [*rows, *((f"because {reason}", count) for reason, count in reasons.items())])


_MEMORY_ONLY = frozenset({"in_process", "active_queues", "snoozed_queues", "inactive_queues"})


def _toes(folder: Path) -> Table:
    from gossamer.cli.client import ControlClient

    return toes_table(ControlClient(folder).get("/toes"))


_MAKERS: dict[ReportKind, Callable[[Path], Table]] = {
    ReportKind.HOSTS: _hosts,
    ReportKind.STATUS: _statuses,
    ReportKind.TYPES: _types,
    ReportKind.SEEDS: _seeds,
    ReportKind.FRONTIER: _frontier,
    ReportKind.TOES: _toes,
}
