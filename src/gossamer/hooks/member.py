"""Member: one crawler at its toe, and the calling of its hooks.

A hook that nobody overrode costs nothing. `def` hooks go to the toe's thread, `async def` ones run in the toe's own
task; either may take so long and no longer. What a hook raises comes back as a value, for whoever counts it.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from gossamer.errors import GossamerError
from gossamer.hooks.crawler import GivenBack, WebCrawler
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

    def __init__(self, number: int, crawler: WebCrawler, max_seconds: float) -> None:
        """`max_seconds` bounds each call."""
        self.number = number
        self.crawler = crawler
        self.thread = HookThread(f"crawler {number}")
        self.beginning: asyncio.Task[bool] | None = None
        """Runs `on_start`, and gives whether it went well; None if there is none."""
        self._max_seconds = max_seconds
        self._hooks = {
            name: (hook, inspect.iscoroutinefunction(hook))
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

    async def call(self, hook: str, *args: Any, max_seconds: float | None = None) -> BaseException | None:
        """Call an overridden hook; what it raised. Raises CancelledError only if the caller was cancelled."""
        function, is_async = self._hooks[hook]
        seconds = self._max_seconds if max_seconds is None else max_seconds
        called = None
        try:
            async with asyncio.timeout(seconds) as limit:
                if is_async:
                    await function(*args)
                    return None
                called = self.thread.call(function, *args)
                value, error = await called
                if inspect.isawaitable(value):  # a decorator or a lambda around a coroutine
                    await value
                return error
        except TimeoutError as error:
            if limit.expired() and called is not None and called.cancelled() and not self.thread.is_in(called):
                return TurnNeverCame(f"{hook} was not called: its thread did not come back from the call before")
            if limit.expired():
                return HookStuck(f"{hook} took longer than {seconds:g} s")
            return error
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            return error  # of something that the hook itself waited for
        except (Exception, SystemExit) as error:
            return error


def _overridden(crawler: WebCrawler, name: str) -> Callable[..., Any] | None:
    hook: Callable[..., Any] = getattr(crawler, name)
    return None if getattr(hook, "__func__", None) is getattr(WebCrawler, name) else hook
