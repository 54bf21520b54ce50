"""Kills at a chosen system call, by strace's injection, and what a trace says about the moment.

`inject=write:signal=KILL:when=N` ends the process as it enters the N-th write of one of its threads, before the kernel
carries it out. The traced calls are those that change files, so the trace tells between which two of them it happened.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

CALLS = (
    "write",
    "writev",
    "pwrite64",
    "pwritev",
    "ftruncate",
    "fallocate",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
)
WRITES = CALLS[:4]
_LINE = re.compile(r"^(\d+)\s+(?:<\.\.\. (\w+) resumed>|(\w+)\((.*))")
_PATH = re.compile(r"^\d+<([^>]*)>")


@dataclass(frozen=True, slots=True)
class Call:
    """One system call of a trace."""

    thread: int
    name: str
    place: str
    """`warc`, `crawl.log`, `store log` (the write-ahead log), `store`, `socket` or `other`."""
    is_done: bool
    """False: it was being entered when the process ended."""


def is_usable() -> bool:
    """Whether there is a strace that may trace and inject here."""
    strace = shutil.which("strace")
    if strace is None:
        return False
    probe = [strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=write", "-e", "inject=write:signal=KILL:when=1"]
    done = subprocess.run([*probe, "sh", "-c", "echo x"], capture_output=True, check=False)
    return done.returncode in (-9, 137)


def traced(line: Sequence[str], trace: Path, kill_at: tuple[str, int] | None = None) -> list[str]:
    """The command under strace; `kill_at` is (system call, its count within a thread)."""
    options = ["-f", "-qq", "-y", "-s", "0", "-e", "signal=none", "-o", str(trace), "-e", "trace=" + ",".join(CALLS)]
    if kill_at is not None:
        options += ["-e", f"inject={kill_at[0]}:signal=KILL:when={kill_at[1]}"]
    return ["strace", *options, *line]


def read_trace(trace: Path) -> list[Call]:
    """The calls of a trace in the order they ended; those that never did come last."""
    calls: list[Call] = []
    open_calls: dict[int, Call] = {}
    for line in _lines(trace):
        match = _LINE.match(line)
        if match is None:
            continue
        thread = int(match[1])
        if match[2]:
            begun = open_calls.pop(thread, None)
            if begun is not None and "= ?" not in line:
                calls.append(Call(thread, begun.name, begun.place, is_done=True))
            elif begun is not None:
                open_calls[thread] = begun
            continue
        call = Call(thread, match[3], _place(match[4]), is_done=False)
        if line.endswith("<unfinished ...>") or line.rstrip().endswith("= ?"):
            open_calls[thread] = call
        else:
            calls.append(Call(thread, call.name, call.place, is_done=True))
    return [*calls, *open_calls.values()]


def is_between_append_and_batch(calls: Sequence[Call]) -> bool:
    """Whether records had been appended to a WARC file that no batch of the store had yet followed."""
    has_appended = False
    for call in calls:
        if call.is_done and call.name in WRITES:
            if call.place == "warc":
                has_appended = True
            elif call.place == "store log":
                has_appended = False
    return has_appended


def batch_positions(calls: Sequence[Call]) -> list[tuple[str, int]]:
    """(system call, count within its thread) of each batch that follows an append: where to aim."""
    counts: dict[tuple[int, str], int] = {}
    positions: list[tuple[str, int]] = []
    has_appended = False
    for call in calls:
        counts[call.thread, call.name] = counts.get((call.thread, call.name), 0) + 1
        if call.name in WRITES and call.place == "warc":
            has_appended = True
        elif call.name in WRITES and call.place == "store log" and has_appended:
            positions.append((call.name, counts[call.thread, call.name]))
            has_appended = False
    return positions


def busiest_writes(calls: Sequence[Call]) -> list[tuple[str, int]]:
    """For each kind of write to a file of the job: how often the busiest thread made it, sockets included."""
    counts = Counter((call.name, call.thread) for call in calls)
    names = {call.name for call in calls if call.name in WRITES and call.place not in ("socket", "other")}
    return [(name, max(n for (other, _), n in counts.items() if other == name)) for name in sorted(names)]


def _lines(trace: Path) -> Iterator[str]:
    with trace.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            yield line.rstrip("\n")


def _place(arguments: str) -> str:
    """What a call's first argument stands for."""
    match = _PATH.match(arguments)
    path = match[1] if match else arguments.split('"')[1] if '"' in arguments else ""
    if "/warcs/" in path:
        return "warc"
    if "/logs/crawl" in path:
        return "crawl.log"
    if "/state/" in path:
        return "store log" if re.search(r"/\d+\.log$", path) else "store"
    return "socket" if path.startswith(("socket:", "TCP", "pipe:", "anon_inode:")) else "other"
