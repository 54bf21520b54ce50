"""A pause switch that can be awaited both ways.

One owner turns it; any number of tasks wait until it is on, or until it is off. Whoever is woken finds it as asked
for at that moment: a switch that was turned back before the waiter ran lets it wait on. Turning it to where it is
already does nothing.
"""

from __future__ import annotations

import asyncio


class Toggle:
    """On or off; used from one event loop."""

    def __init__(self, is_on: bool = False) -> None:
        self._on = asyncio.Event()
        self._off = asyncio.Event()
        (self._on if is_on else self._off).set()

    @property
    def is_on(self) -> bool:
        return self._on.is_set()

    @property
    def is_off(self) -> bool:
        return self._off.is_set()

    def turn_on(self) -> None:
        self._off.clear()
        self._on.set()

    def turn_off(self) -> None:
        self._on.clear()
        self._off.set()

    def turn(self, is_on: bool) -> None:
        if is_on:
            self.turn_on()
        else:
            self.turn_off()

    async def wait_on(self) -> None:
        """Return at once if it is on, else when it is."""
        while not self._on.is_set():
            await self._on.wait()

    async def wait_off(self) -> None:
        """Return at once if it is off, else when it is."""
        while not self._off.is_set():
            await self._off.wait()

    def __repr__(self) -> str:
        return f"Toggle({'on' if self.is_on else 'off'})"
