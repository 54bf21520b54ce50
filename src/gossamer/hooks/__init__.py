"""The hooks that a user's own code hangs on: what it may override, and who calls it.

`crawler` has the five methods of a WebCrawler; `commands` is what a crawler may ask of the crawl it works for. A `Crew`
holds one crawler per toe (`member`) and has its hooks called: `def` ones in a thread that the toe owns (`thread`), to
which a `relay` brings those that are quick several at a time; `async def` ones in tasks of the loop (`loopcall`). It
bounds them in time (`limits`), outlives their exceptions, and replaces a crawler whose thread does not come back.
`interrupt` tells Ctrl-C from a hook's own doing.
"""

from gossamer.hooks.commands import CrawlCommands
from gossamer.hooks.crawler import GivenBack, HookResult, WebCrawler
from gossamer.hooks.crew import NEW_CRAWLER, Abandoned, Crew
from gossamer.hooks.interrupt import is_ctrl_c
from gossamer.hooks.member import ShouldVisit
from gossamer.hooks.recruits import CrawlerSource, Recruits
from gossamer.hooks.thread import HookThread

__all__ = [
    "NEW_CRAWLER",
    "Abandoned",
    "CrawlCommands",
    "CrawlerSource",
    "Crew",
    "GivenBack",
    "HookResult",
    "HookThread",
    "Recruits",
    "ShouldVisit",
    "WebCrawler",
    "is_ctrl_c",
]
