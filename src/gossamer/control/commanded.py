"""Commanded: what the parts that watch over a crawl may tell its controller, and the words for why it is paused.

A crawl may be paused for several reasons at once, and goes on when the last of them is taken back. The words stand in
the log, in the events and in the control API as they stand here.
"""

from __future__ import annotations

from typing import Protocol

from gossamer.control.state import CrawlState, ExitStatus

PAUSED_BY_OPERATOR = "operator"
PAUSED_BY_DISK = "disk"
PAUSED_BY_NETWORK = "network"
PAUSED_BY_MEMORY = "memory"
PAUSED_BY_ERROR = "error"


class Commanded(Protocol):
    """The controller, as a watch knows it. All raise StateError where the state does not allow it."""

    state: CrawlState

    def request_stop(self, status: ExitStatus, reason: str) -> None: ...

    def request_pause(self, reason: str) -> None: ...

    def request_resume(self, reason: str) -> None: ...
