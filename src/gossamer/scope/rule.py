"""May this link be crawled? DecideRules answer one by one, and a RuleSequence has the last word.

Each rule answers ACCEPT, REJECT or NONE (not my business); the last answer that is not NONE wins, as in Heritrix, so
that a later rule can always overrule an earlier one. If nobody answers, the link is out of scope. The verdict names the
rule that decided, for the counters and for the answer to "why was this not fetched?".

A sequence is asked once for every link not yet known, so rules are cheap: they look at the parsed URL and at how it was
reached, touch nothing else and keep no state but the seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple, Protocol, runtime_checkable

from gossamer.url.parse import Url


class Decision(Enum):
    """What a rule says."""

    ACCEPT = "accept"
    REJECT = "reject"
    NONE = "none"
    """Not this rule's business."""


ACCEPT = Decision.ACCEPT
REJECT = Decision.REJECT
NONE = Decision.NONE


class Verdict(NamedTuple):
    """A sequence's answer."""

    is_accepted: bool
    rule: str
    """Name of the rule that decided."""
    is_lasting: bool = False
    """An ordinary link to this URL from any other page is refused, too, until the seeds or the settings change."""


@runtime_checkable
class DecideRule(Protocol):
    """One question about a link."""

    @property
    def name(self) -> str:
        """Short and constant, e.g. `max-depth`: counters and reports use it."""

    @property
    def is_of_way(self) -> bool:
        """Whether it looks at how the link was reached, too. Such a rule accepts nothing that an ordinary link leads to."""

    def decide(self, url: Url, depth: int, hops: str, via: str | None) -> Decision:
        """Judge a link to `url` at link depth `depth`, reached by `hops` (empty for a seed) from the page `via`."""


@runtime_checkable
class SeedRule(DecideRule, Protocol):
    """A rule that follows from the seeds."""

    def add_seed(self, url: Url) -> None:
        """Widen the rule by one more seed; idempotent."""


class LastRules(Protocol):
    """Rules behind all others, of which most links need not be told."""

    @property
    def rules(self) -> Sequence[DecideRule]:
        """In order."""

    def is_evident(self, url: Url, hops: str) -> bool:
        """Whether each of them would answer NONE; False says nothing."""


OUT_OF_SCOPE = Verdict(False, "out-of-scope", is_lasting=True)
"""The verdict when no rule answers."""


class RuleSequence:
    """Rules in order; the last answer wins."""

    def __init__(self, rules: Sequence[DecideRule], last: LastRules | None = None) -> None:
        # Looked up once: asking a protocol takes 50 µs, and there may be a million seeds.
        self._seed_rules = tuple(rule for rule in rules if isinstance(rule, SeedRule))
        # Asked from the end, the first answer is the winner, and a rejected link costs only the rules behind it.
        self._backwards = _backwards(rules)
        self._all_backwards = self._backwards if last is None else _backwards(last.rules) + self._backwards
        self._is_evident = None if last is None else last.is_evident
        self.revision = 0
        """Rises when a seed widens the rules: what was refused before may be accepted now."""

    def decide(self, url: Url, depth: int = 0, hops: str = "", via: str | None = None) -> Verdict:
        """The verdict on one link."""
        is_evident = self._is_evident
        asked = self._backwards if is_evident is None or is_evident(url, hops) else self._all_backwards
        for decide, accepted, rejected in asked:
            decision = decide(url, depth, hops, via)
            if decision is not NONE:
                return accepted if decision is ACCEPT else rejected
        return OUT_OF_SCOPE

    def add_seed(self, url: Url) -> None:
        """Widen every rule that follows from the seeds, e.g. by the target of a seed's redirect."""
        self.revision += 1
        for rule in self._seed_rules:
            rule.add_seed(url)


_Asked = tuple[Callable[[Url, int, str, str | None], Decision], Verdict, Verdict]
"""A rule's question, and the verdicts that it gives rise to: accepted, rejected."""


def _backwards(rules: Sequence[DecideRule]) -> tuple[_Asked, ...]:
    return tuple(
        (rule.decide, Verdict(True, rule.name), Verdict(False, rule.name, is_lasting=not rule.is_of_way))
        for rule in reversed(rules)
    )
