"""What may be changed while a crawl runs, and which part is told.

The list is short on purpose: everything else is handed out when the crawl is opened, and takes a new start. A change is
checked whole before any part of it is done. A lower delay is felt by each host after the rest it is in; links that were
refused by the old scope are not asked again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gossamer.config import CrawlConfig, InvalidSettings, Problem, with_named
from gossamer.config.settings import FLAT_NAMES
from gossamer.control.crawl import Crawl

CHANGEABLE = (
    "toes",
    "politeness.delay",
    "politeness.delay_factor",
    "politeness.max_delay",
    "politeness.connections_per_host",
    "limits.max_pages",
    "limits.max_time",
    "limits.max_bytes",
    "limits.min_free_space",
    "limits.stop_grace",
    "limits.pause_grace",
    "scope.max_depth",
    "scope.include",
    "scope.exclude",
)
"""By their dotted names, in the order in which they are shown."""


def changed_config(config: CrawlConfig, changes: Mapping[str, Any]) -> CrawlConfig:
    """The configuration with `changes` made; names are dotted or flat. Raises ConfigError for what may not change."""
    changed = with_named(config, changes)  # a name that is none is told before what may not be changed
    fixed = [
        Problem((name,), f"cannot be changed while the crawl runs; {', '.join(CHANGEABLE)} can")
        for name in changes
        if full_name(name) not in CHANGEABLE
    ]
    if fixed:
        raise InvalidSettings(fixed)
    return changed


def full_name(name: str) -> str:
    """The dotted name of a setting that may have a flat one."""
    return ".".join(FLAT_NAMES[name]) if name in FLAT_NAMES else name


def changeable_values(config: CrawlConfig) -> dict[str, Any]:
    """What may be changed, as it is now."""
    return {name: _value(config, name) for name in CHANGEABLE}


def _value(config: CrawlConfig, name: str) -> Any:
    value: Any = config
    for part in name.split("."):
        value = getattr(value, part)
    return value


def apply(crawl: Crawl, before: CrawlConfig, after: CrawlConfig) -> None:
    """Tell the parts of an open crawl what differs. Raises ConfigError, with nothing changed, for a bad pattern."""
    if after.scope != before.scope:
        crawl.maker.set_scope(crawl.seeding.scope(after.scope))
    if after.politeness != before.politeness:
        crawl.frontier.set_politeness(after.politeness)
    if after.limits != before.limits:
        crawl.frontier.set_max_pages(after.limits.max_pages)
        crawl.limits.change(after.limits)
    if after.toes != before.toes:
        crawl.toes.set_size(after.toes)
