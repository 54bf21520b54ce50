"""ToePool: the toes, each in a task of its own, as many as it is told.

`set_size` starts the missing toes or retires the surplus, which end after the URI they hold; callable again and again.
A toe that dies although nobody asked it to is logged, counted, and replaced at once under its serial number; its URI
went back to its queue. Serial numbers begin at 1.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from gossamer.process.toe import Toe, ToeReport

log = logging.getLogger(__name__)


class ToePool:
    """Starts, retires, replaces and ends toes. Used from the event loop only."""

    def __init__(self, new_toe: Callable[[int], Toe]) -> None:
        self._new_toe = new_toe
        self._toes: dict[asyncio.Task[None], Toe] = {}
        self._size = 0
        self._is_closing = False
        self._all_ended = asyncio.Event()
        self._all_ended.set()
        self.replaced = 0
        """Toes that died and were replaced."""

    @property
    def size(self) -> int:
        """How many toes there shall be."""
        return self._size

    def set_size(self, size: int) -> None:
        """Have `size` toes. Raises ValueError below 0."""
        if size < 0:
            raise ValueError(f"a pool cannot have {size} toes")
        self._size = size
        working = [toe for toe in self._toes.values() if not toe.is_retiring]
        for toe in sorted(working, key=lambda toe: toe.serial)[size:]:
            self._retire(toe)
        taken = {toe.serial for toe in self._toes.values()}
        serial = 0
        for _ in range(size - len(working)):
            serial = next(number for number in range(serial + 1, len(taken) + size + 2) if number not in taken)
            self._start(serial)

    def reports(self) -> list[ToeReport]:
        """One row per toe, in the order of their serial numbers."""
        return sorted((toe.report() for toe in self._toes.values()), key=lambda report: report.serial)

    @property
    def busy(self) -> int:
        """Toes that hold a URI."""
        return sum(not toe.is_waiting for toe in self._toes.values())

    def kill(self, serial: int, *, is_stuck: bool = False) -> None:
        """End one toe where it stands; its URI goes back, and another takes its serial number.

        If it `is_stuck` on its URI, that is charged an attempt. Raises KeyError if there is none.
        """
        for task, toe in self._toes.items():
            if toe.serial == serial:
                toe.is_stuck = is_stuck
                task.cancel()
                return
        raise KeyError(serial)

    def abandon(self) -> int:
        """End every toe that holds a URI, which goes back, and have others instead; how many."""
        busy = [(task, toe) for task, toe in self._toes.items() if not toe.is_waiting]
        for task, _ in busy:
            task.cancel()
        return len(busy)

    async def wait_ended(self) -> None:
        """Wait until every toe has ended by itself: the frontier is closed, or the size is 0."""
        self._is_closing = True
        await self._all_ended.wait()

    async def cancel(self) -> None:
        """End every toe now; what they hold goes back to its queues."""
        self._is_closing = True
        tasks = list(self._toes)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._all_ended.wait()

    def _start(self, serial: int) -> None:
        toe = self._new_toe(serial)
        task = asyncio.create_task(toe.run(), name=f"toe {serial}")
        self._toes[task] = toe
        self._all_ended.clear()
        task.add_done_callback(self._on_ended)

    def _retire(self, toe: Toe) -> None:
        toe.is_retiring = True
        if toe.is_waiting:
            # It may wait for ever, and holds nothing: next() is cancel-safe.
            for task, other in self._toes.items():
                if other is toe:
                    task.cancel()

    def _on_ended(self, task: asyncio.Task[None]) -> None:
        toe = self._toes.pop(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log.error("toe %d died", toe.serial, exc_info=error)
        died = error is not None or (task.cancelled() and not toe.is_retiring)
        if died and not self._is_closing:
            self.replaced += 1
            self._start(toe.serial)
        if not self._toes:
            self._all_ended.set()
