"""Failure: why a URL was given up, as `on_fetch_failed` is told."""

from __future__ import annotations

import msgspec

from gossamer.model.fetchstatus import FetchStatus


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Why a URL was given up: `reason` is short and constant (`HTTP 404`, `TIMED_OUT`), `str(failure)` a sentence.

    It tells of the last of the `tries`, and where the URL was found: `parent_url`, `depth`, `hop_path`.
    """

    status: int
    """HTTP status; a FetchStatus code below zero if there was no usable answer."""
    fetch_status: FetchStatus | None = None
    """None if `status`, the server's own answer, says it all."""
    sentence: str
    """What happened, for people."""
    tries: int
    """How often it was asked for, this time included."""
    requested_url: str
    """As found; differs from the one asked for after a redirect to the same identity."""
    docid: int
    """The number that the URL has in this job."""
    depth: int = 0
    """Links followed from a seed to get here; a seed has 0, and redirects and embeds add none."""
    parent_url: str | None = None
    """The page that it was found on; None for a seed."""
    parent_docid: int | None = None
    hop_path: str = ""
    """How it was reached from its seed, a letter for each step: L link, E embed, R redirect, …"""

    @property
    def reason(self) -> str:
        """Short and constant: `DNS_FAILED`, `HTTP 404`."""
        return self.fetch_status.name if self.fetch_status is not None else f"HTTP {self.status}"

    def __str__(self) -> str:
        return self.sentence
