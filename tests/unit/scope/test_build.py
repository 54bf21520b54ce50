"""The sequence that settings and seeds make."""

from __future__ import annotations

import pytest

from gossamer.config import Scope
from gossamer.scope import Verdict, build_scope
from gossamer.url.parse import parse

SEED = parse("http://www.example.org/docs/")


@pytest.mark.parametrize(
    ("kind", "accepted"),
    [
        ("prefix", {"http://www.example.org/docs/a"}),
        ("host", {"http://www.example.org/docs/a", "https://www.example.org/"}),
        ("domain", {"http://www.example.org/docs/a", "https://www.example.org/", "http://example.org:81/"}),
        (
            "any",
            {"http://www.example.org/docs/a", "https://www.example.org/", "http://example.org:81/", "http://e.com/"},
        ),
    ],
)
def test_each_kind_is_wider_than_the_one_before(kind: str, accepted: set[str]) -> None:
    scope = build_scope(Scope(kind=kind), [SEED])  # type: ignore[arg-type]
    links = ["http://www.example.org/docs/a", "https://www.example.org/", "http://example.org:81/", "http://e.com/"]
    assert {href for href in links if scope.decide(parse(href), 1, "L", SEED.href).is_accepted} == accepted


@pytest.mark.parametrize(
    ("href", "depth", "hops", "verdict"),
    [
        ("http://www.example.org/", 1, "L", Verdict(True, "host")),
        ("http://other.org/", 1, "L", Verdict(False, "out-of-scope")),
        ("http://other.org/a.png", 1, "LE", Verdict(True, "embed")),
        ("http://other.org/a.png", 1, "LEL", Verdict(False, "out-of-scope")),
        ("http://www.example.org/", 6, "LLLLLL", Verdict(False, "max-depth")),
        ("http://www.example.org/a/a/a/", 1, "L", Verdict(False, "repeated-segments")),
        ("http://www.example.org/" + "/".join("abcdefghijklmnopqrstuvwxyz"), 1, "L", Verdict(False, "path-segments")),
        ("http://www.example.org/?" + "x" * 9000, 1, "L", Verdict(False, "url-length")),
        ("ftp://www.example.org/", 1, "L", Verdict(False, "scheme")),
        ("http://www.example.org/?sort=1", 1, "L", Verdict(False, "exclude")),
    ],
)
def test_a_verdict_names_the_rule_that_decided(href: str, depth: int, hops: str, verdict: Verdict) -> None:
    scope = build_scope(Scope(max_depth=5, exclude=("sort=",)), [SEED])
    assert scope.decide(parse(href), depth, hops, SEED.href)[:2] == verdict[:2]


def test_a_redirect_target_that_becomes_a_seed_widens_the_scope() -> None:
    scope = build_scope(Scope(), [parse("http://example.com/")])
    link = parse("https://www.example.com/a")
    assert not scope.decide(link, 1, "RL").is_accepted
    scope.add_seed(parse("https://www.example.com/"))
    assert scope.decide(link, 1, "RL").is_accepted


def test_a_seed_is_in_its_own_scope_of_every_kind() -> None:
    for kind in ("host", "domain", "prefix", "any"):
        scope = build_scope(Scope(kind=kind, include=("nothing",), exclude=("example",), max_depth=0), [SEED])
        assert scope.decide(SEED).is_accepted
