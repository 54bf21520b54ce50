"""A sequence of rules: the last answer wins and is named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.config import Scope
from gossamer.scope import build_scope
from gossamer.scope.rule import ACCEPT, NONE, OUT_OF_SCOPE, REJECT, DecideRule, Decision, RuleSequence, Verdict
from gossamer.url.parse import Url, parse

PAGE = parse("http://example.org/a")


class Says:
    is_of_way = True

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


_URLS = st.sampled_from(
    [
        "http://example.org/a",
        "http://other.org/a",
        "http://example.org/x.zip",
        "http://example.org/a/a/a/a/a",
        "ftp://e/",
    ]
)
_SCOPES = st.builds(
    Scope,
    kind=st.sampled_from(["host", "domain", "prefix", "any"]),
    max_depth=st.none() | st.integers(0, 3),
    include=st.sampled_from([(), ("other",)]),
    exclude=st.sampled_from([(), (r"\.zip$",)]),
    max_embed_hops=st.integers(0, 2),
)
_WAYS = st.tuples(st.integers(1, 5), st.text("LER", max_size=25).map(lambda hops: hops + "L"))


@given(_SCOPES, _URLS, _WAYS, st.lists(_WAYS, max_size=5))
def test_what_is_refused_for_good_is_refused_whatever_page_an_ordinary_link_stands_on(
    settings: Scope, href: str, way: tuple[int, str], ways: list[tuple[int, str]]
) -> None:
    scope = build_scope(settings, [PAGE])
    url = parse(href)
    verdict = scope.decide(url, *way, "http://example.org/")
    assert not (verdict.is_accepted and verdict.is_lasting)
    if verdict.is_lasting:
        assert not any(scope.decide(url, depth, hops, None).is_accepted for depth, hops in ways)


def test_a_seed_makes_a_new_revision_of_the_rules() -> None:
    scope = build_scope(Scope(), [PAGE])
    before = scope.revision
    scope.add_seed(parse("http://other.org/"))
    assert scope.revision > before
