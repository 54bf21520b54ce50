"""Tasks that are ended for good, blocking calls that are seen.

`cancel_and_wait` returns when the tasks have ended, not when they were told to: whoever owns a task ends it with that.

`blocking` is the one way to call something that blocks (a file sync, a large parse). A thread cannot be stopped, so a
cancelled caller first waits for the call to end: whatever the thread works on is not touched behind its back.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)


async def blocking(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `function` in the loop's default thread pool; see `blocking_in`."""
    return await blocking_in(None, function, *args, **kwargs)


async def blocking_in(executor: Executor | None, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `function` in a thread of `executor` and return its result or raise its exception.

    Cancelled, it waits until the call has ended and then raises CancelledError; an exception of the call is logged.
    A call that never ends therefore cannot be cancelled: it must bound itself. Context variables go along.
    """
    call = partial(contextvars.copy_context().run, partial(function, *args, **kwargs))
    future = asyncio.get_running_loop().run_in_executor(executor, call)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        if future.cancelled():
            # The pool was shut down before the call began.
            raise
        await _wait_out({future})
        if (error := future.exception()) is not None:
            log.error("a blocking call failed after its caller was cancelled", exc_info=error)
        raise


async def cancel_and_wait(*tasks: asyncio.Task[Any]) -> None:
    """Cancel `tasks` and return when all have ended, even if cancelled meanwhile; their exceptions are logged.

    Must not be given the current task.
    """
    running = {task for task in tasks if not task.done()}
    for task in running:
        task.cancel()
    cancelled = await _wait_out(running)
    for task in running:
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("%s failed while it was cancelled", task.get_name(), exc_info=error)
    if cancelled is not None:
        raise cancelled


async def _wait_out(futures: set[Any]) -> asyncio.CancelledError | None:
    """Wait until all are done, through any cancellation of the caller; return the last one for it to raise."""
    cancelled = None
    while any(not future.done() for future in futures):
        try:
            await asyncio.wait(futures)
        except asyncio.CancelledError as exc:
            cancelled = exc
    return cancelled
