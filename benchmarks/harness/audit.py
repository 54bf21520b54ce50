"""Auditing a finished job: is everything there, once, whole, and does the log agree with the archive?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .comparison import HTML_TYPES, Outcome, compare
from .job import MalformedLog, read_crawl_log, warc_files
from .warcs import Archive, read_archive

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Audit:
    """What a job folder holds, and every sentence that can be said against it."""

    records: int
    responses: int
    urls: int
    lost: int
    twice: int
    problems: tuple[str, ...]


def audit(job: Path, expected: Mapping[str, Outcome]) -> Audit:
    """Check the archive of a job against what there is to find, and against its own log."""
    archive = read_archive(warc_files(job))
    result = compare(expected, archive.responses)
    problems = _first(archive.problems)
    problems += _listed("lost", result.missing)
    problems += _listed("archived twice", result.twice)
    problems += _listed("archived, but not expected", result.extra)
    problems += _listed("archived with another status", result.changed)
    problems += _log_problems(job, archive)
    return Audit(
        len(archive.records),
        len(archive.responses),
        result.archived.total(),
        len(result.missing),
        len(result.twice),
        tuple(problems),
    )


def archived_outcomes(job: Path) -> dict[str, Outcome]:
    """The last answer of each URL in an archive: what a crawl of a site nobody knows is held against."""
    outcomes: dict[str, Outcome] = {}
    for record in read_archive(warc_files(job)).responses:
        if record.is_http_response:
            is_html = record.content_type in HTML_TYPES
            outcomes[record.uri] = Outcome(record.status, is_html)
    return outcomes


def _log_problems(job: Path, archive: Archive) -> list[str]:
    """One response record per line of the log that has a response, and the reverse."""
    try:
        lines = read_crawl_log(job)
    except (MalformedLog, OSError, ValueError) as error:
        return [f"crawl.log: {error}"]
    # A name's look-up is logged with status 1; its record is a response without an HTTP status.
    logged = Counter((line.url, line.status if line.status > 1 else 0) for line in lines if line.has_response)
    recorded = Counter((record.uri, record.status) for record in archive.responses)
    unrecorded, unlogged = logged - recorded, recorded - logged
    problems = _listed(
        "logged, but no response record", {f"{url} ({status})": n for (url, status), n in unrecorded.items()}
    )
    return problems + _listed("response record, but not logged", {f"{u} ({s})": n for (u, s), n in unlogged.items()})


def _listed(what: str, urls: Mapping[str, object]) -> list[str]:
    return _first([f"{what}: {url}" for url in sorted(urls)])


def _first(problems: list[str]) -> list[str]:
    """The first few, and a sentence for the rest."""
    rest = len(problems) - _SHOWN
    return [*problems[:_SHOWN], f"{problems[_SHOWN].partition(': ')[0]}: and {rest:,} more"] if rest > 0 else problems
