"""Running the crawler as a program and measuring its process.

CPU is user and system time of the process and every child it waited for, as the kernel counts them at its end; start-up
and shutdown are in it.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer

from .weburl import authority_of

GOSSAMER = (sys.executable, "-m", "gossamer")


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlCommand:
    """How the crawler is called."""

    seeds: tuple[str, ...]
    toes: int = 50
    connections: int = 1
    """Requests at once to a host."""
    program: tuple[str, ...] = GOSSAMER
    is_fenced: bool = True
    """Other ports of the seeds' hosts are kept out by a pattern, which is searched in every new link. Without it the
    scope is what it is in most crawls: the hosts."""
    options: tuple[str, ...] = field(default=())
    """Further options of `crawl`."""

    def line(self, job: Path) -> list[str]:
        """The command line of a crawl in this job folder, without delays, that asks for nothing but the seeds' hosts."""
        fixed = ["--job", str(job), "--delay", "0", "--scope", "host", "--quiet"]
        if self.is_fenced:
            hosts = sorted({authority_of(seed) for seed in self.seeds})
            fixed += ["--include", "^https?://(" + "|".join(map(re.escape, hosts)) + ")/"]
        # Without this a host still rests as long as each fetch took, and more connections would be of no use.
        fixed += ["--set", "politeness.delay_factor=0", "--set", "scope.max_embed_hops=0"]
        fixed += ["--toes", str(self.toes), "--connections", str(self.connections)]
        return [*self.program, "crawl", *self.seeds, *fixed, *self.options]


@dataclass(frozen=True, slots=True)
class Ran:
    """One process, from start to exit."""

    exit_code: int
    """Negative: the signal that ended it."""
    wall_seconds: float
    cpu_seconds: float
    peak_rss_bytes: int
    output: str
    """The end of what it printed."""


def run(line: Sequence[str], folder: Path, *, timeout_seconds: float = 3600.0) -> Ran:
    """Run a command to its end; its output goes to a file in `folder`. A timeout kills its process group."""
    folder.mkdir(parents=True, exist_ok=True)
    output = folder / "output.txt"
    started = time.monotonic()
    process = begin(line, output)
    timer = Timer(timeout_seconds, os.killpg, (process.pid, signal.SIGKILL))
    timer.start()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    wall = time.monotonic() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    rss = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Ran(process.returncode, wall, usage.ru_utime + usage.ru_stime, rss, tail_of(output))


def begin(line: Sequence[str], output: Path) -> subprocess.Popen[bytes]:
    """Start a command, the first of a process group; what it says goes to a file."""
    with output.open("wb") as sink:
        return subprocess.Popen(
            line,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=environment(),
        )


def environment() -> dict[str, str]:
    """Of a measured process: like ours, but its modules are compiled once and kept, as an installed program's are."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def tail_of(output: Path, size: int = 4000) -> str:
    """The end of a text file."""
    return output.read_bytes()[-size:].decode("utf-8", "replace")
