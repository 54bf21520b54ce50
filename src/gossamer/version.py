"""The version of the program, below everything that names it: the user agent, warcinfo records, `--version`."""

from __future__ import annotations

__version__ = "0.1.0"
