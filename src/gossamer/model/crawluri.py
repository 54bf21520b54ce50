"""CrawlURI: what the frontier stores of one URI that waits; with docid 0 it is a candidate that asks to be let in.

A CrawlURI is immutable and knows nothing of a fetch in flight (that is an Attempt). `class_key`, `priority`,
`attempts`, `depth` and `docid` are its queue key; everything else is its value. A field added here without its
encoding in `frontier.keys` or `frontier.records` fails a test.
"""

from __future__ import annotations

from typing import Any, NewType

import msgspec

ClassKey = NewType("ClassKey", str)
"""Names the WorkQueue of a URI, e.g. `example.org` or `example.org:8080`."""
DocId = NewType("DocId", int)
"""63 bits, rising, never reused; 0 = not given yet."""
NOT_GIVEN = DocId(0)
Identity = NewType("Identity", bytes)
"""20 bytes that stand for a canonical URL: host checksum (4) and URL hash (16), keyed per job."""

PRIORITY_SEED = 96
PRIORITY_EMBED = 112
PRIORITY_ORDINARY = 128
PRIORITY_LAST = 255
USUAL_PRIORITIES = frozenset({PRIORITY_SEED, PRIORITY_EMBED, PRIORITY_ORDINARY})
"""What a URI has of which nobody said anything else."""


def checked_priority(priority: int) -> int:
    """Raises ValueError for what is none."""
    if isinstance(priority, bool) or not isinstance(priority, int) or not 0 <= priority <= PRIORITY_LAST:
        raise ValueError(f"a priority is a whole number from 0 (first) to {PRIORITY_LAST} (last), not {priority!r}")
    return priority


class CrawlURI(msgspec.Struct, frozen=True):
    """One URI of the crawl. Times are wall-clock seconds since the epoch.

    Name the fields when you make one. Only what is done for every link goes by position, which is several times faster:
    the frontier's decoder, and the maker of candidates.
    """

    url: str
    """As found, resolved and WHATWG-parsed; what is fetched unless `fetch_url` is set."""
    class_key: ClassKey
    identity: Identity
    """Of the canonical form of `url`: where its seen record lives."""
    docid: DocId = NOT_GIVEN
    priority: int = PRIORITY_ORDINARY
    """0-255, lower first, within its queue."""
    attempts: int = 0
    """Answered or URI-charged tries so far; 0-255."""
    depth: int = 0
    """Link hops from the seed (redirects and embeds included as the scope counts them); 0-65535."""
    fetch_url: str | None = None
    via: str | None = None
    parent_docid: DocId | None = None
    hops: str = ""
    """Hop letters from the seed: L E R P M X I."""
    element: str | None = None
    """Where the link stood, e.g. `a@href`."""
    rel: str | None = None
    anchor: str | None = None
    """At most 100 characters."""
    seed: str | None = None
    """The seed this path began at; None for a seed itself."""
    is_seed: bool = False
    redirects: int = 0
    """Consecutive redirects that led here."""
    not_before: float = 0.0
    force: bool = False
    """Fetched even if seen."""
    discovered: float = 0.0
    data: dict[str, Any] | None = None
    """The user's own, small."""

    @property
    def target(self) -> str:
        """The URL to ask for."""
        return self.fetch_url or self.url
