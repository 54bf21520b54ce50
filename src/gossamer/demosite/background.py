"""The demo server beside the caller: in a thread of this process, or in a process of its own.

In a thread its log can be read at any time, but it shares the interpreter; in a process it takes no time from what is
being measured, and its log is a file. Both are context managers that leave nothing behind. The process ends with its
parent: it watches its standard input, which closes when the parent is gone, however it went.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from dataclasses import fields
from pathlib import Path
from types import TracebackType

from gossamer.demosite.plan import DemoPlan
from gossamer.demosite.requestlog import Request, read_log
from gossamer.demosite.server import DemoServer, Spread
from gossamer.demosite.site import DemoSite


class DemoThread:
    """A demo server with an event loop in a thread of its own."""

    def __init__(self, plan: DemoPlan | None = None, *, port: int = 0, spread: Spread = "ports") -> None:
        self.server = DemoServer(plan, port=port, spread=spread)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="demosite", daemon=True)

    @property
    def site(self) -> DemoSite:
        return self.server.site

    @property
    def seeds(self) -> list[str]:
        return self.server.seeds

    @property
    def requests(self) -> list[Request]:
        """A copy of the log as it is now, in the order the requests began."""
        return list(self.server.log.requests)

    def start(self) -> None:
        """Serve when this returns. Raises OSError if the ports cannot be had."""
        self._thread.start()
        try:
            asyncio.run_coroutine_threadsafe(self.server.start(), self._loop).result()
        except BaseException:
            self._end()
            raise

    def close(self) -> None:
        """Stop and end the thread."""
        asyncio.run_coroutine_threadsafe(self.server.close(), self._loop).result()
        self._end()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> DemoThread:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class DemoProcess:
    """A demo server in a process of its own."""

    def __init__(
        self, plan: DemoPlan | None = None, *, port: int = 0, spread: Spread = "ports", log: Path | None = None
    ) -> None:
        """`log` is a file for the requests; without one there is no log."""
        self.plan = plan or DemoPlan()
        self.log = log
        self._arguments = ["--port", str(port), "--spread", spread, *_arguments(self.plan)]
        if log is not None:
            self._arguments += ["--log", str(log)]

    def start(self) -> None:
        """Serve when this returns. Raises RuntimeError with the reason if the process did not come up."""
        command = [sys.executable, "-m", "gossamer.demosite", "--until-stdin-closes", *self._arguments]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        urls = [self._process.stdout.readline().strip() for _ in range(self.plan.hosts)]
        if not urls[-1]:
            raise RuntimeError(f"the demo server did not start: {self._process.communicate()[1].strip()}")
        self.site = DemoSite(self.plan, [url.removeprefix("http://").rstrip("/") for url in urls])

    @property
    def seeds(self) -> list[str]:
        return self.site.seeds

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def requests(self) -> list[Request]:
        """The log file as it is now; empty without one."""
        return read_log(self.log) if self.log is not None and self.log.exists() else []

    def close(self) -> None:
        """Ask it to end, and wait until it has."""
        self._process.communicate()

    def __enter__(self) -> DemoProcess:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _arguments(plan: DemoPlan) -> list[str]:
    """The plan as options of `python -m gossamer.demosite`."""
    options: list[str] = []
    for field in fields(plan):
        value = getattr(plan, field.name)
        name = field.name.replace("_", "-")
        if isinstance(value, bool):
            options.append(f"--{name}" if value else f"--no-{name}")
        elif value is not None:
            options += [f"--{name}", str(value)]
    return options
