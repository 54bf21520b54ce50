"""What is beyond suspicion at a glance is what none of the last rules refuses."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gossamer.config import Scope
from gossamer.scope.rule import NONE
from gossamer.scope.sanity import Sanity
from gossamer.url.parse import parse

_PATHS = st.lists(st.sampled_from(["a", "b", "c", "", "x" * 30]), max_size=9).map("/".join)


@given(
    st.builds(
        Scope,
        max_repeated_segments=st.integers(1, 4),
        max_path_segments=st.integers(1, 8),
        max_url_length=st.integers(64, 120),
    ),
    st.sampled_from(["http", "https", "ftp", "gopher"]),
    _PATHS,
    st.text("LER", max_size=3) | st.integers(0, 22).map("R".__mul__),
)
def test_no_rule_objects_to_what_is_evident(settings: Scope, scheme: str, path: str, hops: str) -> None:
    sanity, url = Sanity(settings), parse(f"{scheme}://example.org/{path}")
    if sanity.is_evident(url, hops):
        assert [rule.decide(url, 1, hops, None) for rule in sanity.rules] == [NONE] * len(sanity.rules)


def test_an_ordinary_link_is_evident() -> None:
    sanity = Sanity(Scope())
    for href in (
        "http://example.org",
        "https://example.org/",
        "http://example.org/a/b/c/d/?q=a/a/a",
        "http://e.org/a/b/",
    ):
        assert sanity.is_evident(parse(href), "LLL")
    assert not sanity.is_evident(parse("ftp://example.org/"), "L")
    assert not sanity.is_evident(parse("http://example.org/a/a/a"), "L")
    assert not sanity.is_evident(parse("http://example.org/"), "LR")
