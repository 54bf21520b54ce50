"""Settings by their dotted names, as a command line gives them: `politeness.max_delay=10s`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gossamer.config.problems import InvalidSettings, Problem, not_a_setting
from gossamer.config.record import fields_of
from gossamer.config.settings import FLAT_NAMES, GROUPS, CrawlConfig, changed


def with_named(config: CrawlConfig, named: Mapping[str, Any]) -> CrawlConfig:
    """`config` with some settings changed, e.g. {"politeness.max_delay": "10s", "max_pages": 5}.

    A name is that of a file (`group.setting`, `toes`) or a flat one. Raises ConfigError, for all mistakes at once.
    """
    groups: dict[str, dict[str, Any]] = {}
    direct: dict[str, Any] = {}
    problems = []
    for name, value in named.items():
        group, _, setting = name.partition(".")
        if name in FLAT_NAMES:
            group, setting = FLAT_NAMES[name]
        if group in GROUPS and setting:
            groups.setdefault(group, {})[setting] = value
        elif name in fields_of(CrawlConfig) and name not in GROUPS:
            direct[name] = value
        else:
            problems.append(Problem((name,), _unknown(name)))
    for group, changes in groups.items():
        try:
            direct[group] = changed(getattr(config, group), changes)
        except InvalidSettings as exc:
            problems += exc.problems
    try:
        made = config.replace(**direct)
    except InvalidSettings as exc:
        problems += exc.problems
    if problems:
        raise InvalidSettings(problems)
    return made


def _unknown(name: str) -> str:
    known = [f"{group}.{setting}" for group, kind in GROUPS.items() for setting in fields_of(kind)]
    same = [full for full in known if full.endswith(f".{name.rpartition('.')[2]}")]
    return f"is not a setting; did you mean {same[0]}?" if same else not_a_setting(name, [*known, "toes", *FLAT_NAMES])
