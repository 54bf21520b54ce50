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
    """One sentence: why it ended, or that nothing came of it: `No seed could be fetched; …`."""
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

    def __str__(self) -> str:
        counts = self.progress.counts
        figures = f"{counts.pages:,} pages, {counts.failed:,} failed, {self.seconds:.1f} s"
        return f"{self.exit_status.name}: {self.reason.rstrip('.')} ({figures})"


def outcome_of(directory: JobDirectory, controller: CrawlController, launch_id: str, seconds: float) -> CrawlOutcome:
    """The outcome of a controller whose `run` has returned."""
    assert controller.final is not None and controller.exit_status is not None
    return CrawlOutcome(
        folder=directory.path,
        exit_status=controller.exit_status,
        reason=_reason(controller),
        progress=controller.final.progress,
        seeds=controller.final.seeds,
        archive_files=tuple(directory.archive_files()),
        seconds=seconds,
        was_finished=controller.final.was_finished,
        launch_id=launch_id,
    )


def _reason(controller: CrawlController) -> str:
    """That of the controller, or what it cannot see in a frontier that is empty: that nothing came of the crawl."""
    final, status = controller.final, controller.exit_status
    assert final is not None
    if status is not ExitStatus.FINISHED or controller.reason != status.value:
        return controller.reason
    if final.was_finished:
        return "The job had finished before; nothing was done."
    is_settled = all(seed.status is not None for seed in final.seeds)
    if not final.seeds or not is_settled or any(seed.is_fetched for seed in final.seeds):
        return controller.reason
    first, *others = final.seeds
    more = f" (and {len(others)} more)" if others else ""
    return f"No seed could be fetched; {first.text}: {first.reason or first.status}{more}."
