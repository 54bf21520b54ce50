"""Each rule of the scope by itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import ConfigError
from gossamer.scope.hop_rules import MaxDepthRule, RedirectsRule, TransclusionRule, depth_after
from gossamer.scope.path_rules import PathSegmentsRule, RepeatedSegmentsRule, SchemeRule, UrlLengthRule
from gossamer.scope.regex_rules import ExcludeRule, IncludeRule
from gossamer.scope.rule import ACCEPT, NONE, REJECT, DecideRule, Decision
from gossamer.scope.seed_rules import DomainRule, FolderRule, HostRule
from gossamer.url.domain import bundled_suffixes
from gossamer.url.parse import parse


def ask(rule: DecideRule, href: str = "http://example.org/", depth: int = 1, hops: str = "L") -> Decision:
    return rule.decide(parse(href), depth, hops, None)


@pytest.mark.parametrize(
    ("href", "decision"),
    [
        ("http://example.org/x", ACCEPT),
        ("https://example.org/x", ACCEPT),
        ("https://example.org./x", ACCEPT),
        ("http://example.org:8080/x", NONE),
        ("http://www.example.org/x", NONE),
        ("http://127.0.0.1:8080/", ACCEPT),
        ("http://127.0.0.1:8081/", NONE),
        ("http://[::1]/", ACCEPT),
    ],
)
def test_host_scope_is_the_seeds_hosts_with_their_ports(href: str, decision: Decision) -> None:
    rule = HostRule()
    for seed in ("http://example.org/a/b", "http://127.0.0.1:8080/", "http://[::1]/"):
        rule.add_seed(parse(seed))
    assert ask(rule, href) is decision


@pytest.mark.parametrize(
    ("href", "decision"),
    [
        ("http://example.co.uk/", ACCEPT),
        ("https://a.b.example.co.uk:8443/", ACCEPT),
        ("http://other.co.uk/", NONE),
        ("http://badexample.co.uk/", NONE),
        ("http://127.0.0.1:9/", ACCEPT),
        ("http://127.0.0.2/", NONE),
    ],
)
def test_domain_scope_is_the_seeds_registered_domains(href: str, decision: Decision) -> None:
    rule = DomainRule(bundled_suffixes())
    rule.add_seed(parse("http://www.example.co.uk/a"))
    rule.add_seed(parse("http://127.0.0.1:8080/"))
    assert ask(rule, href) is decision


@pytest.mark.parametrize(
    ("href", "decision"),
    [
        ("http://example.org/docs/", ACCEPT),
        ("https://example.org/docs/b/c?d", ACCEPT),
        ("http://example.org/docs", NONE),
        ("http://example.org/Docs/", NONE),
        ("http://example.org/", NONE),
        ("http://example.org:81/docs/", NONE),
        ("http://other.org/anything", ACCEPT),
    ],
)
def test_prefix_scope_is_the_seeds_folders(href: str, decision: Decision) -> None:
    rule = FolderRule()
    for seed in ("https://example.org/docs/index.html", "http://other.org/a/", "http://other.org"):
        rule.add_seed(parse(seed))
    assert ask(rule, href) is decision


def test_a_folder_inside_a_known_one_changes_nothing() -> None:
    rule = FolderRule()
    for seed in ("http://e.org/a/b/", "http://e.org/a/", "http://e.org/a/c/", "http://e.org/d/"):
        rule.add_seed(parse(seed))
    assert [ask(rule, f"http://e.org/{path}") for path in ("a/x", "d/x", "x")] == [ACCEPT, ACCEPT, NONE]


@pytest.mark.parametrize(
    ("depth", "hops", "hop", "after"),
    [
        (0, "", "L", 1),
        (3, "LLL", "L", 4),
        (1, "L", "M", 2),
        (1, "L", "R", 1),
        (1, "L", "E", 1),
        (1, "LE", "E", 1),
        (1, "LEE", "E", 2),
        (1, "LERE", "E", 2),
        (1, "LE", "L", 2),
        (2, "LEL", "E", 2),
    ],
)
def test_depth_counts_links_and_no_redirects_nor_the_first_embeds(depth: int, hops: str, hop: str, after: int) -> None:
    assert depth_after(depth, hops, hop) == after


@given(st.text(alphabet="LERM", max_size=60))
def test_no_hop_path_goes_on_for_ever_at_one_depth(path: str) -> None:
    depth, hops = 0, ""
    for hop in path:
        depth, hops = depth_after(depth, hops, hop), hops + hop
    assert depth >= len(path.replace("R", "")) // 3


def test_a_link_beyond_the_depth_is_refused() -> None:
    assert ask(MaxDepthRule(2), depth=2) is NONE
    assert ask(MaxDepthRule(2), depth=3) is REJECT


@pytest.mark.parametrize(
    ("hops", "decision"),
    [
        ("", NONE),
        ("L", NONE),
        ("R", NONE),
        ("LR", NONE),
        ("E", ACCEPT),
        ("LE", ACCEPT),
        ("LER", ACCEPT),
        ("LRE", ACCEPT),
        ("LEE", ACCEPT),
        ("LEEE", NONE),
        ("LEL", NONE),
    ],
)
def test_embeds_are_accepted_from_anywhere_but_not_what_they_link_to(hops: str, decision: Decision) -> None:
    assert ask(TransclusionRule(2), hops=hops) is decision


def test_a_chain_of_redirects_ends() -> None:
    assert ask(RedirectsRule(), hops="L" + "R" * 20) is NONE
    assert ask(RedirectsRule(), hops="L" + "R" * 21) is REJECT
    assert ask(RedirectsRule(), hops="R" * 20 + "LR") is NONE


def test_other_schemes_are_refused() -> None:
    assert ask(SchemeRule(), "ftp://example.org/") is REJECT
    assert ask(SchemeRule(), "https://example.org/") is NONE


def test_a_long_url_is_refused() -> None:
    assert ask(UrlLengthRule(30), "http://example.org/" + "a" * 11) is NONE
    assert ask(UrlLengthRule(30), "http://example.org/" + "a" * 12) is REJECT


def test_a_deep_path_is_refused() -> None:
    assert ask(PathSegmentsRule(3), "http://example.org/a/b/c?/d") is NONE
    assert ask(PathSegmentsRule(3), "http://example.org/a/b/c/d") is REJECT


@pytest.mark.parametrize(
    ("path", "decision"),
    [
        ("/", NONE),
        ("/a/a/b", NONE),
        ("/a/a/a", REJECT),
        ("/x/a/a/a/b", REJECT),
        ("/a/b/a/b", NONE),
        ("/a/b/a/b/a/b", REJECT),
        ("/a/b/a/c/a/d/a", NONE),
        ("/x/a/b/c/a/b/c/a/b/c/y", REJECT),
        ("/2020/01/01/", NONE),
        ("////", NONE),
    ],
)
def test_a_path_that_turns_in_circles_is_refused(path: str, decision: Decision) -> None:
    assert ask(RepeatedSegmentsRule(3), "http://example.org" + path) is decision


def test_include_refuses_what_matches_nothing() -> None:
    rule = IncludeRule((r"/docs/", r"\.pdf$"))
    assert ask(rule, "http://example.org/docs/a") is NONE
    assert ask(rule, "http://example.org/a.pdf") is NONE
    assert ask(rule, "http://example.org/a") is REJECT


def test_exclude_refuses_what_matches() -> None:
    rule = ExcludeRule((r"[?&]sort=", r"/private/"))
    assert ask(rule, "http://example.org/a?sort=up") is REJECT
    assert ask(rule, "http://example.org/a") is NONE


@pytest.mark.parametrize("hops", ["", "R", "RR"])
def test_patterns_do_not_judge_what_the_operator_asked_for(hops: str) -> None:
    assert ask(IncludeRule(("/docs/",)), hops=hops) is NONE
    assert ask(ExcludeRule(("example",)), hops=hops) is NONE


@pytest.mark.parametrize("rule", [IncludeRule, ExcludeRule])
@pytest.mark.parametrize("pattern", ["(", "*", "a{99999999999999}"])
def test_a_bad_pattern_is_named_before_the_crawl(rule: type[IncludeRule | ExcludeRule], pattern: str) -> None:
    with pytest.raises(ConfigError) as caught:
        rule((pattern,))
    assert repr(pattern) in str(caught.value)
    assert f"scope.{rule.name}" in str(caught.value)
