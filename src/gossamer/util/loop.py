"""The event loop of every command, and of a crawl that a program starts beside its own: uvloop where it is installed,
asyncio's own elsewhere.

The one place where Gossamer chooses. A caller with a loop of its own keeps that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_in_loop(main: Coroutine[Any, Any, T]) -> T:
    """Run `main` to its end in a fresh loop, which is closed with all it holds."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(main)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # not on every platform; only speed is lost
        return None
    return uvloop.new_event_loop
