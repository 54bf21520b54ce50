"""A demo site on loopback, and the program."""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from gossamer.demosite import DemoPlan, DemoThread

from .program import Gossamer


@pytest.fixture
def gossamer(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Gossamer]:
    handlers, on_sigterm = logging.getLogger().handlers[:], signal.getsignal(signal.SIGTERM)
    program = Gossamer(tmp_path, capsys, monkeypatch)
    yield program
    program.close()
    logging.getLogger().handlers[:] = handlers
    signal.signal(signal.SIGTERM, on_sigterm)


@pytest.fixture
def site() -> Iterator[DemoThread]:
    """Eight pages and nothing odd."""
    with DemoThread(DemoPlan(pages=8, oddities=False, median_bytes=4000)) as site:
        yield site


@pytest.fixture
def slow_site() -> Iterator[DemoThread]:
    """Has a page, `/odd/slow`, that takes a minute."""
    with DemoThread(DemoPlan(pages=1, slow_seconds=60.0, median_bytes=4000)) as site:
        yield site
