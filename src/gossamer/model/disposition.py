"""Disposition: what `frontier.finish` is told about one attempt.

The fate is decided in one file (`process.disposing`); the frontier carries it out in one batch and works out how long
the host rests from the facts given here.
"""

from __future__ import annotations

from enum import Enum

import msgspec

from gossamer.model.crawluri import CrawlURI


class Fate(Enum):
    """What becomes of the URI."""

    __hash__ = object.__hash__
    """Members are singletons; Enum's own hash, that of the name, is computed in Python, several times for each URI."""

    SUCCEEDED = "succeeded"
    """Answered for good, whatever the status: it leaves its queue."""
    FAILED = "failed"
    """Given up: it leaves its queue."""
    DISREGARDED = "disregarded"
    """Refused by a rule; no error: it leaves its queue."""
    RETRY = "retry"
    """It stays in its queue, charged by `charge`."""


class Charge(Enum):
    """Who pays for a RETRY, and how the host rests."""

    NONE = "none"
    """Nobody: same place, same key (a redirect to itself uses `requeued`)."""
    URI = "uri"
    """The URI: attempts + 1, so it goes behind the fresh ones of its priority."""
    HOST = "host"
    """The queue: the URI keeps its place, the queue sleeps by the host schedule; after the last try the host is
    unreachable and its URIs end as FAILED."""
    THROTTLED = "throttled"
    """429 or 503: the queue sleeps for Retry-After or doubling, and the URI pays one attempt."""


class Span(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One stretch of bytes in a file that only grows: a WARC record's gzip member, or a line of crawl.log."""

    file: str
    """Path relative to the job folder, in the form that stands in the store; the `.open` suffix is not part of it."""
    start: int
    end: int
    record_id: str = ""
    """`urn:uuid:…` of the record; empty for a log line."""


class Disposition(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about one attempt. Monotonic times come from the frontier's own clock."""

    fate: Fate
    status: int
    """HTTP status, or a FetchStatus code below zero: the outcome that `lookup` shows."""
    charge: Charge = Charge.NONE
    is_page: bool = False
    """Counts for max_pages: a 2xx page of a visited type."""
    requested: bool = False
    """A request was sent, so the host rests its delay."""
    started: float = 0.0
    """Monotonic time at which the request was sent."""
    fetch_seconds: float = 0.0
    crawl_delay_seconds: float | None = None
    retry_after_seconds: float | None = None
    wire_bytes: int = 0
    requeued: CrawlURI | None = None
    """With RETRY: the record to queue instead (a redirect to the same identity); keeps docid and class_key."""
    spans: tuple[Span, ...] = ()
    """What was appended for this attempt, oldest first; the batch stores each file's new tail."""
    reason: str = ""
    """Short name of the rule or failure, for the counters by reason, e.g. `robots`, `CONNECT_FAILED`."""
    when: float = 0.0
    """Wall time of the outcome."""
