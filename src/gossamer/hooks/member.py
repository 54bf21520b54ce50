"""Member: one crawler at its toe, and the calling of its hooks.

A hook that nobody overrode costs nothing. `def` hooks go to the toe's thread (`thread`), `async def` ones run in a task
of their own (`loopcall`). Either may take so long and no longer. What a hook raises comes back as a value, for whoever
counts it.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from gossamer.errors import GossamerError
from gossamer.hooks.crawler import GivenBack, WebCrawler
from gossamer.hooks.limits import Limits
from gossamer.hooks.loopcall import LoopCall
from gossamer.hooks.relay import Relay
from gossamer.hooks.thread import HookThread
from gossamer.model.link import Link
from gossamer.model.page import Page

ShouldVisit = Callable[[Page, Link], bool]


class HookStuck(GossamerError):
    """A hook did not come back in time."""


class TurnNeverCame(GivenBack):
    """A hook was not called: its thread did not come back from the call before."""


class Member:
    """A crawler with a thread of its own, which begins with the first `def` hook."""

    def __init__(self, number: int, crawler: WebCrawler, max_seconds: float, limits: Limits, relay: Relay) -> None:
        """`max_seconds` bounds each call; `limits` and `relay` are those of the crew."""
        self.number = number
        self.crawler = crawler
        self.thread = HookThread(f"crawler {number}", relay)
        self.beginning: asyncio.Task[bool] | None = None
        """Runs `on_start`, and gives whether it went well; None if there is none."""
        self._max_seconds = max_seconds
        self._limits = limits
        self._hooks = {
            name: (hook, self._in_loop if inspect.iscoroutinefunction(hook) else self._in_thread)
            for name in ("on_start", "visit", "on_fetch_failed", "on_finish")
            if (hook := _overridden(crawler, name)) is not None
        }
        self.should_visit: ShouldVisit | None = _overridden(crawler, "should_visit")
        """None if it was not overridden."""

    def has(self, hook: str) -> bool:
        """Whether it was overridden."""
        return hook in self._hooks

    async def is_ready(self) -> bool:
        """Wait for its `on_start`; whether that went well."""
        if self.beginning is None:
            return True
        if not self.beginning.done():
            await asyncio.wait({self.beginning})
        return self.has_begun

    @property
    def has_begun(self) -> bool:
        """Whether its `on_start`, if there is one, is over and went well."""
        beginning = self.beginning
        return beginning is None or (beginning.done() and not beginning.cancelled() and beginning.result())

    def call(self, hook: str, *args: Any, max_seconds: float | None = None) -> Awaitable[BaseException | None]:
        """Call an overridden hook; what it raised. Raises CancelledError only if the caller was cancelled."""
        function, run = self._hooks[hook]
        return run(hook, self._max_seconds if max_seconds is None else max_seconds, function, args)

    async def _in_thread(
        self, hook: str, seconds: float, function: Callable[..., Any], args: tuple[Any, ...]
    ) -> BaseException | None:
        called = self.thread.call(function, *args)
        limit = self._limits.begin(seconds, called.cancel)
        try:
            value, error = await called
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not limit.is_over or (task is not None and task.cancelling()):
                raise
            if not self.thread.is_in(called):
                return TurnNeverCame(f"{hook} was not called: its thread did not come back from the call before")
            return HookStuck(f"{hook} took longer than {seconds:g} s")
        finally:
            self._limits.end(limit)
        if value is not None and inspect.isawaitable(value):  # a decorator or a lambda around a coroutine
            left = limit.deadline - asyncio.get_running_loop().time()
            error = await self._in_loop(hook, left, lambda: value, ())
        return error

    async def _in_loop(
        self, hook: str, seconds: float, function: Callable[..., Any], args: tuple[Any, ...]
    ) -> BaseException | None:
        toe = asyncio.current_task()
        assert toe is not None
        before = toe.cancelling()
        call = LoopCall(function, args, f"{hook} of crawler {self.number}")
        limit = self._limits.begin(seconds, call.outcome.cancel)
        try:
            return await call.outcome
        except asyncio.CancelledError:
            await call.cut_off()
            if toe.cancelling() > before or not limit.is_over:
                raise
            return HookStuck(f"{hook} took longer than {seconds:g} s")
        finally:
            self._limits.end(limit)


def _overridden(crawler: WebCrawler, name: str) -> Callable[..., Any] | None:
    hook: Callable[..., Any] = getattr(crawler, name)
    return None if getattr(hook, "__func__", None) is getattr(WebCrawler, name) else hook
