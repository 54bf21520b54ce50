"""JobRecord: where what an operator changes in a running crawl is written down, so that the next run goes on with it.

The implementation is the job's folder (`jobs.directory`); a crawl without a folder has none. What is written down comes
first and what is done second: after a crash in between the next start does what was written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from gossamer.seeds import Seed


class JobRecord(Protocol):
    """Everything raises StorageError or ConfigError, with nothing changed."""

    def add_seeds(self, seeds: Sequence[Seed]) -> None:
        """Write further seeds behind those that stand there; one that stands there already is left out.

        They survive the death of the process at once, and a loss of power when `sync` has returned.
        """

    def sync(self) -> None:
        """Make what was written down durable, with the crawl's next commit; called in a thread beside the others."""

    def change_settings(self, changes: Mapping[str, Any]) -> None:
        """Write some settings anew, by their dotted names."""
