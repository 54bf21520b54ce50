"""Ctrl-C, told from an exception of a hook's own.

Python raises KeyboardInterrupt in the main thread, in whatever happens to run there: it is meant for whoever owns that
thread, and is let through to its event loop. In any other thread a hook raised it itself. That is taken for an order to
end the crawl as Ctrl-C does, and reaches whoever waits for the crawl.
"""

from __future__ import annotations

import threading


def is_ctrl_c(error: BaseException) -> bool:
    """Whether what came out of a hook is none of its own doing."""
    return isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread()
