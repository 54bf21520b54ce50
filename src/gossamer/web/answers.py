"""The records that the control API answers with and takes, as they stand in its JSON and in its description."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from gossamer.frontier import FrontierCounts, QueueReport, Seen
from gossamer.stats import Share, Snapshot

MAX_LINES = 10_000
MAX_QUEUES = 1000
MAX_URLS = 10_000
MAX_TOES = 10_000
MAX_URL = 65_536
MAX_KEY = 1024
MAX_PATTERN = 1000
MAX_WAIT_SECONDS = 60.0


class _Record(msgspec.Struct):
    """An answer."""


class _Given(msgspec.Struct, forbid_unknown_fields=True):
    """What a request says; a name it does not know is a mistake."""


# ---- answers


class CrawlView(_Record):
    """The crawl: where it is and what may be done."""

    gossamer: str
    """Version."""
    job: str
    """Name of the job's folder."""
    folder: str
    launch: str
    """Which run of the job this is: when it began, in UTC."""
    pid: int
    state: str
    meaning: str
    """A sentence about the state."""
    reason: str
    """Why it is paused or ending."""
    pause_reasons: tuple[str, ...]
    exit_status: str | None
    """None while the crawl has no reason to end."""
    allowed: tuple[str, ...]
    """Actions that are possible now."""


class Statistics(_Record):
    """How far it is: exact counts over all runs of the job, and figures of this run."""

    state: str
    pause_reasons: tuple[str, ...]
    running_seconds: float
    """Over all runs of the job."""
    toes: int
    busy_toes: int
    replaced_toes: int
    """Toes that died or were stuck, and were replaced."""
    stuck_toes: int
    congestion: float
    """How many times more toes would be useful."""
    counts: FrontierCounts
    run: Snapshot
    refusals: dict[str, int]
    """Links refused in this run, by the rule that refused them."""


class ToeView(_Record):
    """One toe."""

    serial: int
    step: str
    processor: str
    uri: str | None
    seconds: float
    """How long it has been in this step."""
    settled: int
    """URIs it has settled."""


class AbandonedView(_Record):
    """A thread that did not come back from a hook of the user's own; another took its place."""

    name: str
    hook: str
    uri: str
    seconds: float
    """How long it has been in the hook."""


class Toes(_Record):
    """Every toe, and what it does."""

    size: int
    busy: int
    replaced: int
    """Toes that died and were replaced."""
    toes: tuple[ToeView, ...]
    abandoned: tuple[AbandonedView, ...]


class Queues(_Record):
    """Some of the queues that hold URIs, in the order of their keys; maybe none, although there are more."""

    queues: tuple[QueueReport, ...]
    next_after: str | None
    """What `after` must be to get the next ones; None if there are none."""


class Hosts(_Record):
    """The hosts with most URIs in this run."""

    hosts: tuple[Share, ...]
    hosts_seen: int


class LogTail(_Record):
    """The end of a log."""

    name: str
    lines: tuple[str, ...]
    is_whole: bool
    """Whether these are all lines of the file."""


class ScopeVerdict(_Record):
    """What the scope says to an ordinary link."""

    is_accepted: bool
    rule: str


class Why(_Record):
    """What became of a URL, or why a queue waits."""

    url: str | None
    is_seen: bool
    seen: Seen | None
    queue: QueueReport | None
    """Where the URL waits, if it does, or why its host could not be reached; or the queue asked about."""
    scope: ScopeVerdict | None
    """None if a queue was asked about."""


class SettingsView(_Record):
    """Every setting, by group; secrets are shown as `(hidden)`."""

    settings: dict[str, Any]

    changeable: tuple[str, ...]
    """Dotted names of those that may be changed while the crawl runs."""


class Counted(_Record):
    """How many an order took in."""

    count: int


class CheckpointView(_Record):
    """One checkpoint of the job."""

    name: str
    taken: float | None
    """Wall time; None if it is not whole."""
    version: str
    queued: int
    succeeded: int
    problem: str
    """Why it cannot be used; empty if it can."""


class Checkpoints(_Record):
    """Newest first."""

    checkpoints: tuple[CheckpointView, ...]


class Taken(_Record):
    """A checkpoint that was taken just now."""

    name: str
    path: str
    counts: FrontierCounts
    stall_seconds: float
    """How long no toe could write."""
    seconds: float


# ---- what requests say


class QueuesQuery(_Given):
    """Which queues."""

    limit: Annotated[int, Meta(ge=1, le=MAX_QUEUES, description="So many at most.")] = 100
    after: Annotated[str, Meta(max_length=MAX_KEY, description="Only those behind this key.")] = ""


class LogQuery(_Given):
    """How much of a log."""

    lines: Annotated[int, Meta(ge=1, le=MAX_LINES, description="So many of the last lines.")] = 100


class WhyQuery(_Given):
    """Exactly one of the two."""

    url: Annotated[str, Meta(description="A URL: what became of it?")] | None = None
    queue: Annotated[str, Meta(description="The key of a queue: why does it wait?")] | None = None


class PauseOrder(_Given):
    """How long to wait for the answer."""

    wait_seconds: Annotated[float, Meta(ge=0, le=MAX_WAIT_SECONDS)] = 0.0
    """Answer when the crawl is PAUSED, or after this time."""


class ToesOrder(_Given):
    """How many toes there shall be."""

    size: Annotated[int, Meta(ge=1, le=MAX_TOES)]


class SettingsOrder(_Given):
    """Settings by their dotted names: {"politeness.delay": "2s"}."""

    settings: Annotated[dict[str, bool | int | float | str | list[str] | None], Meta(max_length=100)]


class UrisOrder(_Given):
    """URLs to be crawled."""

    urls: Annotated[list[Annotated[str, Meta(max_length=MAX_URL)]], Meta(min_length=1, max_length=MAX_URLS)]

    as_seeds: bool = False
    """They widen the scope, and stand in the job's seeds."""
    force: bool = False
    """Also those that are known already, or out of scope."""


class DeleteOrder(_Given):
    """Which waiting URIs are to be deleted: those in which both patterns are found; at least one is given."""

    uri: Annotated[str, Meta(min_length=1, max_length=MAX_PATTERN)] | None = None
    """A regular expression for the URI."""
    queue: Annotated[str, Meta(min_length=1, max_length=MAX_PATTERN)] | None = None
    """A regular expression for the key of its queue."""


class CheckpointOrder(_Given):
    """How the checkpoint is called."""

    name: Annotated[str, Meta(max_length=100)] | None = None
    """None: after the time."""
