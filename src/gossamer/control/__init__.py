"""Commanding a crawl: its states, its limits, its assembly and its end.

`state` is the table; `controller` the one who fires its events; `assembly` puts the parts together; `crawl` holds them
open; `committer` makes work durable; `limits` watches for reasons to end; `seeding` begins; `progress` tells.
"""

from gossamer.control.assembly import new_controller
from gossamer.control.controller import CrawlController, FinalLook
from gossamer.control.paths import JobPaths
from gossamer.control.progress import Progress, look
from gossamer.control.seeding import SeedOutcome
from gossamer.control.state import CrawlEvent, CrawlState, ExitStatus

__all__ = [
    "CrawlController",
    "CrawlEvent",
    "CrawlState",
    "ExitStatus",
    "FinalLook",
    "JobPaths",
    "Progress",
    "SeedOutcome",
    "look",
    "new_controller",
]
