"""Settings: what can be set, how a file gives it and is written, what may change later, and the documentation."""

from gossamer.config.changes import check_changes, check_seeds
from gossamer.config.load import FILE_NAME, load, parse_settings
from gossamer.config.named import with_named
from gossamer.config.problems import InvalidSettings, Problem
from gossamer.config.settings import (
    CrawlConfig,
    Dns,
    Durability,
    Extraction,
    Fetching,
    Limits,
    Politeness,
    Robots,
    Scope,
    ScopeKind,
    Settings,
    Warc,
)
from gossamer.config.write import render

__all__ = [
    "FILE_NAME",
    "CrawlConfig",
    "Dns",
    "Durability",
    "Extraction",
    "Fetching",
    "InvalidSettings",
    "Limits",
    "Politeness",
    "Problem",
    "Robots",
    "Scope",
    "ScopeKind",
    "Settings",
    "Warc",
    "check_changes",
    "check_seeds",
    "load",
    "parse_settings",
    "render",
    "with_named",
]
