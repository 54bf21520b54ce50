"""LoopCall: one call of an `async def` hook, in a task of its own.

    begun -> the hook ends, somehow -> outcome: what it raised, or None
          -> cut_off: cancelled, and waited for a little -> left to itself if it does not end even so

What a hook does to the task that it finds itself in (it may cancel it, or keep it and cancel it later) is done to this
one and never to the toe, and what it raises, of whatever kind, is a value. A hook that swallows its cancellation cannot
be ended by anybody; it is named in the log, and the loop's end has to do with it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from gossamer.hooks.crawler import GivenBack
from gossamer.hooks.interrupt import is_ctrl_c

log = logging.getLogger(__name__)

CUT_OFF_SECONDS = 5.0
"""How long a hook that was cancelled may take to clean up: enough for a rollback, and as long as Ctrl-C may wait."""


class LoopCall:
    """Made in the loop; the call begins with the loop's next turn."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], name: str) -> None:
        loop = asyncio.get_running_loop()
        self.outcome: asyncio.Future[BaseException | None] = loop.create_future()
        """What the hook raised; cancelling it does nothing to the hook."""
        self._task = loop.create_task(self._run(function, args), name=name)

    async def cut_off(self) -> None:
        """Cancel the hook and wait until it has ended, for CUT_OFF_SECONDS at most."""
        self._task.cancel()
        await asyncio.wait({self._task}, timeout=CUT_OFF_SECONDS)
        if not self._task.done():
            log.error("%s does not end although it was cancelled; it is left to itself", self._task.get_name())

    async def _run(self, function: Callable[..., Any], args: tuple[Any, ...]) -> BaseException | None:
        """Call it; if it went well that is told at once, which saves a turn of the loop, and if not when it is over."""
        task = asyncio.current_task()
        assert task is not None
        try:
            await function(*args)
        except BaseException as error:  # even GeneratorExit, which kills a task
            task.add_done_callback(self._note_end)
            if is_ctrl_c(error):
                raise
            return error
        if task.cancelling():  # by the hook itself, perhaps, and then the task ends as cancelled
            task.add_done_callback(self._note_end)
        elif not self.outcome.done():
            self.outcome.set_result(None)
        return None

    def _note_end(self, task: asyncio.Task[BaseException | None]) -> None:
        error = _raised(task)
        if not self.outcome.done():
            self.outcome.set_result(error)
        elif error is not None and not isinstance(error, asyncio.CancelledError | GivenBack):
            log.error("%s failed after nobody waited for it any more", task.get_name(), exc_info=error)


def _raised(task: asyncio.Task[BaseException | None]) -> BaseException | None:
    if task.cancelled():  # it cancelled itself, and then awaited nothing any more
        return asyncio.CancelledError()
    if task.exception() is not None:  # Ctrl-C: the loop was told, the page comes again
        return GivenBack()
    return task.result()
