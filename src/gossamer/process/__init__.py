"""The workers and their chains: the only place where frontier, scope, fetch, extract, robots and archive meet.

A URI's way: `toe` takes it; `robotsgate` -> `logingate` -> `fetching` -> `loginwatch` -> `extracting` (the fetch chain,
where a gate may ask for a `prerequisite` first); `candidate`, and around it `hooking`, which calls the user's own code
(the disposition chain); `disposing` decides its fate; `writing` archives and settles it in one step. `services` is all
that these know of the rest of the crawl. `toepool` keeps as many toes as it is told.
"""

from gossamer.process.archivist import Archivist
from gossamer.process.candidate import FALLBACK, CandidateMaker, Candidates
from gossamer.process.chain import Chain, Flow, Processor
from gossamer.process.extracting import Extracting
from gossamer.process.fetching import Fetching
from gossamer.process.hooking import HOOKING, Asking, Failing, Visiting
from gossamer.process.login import Logins
from gossamer.process.logingate import LoginGate
from gossamer.process.loginwatch import LoginWatch
from gossamer.process.robotsgate import RobotsGate
from gossamer.process.services import LocalServices, ToeServices
from gossamer.process.toe import Toe, ToeReport, ToeStep
from gossamer.process.toepool import ToePool
from gossamer.process.writing import Writer

__all__ = [
    "FALLBACK",
    "HOOKING",
    "Archivist",
    "Asking",
    "CandidateMaker",
    "Candidates",
    "Chain",
    "Extracting",
    "Failing",
    "Fetching",
    "Flow",
    "LocalServices",
    "LoginGate",
    "LoginWatch",
    "Logins",
    "Processor",
    "RobotsGate",
    "Toe",
    "ToePool",
    "ToeReport",
    "ToeServices",
    "ToeStep",
    "Visiting",
    "Writer",
]
