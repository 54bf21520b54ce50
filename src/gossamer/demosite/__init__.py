"""The demo site: a synthetic web site that Gossamer serves itself, on loopback, and whose truth is known.

A `DemoPlan` says how large it is and what it does; a `DemoSite` holds its content and knows which URLs an ideal crawl
finds (`expected`, `expected_pages`) and which it must never ask for (`forbidden`). It is served by a `DemoServer` in
the running event loop, by a `DemoThread`, or by a `DemoProcess`. The server's log says what was asked and when.

    plan -> site -> server -> log
             |                 |
             `-- the truth ----'-- what a crawler really did

Standard library only, and nothing of the crawler: what judges the crawler must not share its mistakes.
"""

from __future__ import annotations

from gossamer.demosite.background import DemoProcess, DemoThread
from gossamer.demosite.plan import DemoPlan
from gossamer.demosite.requestlog import Request, RequestLog, largest_concurrency, read_log, smallest_gap
from gossamer.demosite.server import DemoServer
from gossamer.demosite.site import DemoSite, Expected

__all__ = [
    "DemoPlan",
    "DemoProcess",
    "DemoServer",
    "DemoSite",
    "DemoThread",
    "Expected",
    "Request",
    "RequestLog",
    "largest_concurrency",
    "read_log",
    "smallest_gap",
]
