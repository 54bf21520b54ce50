"""LinkCollector: from references as written to URLs, each once, up to a limit.

References come in batches, already without repeats among themselves; what is kept between batches is bounded by the
limit. Once it is reached further references are only counted, unresolved, so among the dropped ones there are repeats.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from gossamer.url.parse import resolve_all

S = TypeVar("S")


class LinkCollector:
    """What one page has given so far."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._seen: set[str] = set()
        self.dropped = 0

    @property
    def is_full(self) -> bool:
        return len(self._seen) >= self._limit

    def admit(self, base: str, sources: Mapping[str, S]) -> list[tuple[str, S]]:
        """The new URLs among references (reference -> where it stood) on a page with this base, in order."""
        admitted: list[tuple[str, S]] = []
        if self.is_full:
            self.dropped += len(sources)
            return admitted
        seen = self._seen
        for href, source in zip(resolve_all(base, sources), sources.values(), strict=True):
            if href is None or href in seen:
                continue
            if len(seen) >= self._limit:
                self.dropped += 1
                continue
            seen.add(href)
            admitted.append((href, source))
        return admitted
