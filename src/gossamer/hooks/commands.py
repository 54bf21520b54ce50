"""CrawlCommands: what a crawler may ask of the crawl that it works for. The implementation is above, in `api`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from typing import Any, BinaryIO, Protocol, TypeVar

E = TypeVar("E")


class CrawlCommands(Protocol):
    """Everything may be called from any hook, in whatever thread it runs; nothing waits for the crawl to get on."""

    @property
    def state(self) -> str:
        """Name of the crawl's state: RUNNING, PAUSED, …"""

    @property
    def is_finished(self) -> bool: ...

    @property
    def local_data(self) -> list[Any]:
        """What every crawler has as `local_data`, in the order of their ids."""

    def add_seed(self, url: str, docid: int | None = None, *, priority: int | None = None) -> None: ...

    def add_seeds(self, seeds: str | PathLike[str] | BinaryIO | Iterable[str]) -> None: ...

    def note_seen(self, url: str, docid: int | None = None) -> int | None: ...

    def docid_of(self, url: str) -> int | None: ...

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def set_toes(self, count: int) -> None: ...

    def shutdown(self) -> None: ...

    def subscribe(self, event: type[E], subscriber: Callable[[E], None]) -> Callable[[], None]: ...
