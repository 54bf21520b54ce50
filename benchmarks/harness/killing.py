"""The kill harness: a crawl that is killed again and again, and must come out as if nothing had happened.

    baseline   one undisturbed crawl: how long it takes, and what it writes when
    lap        a fresh job folder; the same command is run until the crawl ends by itself; every run before that is
               killed (SIGKILL to its process group, or by strace at a chosen system call)
    audit      after each lap: the same set of URLs, nothing twice, every record whole, log and archive of one mind;
               and by the server's log, no kill cost more fetches than there were toes

Laps are run until there were as many kills as asked for. Nothing here reads a command line.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from random import Random
from typing import Any

from gossamer.demosite import DemoProcess, Request

from . import strace
from .audit import Audit, archived_outcomes, audit
from .comparison import HTML_TYPES, Outcome
from .crawl import CrawlCommand, begin, tail_of
from .job import crawl_logs

_POLL_SECONDS = 0.002
_RECOVERY_SECONDS = 0.12
_ROUNDS_TOO_MANY = 6
"""Stop when so many times the kills asked for were not enough to meet a quota."""


class Kind(Enum):
    """How the moment of a kill is chosen."""

    ANYTIME = "any time"
    """Uniformly over the time the whole crawl takes undisturbed."""
    WORKING = "while working"
    """After the first line of this run in crawl.log."""
    STARTING = "while starting"
    """Within a moment of the job folder being opened: after a kill that is the recovery."""
    WRITE = "at a write"
    """At a write chosen by count, whatever it writes."""
    BATCH = "at a batch"
    """At a count where, undisturbed, the store's batch follows an append to the archive."""
    STARTING_CALL = "at a call while starting"
    """At one of the first calls that cut, sync, rename or write."""


TIMED = (Kind.ANYTIME, Kind.WORKING, Kind.STARTING)
TRACED = (Kind.WRITE, Kind.BATCH, Kind.STARTING_CALL)
USUAL_KINDS = (*Kind, Kind.WORKING, Kind.BATCH)
_STARTING_CALLS = (
    ("ftruncate", 3),
    ("fdatasync", 3),
    ("fsync", 4),
    ("rename", 2),
    ("unlink", 3),
    ("write", 30),
    ("pwrite64", 5),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KillPlan:
    """What to do."""

    command: CrawlCommand
    kills: int
    between: int = 0
    """Go on until so many kills fell between an append and its batch (only where strace can be used)."""
    starting: int = 0
    """Go on until so many kills fell into a start after a kill, before anything was settled in that run."""
    kinds: tuple[Kind, ...] = USUAL_KINDS
    """Ways to choose the moment, the likelier the oftener they are named; WORKING at least."""
    seed: int = 1
    run_seconds: float = 300.0
    """A run that takes longer hangs."""
    expected: Mapping[str, Outcome] | None = None
    """What there is to find; None = what the baseline found."""
    retried: frozenset[str] = frozenset()
    """URLs that a crawl asks for more than once by itself."""
    requests: Callable[[], list[Request]] | None = None
    """The server's log so far; without it nothing is known of what was fetched again."""
    has_strace: bool = field(default_factory=strace.is_usable)


def plan_for(demo: DemoProcess, command: CrawlCommand, kills: int, **more: Any) -> KillPlan:
    """A plan for a demo site, which knows what there is to find, what is asked for twice, and what was asked."""
    truth = demo.site.expected()
    return KillPlan(
        command=command,
        kills=kills,
        expected={url: Outcome(e.status, e.content_type in HTML_TYPES) for url, e in truth.items()},
        retried=frozenset(url for url, e in truth.items() if e.tries > 1),
        requests=lambda: demo.requests,
        **more,
    )


@dataclass(frozen=True, slots=True)
class Run:
    """One start of the crawler, up to its end."""

    lap: int
    kind: Kind | None
    """None: nobody meant to kill it."""
    started: float
    ended: float
    """Monotonic."""
    exit_code: int
    is_killed: bool
    is_starting: bool
    """Killed in a start after a kill, before anything new was logged but not before the job was opened."""
    is_between: bool
    """Killed between an append and its batch, by the trace."""


@dataclass(slots=True)
class KillReport:
    """What came out."""

    runs: list[Run] = field(default_factory=list)
    audits: list[Audit] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    refetched: list[int] = field(default_factory=list)
    """Per kill: URLs asked for in the killed run and in a later run of the lap. Empty without the server's log."""
    has_strace: bool = False

    @property
    def kills(self) -> int:
        return sum(run.is_killed for run in self.runs)

    @property
    def between(self) -> int:
        return sum(run.is_between for run in self.runs)

    @property
    def starting(self) -> int:
        return sum(run.is_starting for run in self.runs)

    def kinds(self) -> Counter[str]:
        """Kills by how their moment was chosen."""
        return Counter(run.kind.value for run in self.runs if run.is_killed and run.kind is not None)


def kill_crawl(plan: KillPlan, folder: Path, tell: Callable[[str], None] = lambda text: None) -> KillReport:
    """Carry the plan out in an empty folder; never raises for what the crawler does."""
    return _Killing(plan, folder, tell).carry_out()


class _Killing:
    def __init__(self, plan: KillPlan, folder: Path, tell: Callable[[str], None]) -> None:
        self._plan = plan
        self._folder = folder
        self._tell = tell
        self._random = Random(plan.seed)
        self._report = KillReport(has_strace=plan.has_strace)
        self._expected = plan.expected
        self._is_traced = plan.has_strace and not set(TRACED).isdisjoint(plan.kinds)
        self._first_logged: float | None = None
        self._has_opened = False
        """Of the run under way: when its first line was logged, and whether it had opened the job."""

    def carry_out(self) -> KillReport:
        if self._baseline():
            lap = 0
            while not self._is_enough() and not self._report.problems:
                self._lap(lap)
                lap += 1
        return self._report

    def _is_enough(self) -> bool:
        plan, report = self._plan, self._report
        if report.kills >= _ROUNDS_TOO_MANY * plan.kills:
            report.problems.append(f"{report.kills} kills, but only {report.between} between an append and its batch")
            return True
        is_between_enough = report.between >= plan.between or not self._is_traced
        return report.kills >= plan.kills and report.starting >= plan.starting and is_between_enough

    # ---- the baseline

    def _baseline(self) -> bool:
        """Crawl undisturbed and learn from it; False if that failed already."""
        job = self._folder / "baseline"
        run = self._run(job, lap=-1, kind=None, may_finish=True)
        self._total = run.ended - run.started
        self._active = max(0.05, run.ended - (self._first_logged or run.ended))
        if run.exit_code:
            return False
        if self._expected is None:
            self._expected = archived_outcomes(job)
        self._audit(job, "undisturbed crawl")
        self._batches: list[tuple[str, int]] = []
        self._writes: list[tuple[str, int]] = []
        if self._is_traced:
            trace = self._folder / "baseline.trace"
            self._start(self._folder / "baseline-traced", trace).wait()
            calls = strace.read_trace(trace)
            self._batches = strace.batch_positions(calls)
            self._writes = strace.busiest_writes(calls)
        self._tell(f"undisturbed: {self._total:.1f} s, {len(self._expected):,} URLs")
        return not self._report.problems

    # ---- laps

    def _lap(self, lap: int) -> None:
        job = self._folder / f"lap-{lap}"
        is_resumed = False
        while True:
            kind = self._next_kind(is_resumed)
            run = self._run(job, lap, kind, is_resumed=is_resumed)
            self._report.runs.append(run)
            if not run.is_killed:
                break
            is_resumed = True
            self._tell(
                f"lap {lap}, kill {self._report.kills}: {kind.value if kind else ''} after {run.ended - run.started:.2f} s"
            )
        if run.exit_code == 0:
            self._audit(job, f"lap {lap}")
            self._count_refetched(lap)

    def _next_kind(self, is_resumed: bool) -> Kind | None:
        """How the next run ends; None if there were kills enough, so that the lap may end."""
        if self._is_enough():
            return None
        impossible = {Kind.WRITE if not self._writes else None, Kind.BATCH if not self._batches else None}
        if not self._is_traced:
            impossible |= set(TRACED)
        if not is_resumed:
            impossible |= {Kind.STARTING, Kind.STARTING_CALL}
        return self._random.choice([kind for kind in self._plan.kinds if kind not in impossible])

    def _run(
        self, job: Path, lap: int, kind: Kind | None, *, is_resumed: bool = False, may_finish: bool = False
    ) -> Run:
        """Start the crawler and kill it as `kind` says, unless it ends before."""
        trace = self._folder / "kill.trace" if kind in TRACED else None
        logged = _log_size(job)
        started = time.monotonic()
        process = self._start(job, trace, self._kill_at(kind))
        self._first_logged, self._has_opened = None, False
        is_killed = self._wait(process, job, kind, logged, started)
        ended = time.monotonic()
        exit_code = process.wait()
        is_between = False
        if trace is not None:
            is_killed = is_killed or exit_code in (-signal.SIGKILL, 128 + signal.SIGKILL)
            calls = strace.read_trace(trace)
            is_between = is_killed and strace.is_between_append_and_batch(calls)
            self._has_opened = any(call.place in ("warc", "crawl.log", "store log", "store") for call in calls)
        if not is_killed and exit_code:
            output = tail_of(self._folder / "output.txt", 1500)
            self._report.problems.append(f"{job.name}: exit code {exit_code} without a kill:\n{output}")
        is_starting = is_killed and is_resumed and self._has_opened and _log_size(job) <= logged
        return Run(lap, kind, started, ended, exit_code, is_killed, is_starting, is_between)

    def _start(
        self, job: Path, trace: Path | None = None, kill_at: tuple[str, int] | None = None
    ) -> subprocess.Popen[bytes]:
        line = self._plan.command.line(job)
        if trace is not None:
            line = strace.traced(line, trace, kill_at)
        return begin(line, self._folder / "output.txt")

    def _kill_at(self, kind: Kind | None) -> tuple[str, int] | None:
        """The system call at which strace is to kill."""
        if kind is Kind.WRITE:
            name, count = self._random.choice(self._writes)
            return name, self._random.randint(1, max(1, count // 3))
        if kind is Kind.BATCH:
            return self._random.choice(self._batches[: max(1, len(self._batches) // 3)])
        if kind is Kind.STARTING_CALL:
            name, most = self._random.choice(_STARTING_CALLS)
            return name, self._random.randint(1, most)
        return None

    # ---- waiting for the moment

    def _wait(
        self, process: subprocess.Popen[bytes], job: Path, kind: Kind | None, logged: int, started: float
    ) -> bool:
        """Wait for the moment, and kill; False if the process ended by itself before."""
        deadline = started + self._plan.run_seconds
        moment = started + self._random.uniform(0.0, self._total * 0.8) if kind is Kind.ANYTIME else deadline
        while process.poll() is None:
            now = time.monotonic()
            if now >= moment:
                _kill(process)
                if moment == deadline:
                    self._report.problems.append(f"{job.name}: still running after {self._plan.run_seconds:.0f} s")
                return True
            if self._first_logged is None and _log_size(job) > logged:
                self._first_logged = now
                if kind is Kind.WORKING:
                    moment = now + self._random.uniform(0.0, self._active / 3)
            if not self._has_opened and self._first_logged is None and _has_opened(process.pid, job):
                self._has_opened = True
                if kind is Kind.STARTING:
                    moment = now + self._random.uniform(0.0, _RECOVERY_SECONDS)
            time.sleep(_POLL_SECONDS)
        return False

    # ---- judging

    def _audit(self, job: Path, name: str) -> None:
        assert self._expected is not None
        found = audit(job, self._expected)
        self._report.audits.append(found)
        self._report.problems += [f"{name}: {problem}" for problem in found.problems]

    def _count_refetched(self, lap: int) -> None:
        """By the server's log: what each kill of a lap cost, which must not be more than there were toes."""
        if self._plan.requests is None:
            return
        requests = self._plan.requests()
        runs = [run for run in self._report.runs if run.lap == lap]
        asked = [
            {r.url for r in requests if run.started <= r.started <= run.ended} - self._plan.retried for run in runs
        ]
        for number, run in enumerate(runs[:-1]):
            again = len(asked[number] & set().union(*asked[number + 1 :]))
            self._report.refetched.append(again)
            if again > self._plan.command.toes:
                kind = run.kind.value if run.kind else ""
                self._report.problems.append(f"lap {lap}: a kill {kind} cost {again} fetches, more than the toes")


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _log_size(job: Path) -> int:
    return sum(path.stat().st_size for path in crawl_logs(job))


def _has_opened(pid: int, job: Path) -> bool:
    """Whether a process holds a file of the job folder open (where /proc tells; otherwise it is taken to)."""
    folder = Path(f"/proc/{pid}/fd")
    if not folder.parent.exists():
        return True
    prefix = str(job.resolve()) + "/"
    try:
        return any(str(link.readlink()).startswith(prefix) for link in folder.iterdir())
    except OSError:  # a descriptor was closed while we looked
        return False
