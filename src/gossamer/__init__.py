"""Gossamer: a web crawler and archiver that loses nothing.

    import gossamer

    class Docs(gossamer.WebCrawler):
        def should_visit(self, page, url):
            return not url.path.endswith(".zip")

        def visit(self, page):
            print(page.url, page.title)

    controller = gossamer.CrawlController(max_depth=3)
    controller.add_seed("https://docs.python.org/3/")
    controller.start(Docs, toes=10)

    WebCrawler        what to do with pages: should_visit, visit, on_fetch_failed, on_start, on_finish
    CrawlController   one crawl: add_seed, start, wait, pause, shutdown, counts
    crawl, pages      a crawl in one call; as `async for page in gossamer.pages(url)`
    Page, Link        what hooks are given: a fetched page, a URL with its parts; Failure, why one was given up
    CrawlConfig       all settings; Limits, Scope, Politeness, Fetching, …: its groups, each with help of its own
    UriFinished       an event for `CrawlController.subscribe`; CrawlStateChanged, HookFailed
    CrawlOutcome      how a crawl ended; ExitStatus, Progress, FrontierCounts, SeedOutcome: what it tells
    ConfigError       what the operator must mend; GossamerError is above all errors
    script            `with gossamer.script():` ends a program on an error with a message instead of a traceback

What is named in `__all__` is the public API. A name is loaded when it is first used: the command line, which uses none
of them, need not wait for them. docs/tutorial.md is where to begin.
"""

from __future__ import annotations

import gc
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gossamer.version import __version__

if TYPE_CHECKING:
    from gossamer.api import CrawlController, crawl, pages, script
    from gossamer.config import (
        Cookies,
        CrawlConfig,
        Credential,
        Dns,
        Durability,
        Extraction,
        Fetching,
        Hooks,
        InvalidSettings,
        Limits,
        Login,
        LoginForm,
        Politeness,
        Robots,
        Scope,
        Warc,
    )
    from gossamer.control import ExitStatus, Progress, SeedOutcome
    from gossamer.errors import (
        ConfigError,
        CrawlFailed,
        DiskFull,
        GossamerError,
        JobInUse,
        StateError,
        StorageError,
    )
    from gossamer.fetch.dns import Resolver
    from gossamer.frontier import FrontierCounts
    from gossamer.hooks import WebCrawler
    from gossamer.jobs import CrawlOutcome
    from gossamer.model.events import CrawlStateChanged, HookFailed, UriFinished
    from gossamer.model.failure import Failure
    from gossamer.model.fetchstatus import FetchStatus
    from gossamer.model.link import Link
    from gossamer.model.page import Page

_HOMES = {
    "gossamer.api": ("CrawlController", "crawl", "pages", "script"),
    "gossamer.config": (
        "Cookies",
        "CrawlConfig",
        "Credential",
        "Dns",
        "Durability",
        "Extraction",
        "Fetching",
        "Hooks",
        "InvalidSettings",
        "Limits",
        "Login",
        "LoginForm",
        "Politeness",
        "Robots",
        "Scope",
        "Warc",
    ),
    "gossamer.control": ("ExitStatus", "Progress", "SeedOutcome"),
    "gossamer.errors": (
        "ConfigError",
        "CrawlFailed",
        "DiskFull",
        "GossamerError",
        "JobInUse",
        "StateError",
        "StorageError",
    ),
    "gossamer.fetch.dns": ("Resolver",),
    "gossamer.frontier": ("FrontierCounts",),
    "gossamer.hooks": ("WebCrawler",),
    "gossamer.jobs": ("CrawlOutcome",),
    "gossamer.model.events": ("CrawlStateChanged", "HookFailed", "UriFinished"),
    "gossamer.model.failure": ("Failure",),
    "gossamer.model.fetchstatus": ("FetchStatus",),
    "gossamer.model.link": ("Link",),
    "gossamer.model.page": ("Page",),
}
"""Module -> the public names that it defines."""

_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ConfigError",
    "Cookies",
    "CrawlConfig",
    "CrawlController",
    "CrawlFailed",
    "CrawlOutcome",
    "CrawlStateChanged",
    "Credential",
    "DiskFull",
    "Dns",
    "Durability",
    "ExitStatus",
    "Extraction",
    "Failure",
    "FetchStatus",
    "Fetching",
    "FrontierCounts",
    "GossamerError",
    "HookFailed",
    "Hooks",
    "InvalidSettings",
    "JobInUse",
    "Limits",
    "Link",
    "Login",
    "LoginForm",
    "Page",
    "Politeness",
    "Progress",
    "Resolver",
    "Robots",
    "Scope",
    "SeedOutcome",
    "StateError",
    "StorageError",
    "UriFinished",
    "Warc",
    "WebCrawler",
    "__version__",
    "crawl",
    "pages",
    "script",
]


if not TYPE_CHECKING:  # who checks types sees the names above, and no other

    def __getattr__(name: str) -> Any:
        if name not in _HOME_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(_loaded(_HOME_OF[name]), name)
        globals()[name] = value
        return value


def _loaded(home: str) -> ModuleType:
    # Hardly anything that an import makes is garbage, and the collector of cycles would look through it time and again:
    # a twentieth of what it takes to begin a crawl.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return import_module(home)
    finally:
        if was_enabled:
            gc.enable()


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
