"""The event loop of every command, and of a crawl that a program starts beside its own: uvloop where it is installed,
asyncio's own elsewhere.

The one place where Gossamer chooses. A caller with a loop of its own keeps that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_in_loop(main: Coroutine[Any, Any, T]) -> T:
    """Run `main` to its end in a fresh loop, which is closed with all it holds."""
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(main)


def new_loop() -> asyncio.AbstractEventLoop:
    """A fresh loop, to be closed by the caller."""
    try:
        import uvloop
    except ImportError:  # not on every platform; only speed is lost
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()
