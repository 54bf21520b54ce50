"""Runs a program of Python and notes, every few milliseconds of CPU, where it is.

    python sampler.py OUT.json MODULE ARGUMENT …        like `python -m MODULE ARGUMENT …`
    python sampler.py OUT.json FILE.py ARGUMENT …       like `python FILE.py ARGUMENT …`

A timer of the kernel counts the CPU of the process (ITIMER_PROF; the kernel's own tick, mostly 4 ms, is the finest it
gets). At each signal every thread of Python is charged, at the place where it is, with the CPU that it had itself
since the signal before. What a library in C takes is charged to the function of Python that called it; threads that
know no Python stay unseen, but for the sum. At the end all sums are written to OUT.json.
"""

from __future__ import annotations

import json
import runpy
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType

INTERVAL_SECONDS = 0.002
MAX_DEPTH = 24
"""Frames of a stack that are kept, innermost first."""


class Sampler:
    """Samples this process from its making to `stop`."""

    def __init__(self) -> None:
        self._seconds: dict[tuple[CodeType, ...], float] = {}
        self._modules: dict[CodeType, str] = {}
        self._samples = 0
        self._own_seconds = 0.0
        self._main = threading.get_ident()
        self._last = {self._main: time.thread_time()}
        """CPU of each thread at the end of the sample before."""
        signal.signal(signal.SIGPROF, self._note)
        signal.setitimer(signal.ITIMER_PROF, INTERVAL_SECONDS, INTERVAL_SECONDS)

    def _note(self, _: int, frame: FrameType | None) -> None:
        began = time.thread_time()
        self._charge(frame, began - self._last[self._main])
        frames = sys._current_frames()
        for thread in frames.keys() - {self._main}:
            seconds = time.clock_gettime(time.pthread_getcpuclockid(thread))
            before = self._last.get(thread, 0.0)
            if seconds > before:
                self._charge(frames[thread], seconds - before)
                self._last[thread] = seconds
        self._samples += 1
        self._last[self._main] = time.thread_time()
        self._own_seconds += self._last[self._main] - began

    def _charge(self, frame: FrameType | None, seconds: float) -> None:
        key = tuple(self._codes(frame))
        self._seconds[key] = self._seconds.get(key, 0.0) + seconds

    def _codes(self, frame: FrameType | None) -> Iterator[CodeType]:
        for _ in range(MAX_DEPTH):
            if frame is None:
                return
            code = frame.f_code
            if code not in self._modules:
                self._modules[code] = frame.f_globals.get("__name__", "")
            yield code
            frame = frame.f_back

    def stop(self) -> dict[str, object]:
        """End it; all that was noted, ready for JSON: seconds by stack, a stack being `module:function` inside out."""
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, signal.SIG_IGN)
        stacks: dict[str, float] = {}
        for stack, seconds in self._seconds.items():
            text = " ".join(f"{self._modules[code]}:{code.co_qualname.replace(' ', '')}" for code in stack)
            stacks[text] = stacks.get(text, 0.0) + seconds
        return {
            "stacks": stacks,
            "samples": self._samples,
            "own_seconds": self._own_seconds,
            "process_seconds": time.process_time(),
        }


def main() -> None:
    """Run the program under the sampler; ends as it ends."""
    out, module = Path(sys.argv[1]), sys.argv[2]
    sys.argv[:] = [module, *sys.argv[3:]]
    sampler = Sampler()
    try:
        if module.endswith(".py"):
            runpy.run_path(module, run_name="__main__")
        else:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
    finally:
        out.write_text(json.dumps(sampler.stop()), encoding="utf-8")


if __name__ == "__main__":
    main()
