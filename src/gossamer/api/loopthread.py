"""LoopThread: an event loop in a thread of its own, for the length of one crawl.

So a crawl can be started from a plain script, from a notebook, or beside a loop that is running already. When the
program comes to its end while a crawl is under way, the end waits for the crawl; Ctrl-C then stops it.
"""

from __future__ import annotations

import atexit
import concurrent.futures.thread  # noqa: F401 (see _wait_at_exit)
import contextlib
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from gossamer.util.loop import run_in_loop


class LoopThread:
    """Runs one coroutine."""

    def __init__(self, main: Callable[[], Coroutine[Any, Any, None]], stop: Callable[[], None]) -> None:
        """`stop` asks the coroutine to end; called from another thread."""
        self._main = main
        self._stop = stop
        self._has_ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="gossamer", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        _live.add(self)
        self._thread.start()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it has ended and nothing of it is left, at most `timeout` seconds; whether that is so.

        A KeyboardInterrupt asks it to end, twice: at once; a third one is let through. It is raised at the end.
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
        if interrupt is not None:
            raise interrupt
        return True

    def _run(self) -> None:
        try:
            run_in_loop(self._main())
        finally:
            _live.discard(self)
            self._has_ended.set()


_live: set[LoopThread] = set()


def _wait_at_exit() -> None:
    for thread in tuple(_live):
        with contextlib.suppress(KeyboardInterrupt):
            thread.wait()


# A crawl needs thread pools to the last, and those are closed before `atexit` is called. What threading itself calls
# at exit comes in reverse order, so behind the import of the pools it is called before them.
getattr(threading, "_register_atexit", atexit.register)(_wait_at_exit)
