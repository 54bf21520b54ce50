"""Exit codes: how a run ended, for the shell that started it.

They are the same for every command, stand in `gossamer crawl --help`, and do not change between versions. A crawl that
was stopped by a limit somebody asked for did what it was told: that is 0.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from gossamer.errors import ConfigError, DiskFull, JobInUse

if TYPE_CHECKING:
    from gossamer.jobs import CrawlOutcome


class ExitCode(IntEnum):
    """(code, meaning)."""

    meaning: str

    FINISHED = 0, "finished, or stopped by a limit that was asked for"
    FAILED = 1, "failed"
    USAGE = 2, "bad usage or configuration"
    NO_SEED = 3, "no seed could be fetched"
    IN_USE = 4, "the job folder is in use by another process"
    DISK = 5, "stopped for want of disk space; can be resumed"
    INTERRUPTED = 130, "interrupted or terminated; can be resumed"

    def __new__(cls, code: int, meaning: str) -> ExitCode:
        member = int.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member


BY_EXIT_STATUS = {
    "FINISHED": ExitCode.FINISHED,
    "TIME_LIMIT": ExitCode.FINISHED,
    "DOCUMENT_LIMIT": ExitCode.FINISHED,
    "BYTE_LIMIT": ExitCode.FINISHED,
    "ABORTED": ExitCode.INTERRUPTED,
    "DISK_FULL": ExitCode.DISK,
    "FAILED": ExitCode.FAILED,
}
"""Names of `control.ExitStatus`; by name, so that `gossamer --help` need not import a crawler."""


def code_of_outcome(outcome: CrawlOutcome) -> ExitCode:
    """The exit code of a crawl that ended by itself or was stopped."""
    code = BY_EXIT_STATUS[outcome.exit_status.name]
    if code is ExitCode.FINISHED and not outcome.has_fetched_seed and not _has_waiting_seed(outcome):
        return ExitCode.NO_SEED
    return code


def _has_waiting_seed(outcome: CrawlOutcome) -> bool:
    """Whether a seed was not settled: a limit came first, and that is no fault of the seed."""
    return any(seed.status is None for seed in outcome.seeds)


def code_of_error(error: BaseException) -> ExitCode:
    """The exit code of a command that an exception ended."""
    match error:
        case KeyboardInterrupt():
            return ExitCode.INTERRUPTED
        case ConfigError():
            return ExitCode.USAGE
        case JobInUse():
            return ExitCode.IN_USE
        case DiskFull():
            return ExitCode.DISK
        case _:
            return ExitCode.FAILED


def table() -> str:
    """One line per code, for the help."""
    return "\n".join(f"  {code.value:<4} {code.meaning}" for code in ExitCode)
