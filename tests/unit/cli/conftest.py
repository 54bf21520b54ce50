"""Commands log to standard error from their start on; no test may leave that behind for others."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("gossamer")
    handlers, level, raises = root.handlers[:], ours.level, logging.raiseExceptions
    yield
    root.handlers[:] = handlers
    ours.setLevel(level)
    logging.raiseExceptions = raises
