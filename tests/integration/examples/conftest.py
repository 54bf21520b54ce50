"""Examples as processes, and sites for them on loopback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

import gossamer
from gossamer.demosite import DemoPlan, DemoThread

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "examples"
PATIENCE_SECONDS = 60.0
"""An example that takes longer has failed."""


PATH = {"PYTHONPATH": str(Path(gossamer.__file__).parents[1])}


def command(name: str, *arguments: str) -> list[str]:
    """What runs an example."""
    return [sys.executable, "-P", str(HERE / "quickly.py"), str(EXAMPLES / name), *arguments]


class RunExample(Protocol):
    """Runs an example to its end; what it printed. Fails if it said anything on stderr or ended with another code than
    0, unless a complaint is expected: then that must be all, and the code 2.
    """

    def __call__(self, name: str, *arguments: str, complaint: str = "", **environment: str) -> str: ...


@pytest.fixture
def run_example(tmp_path: Path) -> RunExample:
    def run(name: str, *arguments: str, complaint: str = "", **environment: str) -> str:
        ran = subprocess.run(
            command(name, *arguments),
            cwd=tmp_path,
            env=os.environ | PATH | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        assert ran.returncode == (2 if complaint else 0), ran.stderr
        assert complaint in ran.stderr and bool(ran.stderr) == bool(complaint), ran.stderr
        assert "Traceback" not in ran.stderr and len(ran.stderr.splitlines()) <= 2, ran.stderr
        return ran.stdout

    return run


@pytest.fixture
def site() -> Iterator[DemoThread]:
    """Six pages, and nothing odd."""
    with DemoThread(DemoPlan(pages=6, oddities=False, median_bytes=4000)) as demo:
        yield demo


@pytest.fixture
def odd_site() -> Iterator[DemoThread]:
    """One page, and redirects, errors and slow answers of every kind."""
    with DemoThread(DemoPlan(pages=1, slow_seconds=0.05, retry_after_seconds=0, median_bytes=4000)) as demo:
        yield demo
