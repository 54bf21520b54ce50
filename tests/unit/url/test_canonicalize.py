"""The identity form folds what cannot be told apart, keeps everything else, and is idempotent."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.url.canonicalize import RULES, canonicalize
from gossamer.url.parse import InvalidUrl, parse


@pytest.mark.parametrize(
    ("href", "identity"),
    [
        ("http://e.org/a#b", "http://e.org/a"),
        ("http://u:p@e.org:81/a@b", "http://e.org:81/a@b"),
        ("http://e.org./a", "http://e.org/a"),
        ("http://e.org.:81/a", "http://e.org:81/a"),
        ("http://e.org/a;jsessionid=0A1B.node1?x=1", "http://e.org/a?x=1"),
        ("http://e.org/a;JSESSIONID=1/b;c=d", "http://e.org/a/b;c=d"),
        ("http://e.org/?jsessionid=1&x=1", "http://e.org/?x=1"),
        ("http://e.org/?x=1&PHPSESSID=abc", "http://e.org/?x=1"),
        ("http://e.org/?x=1&sid=0123456789abcdef0123456789ABCDEF&y=2", "http://e.org/?x=1&y=2"),
        ("http://e.org/?ASPSESSIONIDAQBSDSRT=EOHBLBDDPFCLHKPGGKLILNAM", "http://e.org/"),
        ("http://e.org/?CFID=12&CFTOKEN=3a-4&z", "http://e.org/?z"),
        ("http://e.org/?", "http://e.org/"),
        ("http://e.org/?&a=1", "http://e.org/?a=1"),
        ("http://e.org/?a=1&", "http://e.org/?a=1"),
        ("http://e.org/?a=1&&b=2", "http://e.org/?a=1&b=2"),
    ],
)
def test_what_makes_no_difference_is_folded(href: str, identity: str) -> None:
    assert canonicalize(href) == identity


@pytest.mark.parametrize(
    "href",
    [
        "http://e.org/A",
        "http://www.e.org/a",
        "https://e.org/a",
        "http://e.org/?b=1&a=2",
        "http://e.org/?a=1&a=2",
        "http://e.org/?a=1&a=1",
        "http://e.org/?a=",
        "http://e.org/?sid=5",
        "http://e.org/?sid=0123456789abcdef0123456789abcdeg",
        "http://e.org/?mysid=0123456789abcdef0123456789abcdef",
        "http://e.org/?cfid=x",
        "http://e.org/a;b=c",
        "http://e.org/a./b",
        "http://e.org/a//b/",
        "http://[::1]:8080/?a",
        "http://e.org/?q=a+b%20c",
        "http://e.org/%7Ejoe",
    ],
)
def test_what_a_server_may_tell_apart_is_kept(href: str) -> None:
    assert canonicalize(href) == href


def test_every_rule_gives_its_reason() -> None:
    assert all(rule.__doc__ for rule in RULES)


PIECES = st.sampled_from(
    [
        *"/?&=;.@:#a5%é",
        "//",
        "jsessionid",
        "phpsessid",
        "sid",
        "cfid",
        "cftoken",
        "aspsessionidabcdefgh",
        "0123456789abcdef" * 2,
    ]
)


@given(st.lists(PIECES, max_size=25).map("".join))
@example(";jsessionid;sid=x=5")
@example("?sid=" + "0" * 32 + "&sid=" + "1" * 32)
def test_the_identity_form_is_its_own_identity_form(tail: str) -> None:
    try:
        href = parse("http://e.org" + tail).href
    except InvalidUrl:
        return
    identity = canonicalize(href)
    assert canonicalize(identity) == identity
    by_the_rules = href
    for rule in RULES:
        by_the_rules = rule(by_the_rules)
    assert identity == by_the_rules


@given(st.text(max_size=60))
def test_no_text_makes_a_rule_raise(text: str) -> None:
    for rule in RULES:
        rule(text)
    canonicalize(text)
