"""Runs an example as it stands, but with no rest between requests: `python quickly.py examples/01_basic.py ARGUMENT…`

The examples are as polite as any crawl; a test that waited for that would take minutes.
"""

from __future__ import annotations

import runpy
import signal
import sys

from gossamer.config import CrawlConfig, Politeness

CrawlConfig.politeness = Politeness(delay=0, throttle_start=0.01)

# As from a terminal; a shell that runs its tests in the background has children ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
