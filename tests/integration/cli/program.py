"""The real program, in a process of its own or in this one."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import gossamer
from gossamer.cli import main

PATIENCE_SECONDS = 30.0
"""A test that waits longer than this has failed."""
_SOURCES = Path(gossamer.__file__).parent.parent
FAST = ("--delay", "0", "--set", "politeness.delay_factor=0")


class Done(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


class Gossamer:
    """Runs `gossamer` with a folder of its own to stand in: as a process, or, where nothing depends on that, here."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._capsys = capsys
        self._monkeypatch = monkeypatch
        self._running: list[subprocess.Popen[str]] = []

    def run(self, *arguments: str, stdin: str = "") -> Done:
        """Run one command in this process."""
        self._monkeypatch.chdir(self.folder)
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = main.run(arguments)
        return Done(int(code), *self._capsys.readouterr())

    def run_apart(self, *arguments: str) -> Done:
        """Run one command in a process of its own, to its end."""
        process = self.start(*arguments)
        stdout, stderr = process.communicate(timeout=PATIENCE_SECONDS)
        return Done(process.returncode, stdout, stderr)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start one command; it is ended with the test."""
        process = subprocess.Popen(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._running.append(process)
        return process

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "gossamer", *arguments]

    @property
    def environment(self) -> dict[str, str]:
        ours = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES", "NO_COLOR"}}
        return ours | {"PYTHONPATH": str(_SOURCES), "PYTHONUNBUFFERED": "1", "TERM": "xterm-256color"}

    def close(self) -> None:
        for process in self._running:
            if process.poll() is None:
                process.kill()
            process.communicate()


def wait_until(is_so: Callable[[], bool], what: str) -> None:
    """Wait for something outside this process that cannot be awaited."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        threading.Event().wait(0.01)
