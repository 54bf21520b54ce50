"""Commanding a crawl: its states, its limits, its assembly and its end.

`state` is the table; `controller` the one who fires its events; `assembly` puts the parts together; `crawl` holds them
open; `committer` makes work durable; `seeding` begins; `remembering` is for cookies and accounts, `suffixes` for what
one site is; `progress` tells. `limits` watches for reasons to end, `monitor` for toes that are stuck, `network` for a
proxy that fails: what they may say is in `commanded`. What an operator may do meanwhile: `adding`, `changing`,
`deleting`, and `checkpoint`, whose results `manifest` lists and `restoring` goes back to. `keeping` is what all of it
needs of a job's folder, `paths` what lies where in it, `space` how a full disk is waited out.
"""

from gossamer.control.adding import Added
from gossamer.control.assembly import new_controller
from gossamer.control.changing import CHANGEABLE, changeable_values
from gossamer.control.checkpoint import Checkpoint
from gossamer.control.controller import CrawlController, FinalLook
from gossamer.control.keeping import JobRecord
from gossamer.control.manifest import LATEST, Listed, Manifest, find_checkpoint, list_checkpoints, remove
from gossamer.control.paths import JobPaths
from gossamer.control.progress import Progress, look
from gossamer.control.restoring import Restored, restore
from gossamer.control.seeding import Noted, SeedOutcome
from gossamer.control.state import CrawlEvent, CrawlState, ExitStatus

__all__ = [
    "CHANGEABLE",
    "LATEST",
    "Added",
    "Checkpoint",
    "CrawlController",
    "CrawlEvent",
    "CrawlState",
    "ExitStatus",
    "FinalLook",
    "JobPaths",
    "JobRecord",
    "Listed",
    "Manifest",
    "Noted",
    "Progress",
    "Restored",
    "SeedOutcome",
    "changeable_values",
    "find_checkpoint",
    "list_checkpoints",
    "look",
    "new_controller",
    "remove",
    "restore",
]
