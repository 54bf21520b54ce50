"""From settings and seeds to the sequence of rules that a crawl is scoped by.

In order, each overruling those before: the place the seeds define; what pages there embed; the operator's patterns;
depth; sanity of the URL. A rule that could never answer under these settings is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gossamer.config import Scope
from gossamer.scope.hop_rules import MaxDepthRule, TransclusionRule
from gossamer.scope.regex_rules import ExcludeRule, IncludeRule
from gossamer.scope.rule import DecideRule, RuleSequence
from gossamer.scope.sanity import Sanity
from gossamer.scope.seed_rules import AnywhereRule, DomainRule, FolderRule, HostRule
from gossamer.url.domain import Suffixes, bundled_suffixes
from gossamer.url.parse import Url

_PLACES: dict[str, Callable[[Suffixes], DecideRule]] = {
    "host": lambda suffixes: HostRule(),
    "domain": DomainRule,
    "prefix": lambda suffixes: FolderRule(),
    "any": lambda suffixes: AnywhereRule(),
}


def build_scope(settings: Scope, seeds: Iterable[Url], suffixes: Suffixes | None = None) -> RuleSequence:
    """The rules for these settings, knowing these seeds. Raises ConfigError for a bad pattern.

    `suffixes` tells registered domains; None = the bundled list.
    """
    rules: list[DecideRule] = [_PLACES[settings.kind](suffixes or bundled_suffixes())]
    if settings.max_embed_hops:
        rules.append(TransclusionRule(settings.max_embed_hops))
    if settings.include:
        rules.append(IncludeRule(settings.include))
    if settings.exclude:
        rules.append(ExcludeRule(settings.exclude))
    if settings.max_depth is not None:
        rules.append(MaxDepthRule(settings.max_depth))
    scope = RuleSequence(rules, Sanity(settings))
    for seed in seeds:
        scope.add_seed(seed)
    return scope
