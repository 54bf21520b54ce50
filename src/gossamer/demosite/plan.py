"""The plan of a demo site: everything that decides what it serves.

Two sites with equal plans at the same addresses serve the same bytes. What a plan does not say (the ports) is only
known when a server has bound them.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_HOSTS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoPlan:
    """How large the site is and what it does."""

    pages: int = 20
    """Documentation pages over all hosts. Other names of the same pages, assets and oddities come on top."""
    seed: int = 1
    hosts: int = 1
    """Each with its own address or port; the pages are dealt out evenly."""
    oddities: bool = True
    """Serve `/odd/` on the first host: redirects, errors, slow, coded and badly written answers, one of each."""
    root_redirect: bool = False
    """The last host answers `/` with 302 to `/en/`."""
    crawl_delay_seconds: float | None = None
    """In robots.txt, if given."""
    retry_after_seconds: int = 1
    """Of the one 503."""
    slow_seconds: float = 0.3
    """How long the slow page takes."""
    latency_seconds: float = 0.0
    """How long every answer is put off: as if the site were far away."""
    median_bytes: int = 30_000
    """Of a page."""
    size_sigma: float = 0.8
    """Of the sizes' log-normal spread: by default that of the Python, SQLite and Apache manuals."""
    largest_bytes: int = 400_000
    """No page is much larger."""

    def __post_init__(self) -> None:
        if self.pages < self.hosts:
            raise ValueError(f"{self.pages} pages are too few for {self.hosts} hosts: each has at least one")
        if not 1 <= self.hosts <= MAX_HOSTS:
            raise ValueError(f"hosts must be between 1 and {MAX_HOSTS}, not {self.hosts}")

    def pages_of(self, host: int) -> int:
        """How many pages fall to one host."""
        share, rest = divmod(self.pages, self.hosts)
        return share + (1 if host < rest else 0)
