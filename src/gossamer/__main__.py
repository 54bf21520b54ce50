"""`python -m gossamer` is `gossamer`."""

from __future__ import annotations

import sys

from gossamer.cli.main import run

if __name__ == "__main__":
    sys.exit(run())
