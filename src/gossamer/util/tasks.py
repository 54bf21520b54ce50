"""Tasks that are owned, blocking calls that are seen.

A task started here has an owner that holds it, hears how it ended, and ends it: nothing is fired and forgotten. A
`Supervisor` keeps tasks that must not harm each other: one that raises ends alone, its owner is told, the others go on
(a TaskGroup would cancel them). `cancel_and_wait` ends tasks for good before it returns.

`blocking` is the one way to call something that blocks (a file sync, a large parse). A thread cannot be stopped, so a
cancelled caller first waits for the call to end: whatever the thread works on is not touched behind its back.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from functools import partial
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)

OnEnd = Callable[["asyncio.Task[Any]", BaseException | None], None]
"""Called with the task and what it raised; None if it returned or was cancelled."""


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


class Supervisor:
    """Tasks that are strangers to each other, held until they end.

    Leaving `async with` (or `close`) cancels what still runs and waits for it.
    """

    def __init__(self) -> None:
        self._tasks: dict[asyncio.Task[Any], OnEnd | None] = {}
        self._is_closed = False

    def start(
        self, coroutine: Coroutine[Any, Any, Any], *, name: str, on_end: OnEnd | None = None
    ) -> asyncio.Task[Any]:
        """Run `coroutine` as a task; `on_end` is called once, in the loop, when it has ended, and may start others.

        An exception without an `on_end` is logged. Raises RuntimeError after `close`.
        """
        if self._is_closed:
            coroutine.close()
            raise RuntimeError(f"{name} was started after its supervisor was closed")
        task = asyncio.get_running_loop().create_task(coroutine, name=name)
        self._tasks[task] = on_end
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        on_end = self._tasks.pop(task)
        error = None if task.cancelled() else task.exception()
        if on_end is None:
            if error is not None:
                log.error("%s failed", task.get_name(), exc_info=error)
            return
        try:
            on_end(task, error)
        except Exception:
            log.exception("what was to be told of the end of %s failed", task.get_name())

    @property
    def tasks(self) -> tuple[asyncio.Task[Any], ...]:
        """Those that still run, oldest first."""
        return tuple(self._tasks)

    def __len__(self) -> int:
        return len(self._tasks)

    async def close(self) -> None:
        """Cancel what runs and wait for it; nothing can be started any more. Idempotent."""
        self._is_closed = True
        cancelled = None
        # A task ends, and only in the loop's next round its callback runs and empties the table.
        while self._tasks:
            for task in self._tasks:
                task.cancel()
            cancelled = await _wait_out(set(self._tasks)) or cancelled
            await asyncio.sleep(0)
        if cancelled is not None:
            raise cancelled

    async def __aenter__(self) -> Supervisor:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
