"""CrawlOutcome: how one run of a job ended, complete when every file is closed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from gossamer.control import CrawlController, ExitStatus, Progress, SeedOutcome
from gossamer.jobs.directory import JobDirectory


@dataclass(frozen=True, slots=True)
class CrawlOutcome:
    """How a run ended."""

    folder: Path
    exit_status: ExitStatus
    reason: str
    """One sentence."""
    progress: Progress
    """The last look, taken just before everything was closed."""
    seeds: tuple[SeedOutcome, ...]
    archive_files: tuple[Path, ...]
    """WARC files of the job, oldest first."""
    seconds: float
    """Of this run, start to end."""
    was_finished: bool = False
    """The job had FINISHED before; nothing was done."""
    annotations: tuple[str, ...] = field(default=())
    launch_id: str = ""
    """14 digits: when the run began, UTC."""

    @property
    def has_fetched_seed(self) -> bool:
        """Whether any seed was answered with a status below 400, in this run or before."""
        return any(seed.is_fetched for seed in self.seeds)


def outcome_of(directory: JobDirectory, controller: CrawlController, launch_id: str, seconds: float) -> CrawlOutcome:
    """The outcome of a controller whose `run` has returned."""
    assert controller.final is not None and controller.exit_status is not None
    return CrawlOutcome(
        folder=directory.path,
        exit_status=controller.exit_status,
        reason=controller.reason,
        progress=controller.final.progress,
        seeds=controller.final.seeds,
        archive_files=tuple(directory.archive_files()),
        seconds=seconds,
        was_finished=controller.final.was_finished,
        launch_id=launch_id,
    )
