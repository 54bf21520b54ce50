"""The exception tree, sorted by who must act.

    GossamerError
    ├── ConfigError            the operator, before launch: a file, a setting, a seed
    ├── JobInUse               the operator: another process holds the job folder
    ├── StateError             the caller: the request is not allowed in this state
    │   ├── FrontierClosed     the caller: the frontier was told to end while it waited
    │   └── JobNotRunning      the operator: nobody is there to take the order
    ├── CrawlFailed            the caller: the crawl whose pages it reads ended with an error
    ├── FetchFailure           nobody: one URI failed; becomes a status, never leaves the toe
    └── StorageError           the job: it pauses (DiskFull) or ends (anything else)
        ├── DiskFull
        └── StoreCorrupt

The docstring of a class is its default message. Foreign exceptions are converted, `from exc`, at the edge that knows
the library. A message to a person says what happened, where, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.model.fetchstatus import FetchStatus


class GossamerError(Exception):
    """Something went wrong in Gossamer."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (type(self).__doc__ or "").strip().splitlines()[0])


class ConfigError(GossamerError):
    """A setting, a configuration file or a seed cannot be used."""


class JobInUse(GossamerError):
    """Another process holds this job folder."""

    def __init__(self, message: str = "", *, pid: int | None = None) -> None:
        super().__init__(message)
        self.pid = pid


class StateError(GossamerError):
    """The request is not allowed in this state; nothing was changed.

    `allowed` names what would be allowed instead.
    """

    def __init__(self, message: str = "", *, allowed: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.allowed = tuple(allowed)


class FrontierClosed(StateError):
    """The frontier hands out no more URIs."""


class JobNotRunning(StateError):
    """The job is not running."""


class CrawlFailed(GossamerError):
    """The crawl ended with an error."""


class FetchFailure(GossamerError):
    """One URI could not be fetched.

    `status` says why; `detail` is one line for the log, already free of control characters.
    """

    def __init__(self, status: FetchStatus, detail: str = "") -> None:
        super().__init__(f"{status.name}: {detail}" if detail else status.sentence)
        self.status = status
        self.detail = detail


class StorageError(GossamerError):
    """The store or the archive cannot be written or read; the job ends."""


class DiskFull(StorageError):
    """There is no space left on the disk; the job pauses and goes on when there is."""


class StoreCorrupt(StorageError):
    """The store holds something that cannot be read; nothing was deleted."""
