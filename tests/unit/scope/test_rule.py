"""A sequence of rules: the last answer wins and is named."""

from __future__ import annotations

import pytest

from gossamer.scope.rule import ACCEPT, NONE, OUT_OF_SCOPE, REJECT, DecideRule, Decision, RuleSequence, Verdict
from gossamer.url.parse import Url, parse

PAGE = parse("http://example.org/a")


class Says:
    def __init__(self, name: str, decision: Decision) -> None:
        self.name = name
        self._decision = decision

    def decide(self, url: Url, depth: int, hops: str, via: str | None) -> Decision:
        return self._decision


@pytest.mark.parametrize(
    ("decisions", "verdict"),
    [
        ([], OUT_OF_SCOPE),
        ([NONE, NONE], OUT_OF_SCOPE),
        ([ACCEPT], Verdict(True, "rule 0")),
        ([ACCEPT, REJECT], Verdict(False, "rule 1")),
        ([REJECT, ACCEPT], Verdict(True, "rule 1")),
        ([ACCEPT, REJECT, NONE], Verdict(False, "rule 1")),
    ],
)
def test_the_last_answer_wins_and_names_its_rule(decisions: list[Decision], verdict: Verdict) -> None:
    rules: list[DecideRule] = [Says(f"rule {i}", decision) for i, decision in enumerate(decisions)]
    assert RuleSequence(rules).decide(PAGE) == verdict


def test_a_rule_is_told_how_the_link_was_reached() -> None:
    asked: list[tuple[Url, int, str, str | None]] = []

    class Listens(Says):
        def decide(self, url: Url, depth: int, hops: str, via: str | None) -> Decision:
            asked.append((url, depth, hops, via))
            return NONE

    RuleSequence([Listens("listens", NONE)]).decide(PAGE, 2, "LL", "http://example.org/")
    assert asked == [(PAGE, 2, "LL", "http://example.org/")]
