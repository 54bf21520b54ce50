"""Reading a job folder from outside: its crawl.log and the list of its WARC files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class LogLine:
    """The columns of one line of crawl.log that are judged here (the columns are Heritrix's)."""

    status: int
    size: int
    """Of the body, in bytes."""
    url: str
    hops: str
    content_type: str
    annotations: str

    @property
    def has_response(self) -> bool:
        """Something came back: an HTTP status, or 1 for a name that was resolved."""
        return self.status > 0


class MalformedLog(Exception):
    """A line of crawl.log that cannot be read."""


def read_crawl_log(job: Path) -> list[LogLine]:
    """All lines of a job's crawl logs, older parts first. Raises MalformedLog for a torn or foreign line."""
    lines: list[LogLine] = []
    for path in crawl_logs(job):
        text = path.read_text(encoding="utf-8")
        if text and not text.endswith("\n"):
            raise MalformedLog(f"{path.name} ends in the middle of a line")
        lines += [_read(path, number, line) for number, line in enumerate(text.splitlines(), 1)]
    return lines


def crawl_logs(job: Path) -> list[Path]:
    """Those moved aside, then crawl.log, crawl-2.log, and so on."""
    logs = job / "logs"
    numbered = sorted(logs.glob("crawl-*.log"), key=lambda path: (len(path.name), path.name))
    return sorted(logs.glob("crawl.log.*")) + [path for path in (logs / "crawl.log",) if path.exists()] + numbered


def _read(path: Path, number: int, line: str) -> LogLine:
    columns = line.split()
    if len(columns) < 12 or not columns[1].lstrip("-").isdigit():
        raise MalformedLog(f"{path.name}:{number}: not a line of crawl.log: {line[:120]!r}")
    return LogLine(
        int(columns[1]), int(columns[2]) if columns[2].isdigit() else 0, columns[3], columns[4], columns[6], columns[11]
    )


def warc_files(job: Path) -> list[Path]:
    """Every WARC file of a job, closed and open, by name."""
    return sorted(path for path in (job / "warcs").glob("*.warc.gz*") if path.is_file())
