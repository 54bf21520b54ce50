"""What may differ between the configuration a job was begun with and the one it is to go on with.

Nearly everything may: limits are totals and can be raised, toes and politeness turned. What may not is what the work
done so far depends on. Links that the old scope refused were counted and dropped, so a wider one would miss them
without a word; an archive switched on halfway would look whole. Those are refused, with what to do instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gossamer.config.record import fields_of
from gossamer.config.settings import CrawlConfig, Scope
from gossamer.config.write import toml
from gossamer.errors import ConfigError
from gossamer.util.terminal import printable

FRESH = "start over with --fresh (what there is moves aside), or use another folder with --job"

FIXED: Mapping[tuple[str, str], str] = {
    **{("scope", name): "links refused so far were not kept" for name in fields_of(Scope)},
    ("warc", "enabled"): "the archive would hold a part of the crawl and look whole",
}
"""Settings that stay for the life of a job, and why."""


def check_changes(stored: CrawlConfig, wanted: CrawlConfig, remedy: str = FRESH) -> None:
    """Raise ConfigError if a job begun with `stored` cannot go on with `wanted`; `remedy` is what to do instead."""
    refused = []
    for (group, name), why in FIXED.items():
        old, new = (getattr(getattr(config, group), name) for config in (stored, wanted))
        if old != new:
            field = fields_of(getattr(stored, group))[name]
            shown = [("none" if value is None else toml(field, value)) for value in (old, new)]
            refused.append(f"{group}.{name} is {shown[0]} in this job and cannot become {shown[1]}: {why}")
    if refused:
        raise ConfigError("\n".join([*refused, remedy]))


def check_seeds(stored: Sequence[str], wanted: Sequence[str]) -> None:
    """Raise ConfigError if a job begun with the seeds `stored` was given others. The order does not matter."""
    known, asked = set(stored), set(wanted)
    added = [seed for seed in wanted if seed not in known]
    missing = [seed for seed in stored if seed not in asked]
    if added or missing:
        word, seeds = ("has no seed", added) if added else ("also has the seed", missing)
        more = f" and {len(seeds) - 1} more" if len(seeds) > 1 else ""
        raise ConfigError(f"this job {word} {printable(seeds[0], 200)}{more}\ngive it the same seeds, {FRESH}")
