"""The report at the end of a crawl: what was fetched, what failed and why, where the archive is, how to go on.

As text for people, and as one JSON object for programs, whose keys do not change between minor versions. Both say the
same. Figures are of the whole job, over all its runs, unless they begin with `run_`.
"""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

import gossamer
from gossamer.cli.exitcodes import ExitCode
from gossamer.cli.glance import clock_face
from gossamer.control import SeedOutcome
from gossamer.frontier.operations import DELETED_REASON
from gossamer.jobs import CrawlOutcome
from gossamer.model.events import SeedRejected
from gossamer.model.fetchstatus import FetchStatus
from gossamer.stats import Summary, summarize
from gossamer.util.program import program
from gossamer.util.sizes import format_size
from gossamer.util.terminal import printable

DISREGARDED = frozenset(
    {
        FetchStatus.ROBOTS_FORBIDDEN.name,
        FetchStatus.OUT_OF_SCOPE.name,
        FetchStatus.TOO_MANY_HOPS.name,
        FetchStatus.BLOCKED_BY_USER.name,
        FetchStatus.OVER_QUOTA.name,
        DELETED_REASON,
    }
)
"""Reasons that are rules, not errors."""
SENTENCES = {status.name: status.sentence for status in FetchStatus}
_ENDINGS = {
    "stopped by SIGINT": "Interrupted (Ctrl-C); can be resumed.",
    "stopped by SIGTERM": "Terminated (SIGTERM); can be resumed.",
    "stopped by the operator": "Stopped by the operator; can be resumed.",
}
"""Reasons that say the whole."""
_LABEL_WIDTH = 13
_MAX_REASONS = 8
_MAX_SEEDS = 5


@dataclass(frozen=True, slots=True)
class Report:
    """What there is to say of one run that ended."""

    outcome: CrawlOutcome
    summary: Summary
    rejected: Sequence[SeedRejected]
    code: ExitCode
    command: str
    """The command that goes on with the job."""

    @classmethod
    def of(
        cls, outcome: CrawlOutcome, rejected: Sequence[SeedRejected], code: ExitCode, command: str = "crawl"
    ) -> Report:
        """The report on `outcome`; `rejected` are the texts that were no seeds."""
        progress = outcome.progress
        summary = summarize(
            progress.counts,
            progress.statistics,
            exit_status=outcome.exit_status.name,
            reason=outcome.reason,
            archive=outcome.archive_files,
        )
        return cls(outcome, summary, rejected, code, command)

    # ---- for people

    def headline(self) -> str:
        """How it ended, in a sentence."""
        outcome = self.outcome
        if outcome.was_finished:
            return f"{outcome.folder} has finished before; nothing was done ({self._how_to_repeat()})"
        if self.code is ExitCode.NO_SEED:
            return f"no seed could be fetched; {self._seed_trouble()}"
        sentence = _ENDINGS.get(outcome.reason, outcome.exit_status.value)
        if outcome.reason and outcome.reason != sentence and outcome.reason not in _ENDINGS:
            return f"{sentence.rstrip('.')} ({outcome.reason})"
        return sentence.rstrip(".")

    def to_text(self) -> str:
        """Several lines, safe to show."""
        if self.outcome.was_finished:
            return printable(self.headline())
        lines = [self.headline()]
        lines += (f"  {label.ljust(_LABEL_WIDTH)} {value}" for label, value in self._figures())
        lines += self._seed_lines()
        if (how := self._how_to_go_on()) is not None:
            lines += ["", how]
        return "\n".join(printable(line) for line in lines)

    def _figures(self) -> Iterator[tuple[str, str]]:
        summary = self.summary
        # The rest is of the whole job.
        run = " (this run)" if self._has_earlier_runs else ""
        part = f"{summary.run_pages:,} in this run, " if run else ""
        rate = f" ({part}{summary.run_pages_per_second:.1f}/s)" if summary.run_pages else ""
        yield "pages", f"{summary.pages:,}{rate}"
        responses = _listed(_classes(summary.run_statuses))
        yield "responses", f"{responses}{run}" if responses else "none in this run"
        yield "failed", _total(summary.failed, self._failures()) + self._guesses()
        yield "disregarded", _total(summary.disregarded, self._disregarded())
        if summary.queued:
            yield "left over", f"{summary.queued:,} still queued"
        if refusals := _descending(self.outcome.progress.refusals):
            yield "links refused", _listed(refusals) + run
        yield "hosts", f"{summary.hosts:,}"
        speed = format_size(round(summary.run_bytes_per_second))
        yield "received", f"{format_size(summary.wire_bytes)} ({speed}/s{' in this run' if run else ''})"
        yield "time", self._time()
        yield "archive", self._archive()

    def _time(self) -> str:
        run, job = self.outcome.seconds, self.outcome.progress.running_seconds
        earlier = f", with earlier runs {clock_face(job)}" if self._has_earlier_runs else ""
        return (f"{run:.1f} s" if run < 60 else clock_face(run)) + earlier

    @property
    def _has_earlier_runs(self) -> bool:
        return self.outcome.progress.running_seconds > self.outcome.seconds + 1

    def _guesses(self) -> str:
        """Of the failures, those that cost nothing: https was tried for a seed without scheme, and http answered."""
        count = sum(
            seed.is_fetched and seed.url.startswith("http:") and "://" not in seed.text for seed in self.outcome.seeds
        )
        return f"; {count:,} of them only the https of a seed whose http was fetched" if count else ""

    def _how_to_repeat(self) -> str:
        if self.command == "demo":
            return "without --job, or with another, there is a new one"
        again = f"{program()} crawl --job {shlex.quote(str(self.outcome.folder))}"
        return f"`{again} --recrawl` crawls it again, --fresh starts over"

    def _archive(self) -> str:
        files = self.summary.archive
        if not files:
            return "none"
        size = format_size(sum(file.size for file in files))
        if len(files) == 1:
            return f"{files[0].path} ({size})"
        return f"{len(files)} files in {self.outcome.folder / 'warcs'} ({size})"

    def _seed_lines(self) -> Iterator[str]:
        failed = [seed for seed in self.outcome.seeds if seed.status is not None and not seed.is_fetched]
        for seed in failed[:_MAX_SEEDS]:
            yield f"  seed failed   {seed.text}: {_answer(seed)}"
        if len(failed) > _MAX_SEEDS:
            yield f"  and {len(failed) - _MAX_SEEDS:,} seeds more"
        if self.rejected:
            yield f"  not a seed    {len(self.rejected):,} given, see above"

    def _seed_trouble(self) -> str:
        failed = [seed for seed in self.outcome.seeds if not seed.is_fetched]
        if not failed:
            return "there was none"
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        return f"{failed[0].text}: {_answer(failed[0])}{more}"

    def _how_to_go_on(self) -> str | None:
        if not self.can_go_on:
            return None
        return f"To go on: {self.next_command}"

    @property
    def can_go_on(self) -> bool:
        """Whether something is left to be done in this job."""
        return self.outcome.exit_status.name != "FINISHED"

    @property
    def next_command(self) -> str:
        """What goes on with this job."""
        raised = {
            "DOCUMENT_LIMIT": " --max-pages N",
            "TIME_LIMIT": " --max-time TIME",
            "BYTE_LIMIT": " --max-bytes SIZE",
        }
        limit = raised.get(self.outcome.exit_status.name, "")
        folder = shlex.quote(str(self.outcome.folder))
        if self.command == "run" and not limit:
            return f"{program()} run {folder}"
        command = "crawl" if limit else self.command
        return f"{program()} {command} --job {folder}{limit}"

    # ---- for programs

    def to_json(self) -> str:
        """One line."""
        return json.dumps(self.as_object(), ensure_ascii=True, separators=(", ", ": "))

    def as_object(self) -> dict[str, Any]:
        """The report as what JSON can say."""
        summary = msgspec.to_builtins(self.summary)
        summary["run_statuses"] = {str(status): count for status, count in self.summary.run_statuses.items()}
        del summary["reasons"]
        return {
            "gossamer": gossamer.__version__,
            "exit_code": int(self.code),
            **summary,
            "folder": str(self.outcome.folder),
            "was_finished": self.outcome.was_finished,
            "failures": self._failures(),
            "disregarded_by": self._disregarded(),
            "error_answers": self._answers(),
            "run_refused_links": _descending(self.outcome.progress.refusals),
            "job_seconds": self.outcome.progress.running_seconds,
            "run_seconds": self.outcome.seconds,
            "archive_bytes": sum(file.size for file in self.summary.archive),
            "seeds": [seed._asdict() | {"is_fetched": seed.is_fetched} for seed in self.outcome.seeds],
            "rejected_seeds": [{"text": r.text, "line": r.line, "reason": r.reason} for r in self.rejected],
            "next_command": self.next_command if self.can_go_on else None,
        }

    # ---- reasons, sorted by what they are

    def _failures(self) -> dict[str, int]:
        return {name: n for name, n in self.summary.reasons.items() if name not in DISREGARDED and not _is_answer(name)}

    def _disregarded(self) -> dict[str, int]:
        return {name: n for name, n in self.summary.reasons.items() if name in DISREGARDED}

    def _answers(self) -> dict[str, int]:
        return {name: n for name, n in self.summary.reasons.items() if _is_answer(name)}


def _is_answer(reason: str) -> bool:
    """Whether a reason is an answer that was archived as it is (404), and so no failure of the crawl."""
    return reason.startswith("HTTP 4") and reason != "HTTP 429"


def _classes(statuses: Mapping[int, int]) -> dict[str, int]:
    """Answers by class of status, `2xx` first."""
    classes: Counter[int] = Counter()
    for status, count in statuses.items():
        if status > 0:
            classes[status // 100] += count
    return {f"{leading}xx": classes[leading] for leading in sorted(classes)}


def _descending(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _listed(counts: Mapping[str, int]) -> str:
    shown = list(counts.items())[:_MAX_REASONS]
    more = [f"{len(counts) - _MAX_REASONS} more kinds"] if len(counts) > _MAX_REASONS else []
    return ", ".join([*(f"{count:,} {name}" for name, count in shown), *more])


def _total(total: int, reasons: Mapping[str, int]) -> str:
    listed = _listed(reasons)
    return f"{total:,} ({listed})" if listed else f"{total:,}"


def _answer(seed: SeedOutcome) -> str:
    """What became of a seed, for a person."""
    if seed.status is None:
        return "not tried yet"
    if seed.status > 0:
        return f"HTTP {seed.status}"
    sentence = SENTENCES.get(seed.reason, seed.reason or f"status {seed.status}").rstrip(".")
    return f"{sentence}: {seed.detail}" if seed.detail else sentence
