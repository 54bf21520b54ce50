"""LoopThread: an event loop in a thread of its own, for the length of one crawl.

So a crawl can be started from a plain script, from a notebook, or beside a loop that is running already. When the
program comes to its end while a crawl is under way, the end waits for the crawl; Ctrl-C then stops it.

What a task that a hook began on its own throws through the loop (asyncio lets SystemExit and KeyboardInterrupt do that)
must not tear the crawl apart: the crawl is asked to end, the loop goes on until it has, and whoever waits is told.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures.thread  # noqa: F401 (see _wait_at_exit)
import contextlib
import logging
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from gossamer.util.loop import new_loop

log = logging.getLogger(__name__)

LEFT_TASKS_SECONDS = 2.0
"""How long tasks that are left when the crawl has ended may take to end once they are cancelled."""


class LoopThread:
    """Runs one coroutine."""

    def __init__(self, main: Callable[[], Coroutine[Any, Any, None]], stop: Callable[[], None]) -> None:
        """`stop` asks the coroutine to end; called from another thread."""
        self._main = main
        self._stop = stop
        self._has_ended = threading.Event()
        self._thrown: KeyboardInterrupt | SystemExit | None = None
        """What came through the loop, until somebody who waits is told."""
        self._thread = threading.Thread(target=self._run, name="gossamer", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        _live.add(self)
        self._thread.start()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it has ended and nothing of it is left, at most `timeout` seconds; whether that is so.

        A KeyboardInterrupt asks it to end, twice: at once; a third one is let through. It is raised at the end; so is,
        once, what came through the loop.
        """
        interrupt: KeyboardInterrupt | None = None
        for _ in range(3):
            try:
                if not self._has_ended.wait(timeout):
                    return False
                break
            except KeyboardInterrupt as error:
                interrupt, timeout = error, None
                self._stop()
        else:
            assert interrupt is not None
            raise interrupt
        self._thread.join()
        thrown, self._thrown = interrupt or self._thrown, None
        if thrown is not None:
            raise thrown
        return True

    def _run(self) -> None:
        loop = new_loop()
        try:
            self._run_main(loop)
            _end(loop)
        finally:
            _live.discard(self)
            self._has_ended.set()

    def _run_main(self, loop: asyncio.AbstractEventLoop) -> None:
        main = loop.create_task(self._main(), name="crawl")
        while not main.done():
            try:
                loop.run_until_complete(main)
            except (KeyboardInterrupt, SystemExit) as error:
                self._thrown = error
                log.error("a task of a hook ends the crawl", exc_info=error)
                loop.call_soon(self._stop)
            except asyncio.CancelledError:  # somebody cancels whatever he finds in the loop; `main` is done
                log.error("the crawl was cancelled from inside its loop")
            except RuntimeError as error:  # what asyncio says when the loop was stopped; `main` raises none
                if main.done():
                    raise
                log.error("a hook stopped the loop of the crawl, which goes on", exc_info=error)


def _end(loop: asyncio.AbstractEventLoop) -> None:
    """Close a loop as `asyncio.run` does, but for tasks that swallow their cancellation: those are left."""
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        _, stuck = loop.run_until_complete(asyncio.wait(left, timeout=LEFT_TASKS_SECONDS))
        for task in stuck:
            log.error("%s does not end; it is left", task.get_name())
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


_live: set[LoopThread] = set()


def _wait_at_exit() -> None:
    for thread in tuple(_live):
        with contextlib.suppress(KeyboardInterrupt, SystemExit):
            thread.wait()


# A crawl needs thread pools to the last, and those are closed before `atexit` is called. What threading itself calls
# at exit comes in reverse order, so behind the import of the pools it is called before them.
getattr(threading, "_register_atexit", atexit.register)(_wait_at_exit)
