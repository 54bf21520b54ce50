"""The Python API: a crawl as a part of somebody's program.

`controller` is the CrawlController that a program commands, and keeps a crawl's settings and seeds (`gathering`) until
it begins; `crawl` (`functions`) and `pages` (`stream`) are its two short forms; `script` (`scripting`) is what a program
makes of errors. Below them a `Session` is one crawl in one event loop: the caller's own, or that of a `LoopThread`; its
`place` is the folder that it crawls in, from which `docids` tells of a crawl that is not open. It runs a CrawlJob like
every other crawl; nothing of a crawl is done here.
"""

from gossamer.api.controller import CrawlController
from gossamer.api.functions import crawl
from gossamer.api.scripting import script
from gossamer.api.stream import pages

__all__ = ["CrawlController", "crawl", "pages", "script"]
