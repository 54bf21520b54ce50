from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.util.patterns import BadPattern, Patterns, is_bounded

PIECES = ["a", "b", "/", r"\.", ".", r"\d", r"\w", r"\b", "[a-c]", "[^/]", "(?:ab)", "(a|b)", "^", "$", "-", "{", "{2}"]
SUFFIXES = ["", "", "", "?", "*", "+", "{1,3}", "{2}", "{,2}", "*?"]


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a|aa)+$", r"(.*a){25}x", r"^(([a-z])+.)+[A-Z]([a-z])+$"])
def test_patterns_that_backtracking_engines_never_finish_take_no_time(pattern: str) -> None:
    # Python's engine would need longer than this test may run, many times over.
    assert not Patterns([pattern]).is_found_in("http://h.example/" + "a" * 8000 + "!")


def test_any_of_several_is_enough_whichever_engine_it_is_for() -> None:
    patterns = Patterns([r"\.pdf$", r"/print(?!er)/", r"(?i)/LOGIN"])
    assert patterns.is_found_in("http://h.example/a.pdf")
    assert patterns.is_found_in("http://h.example/print/")
    assert patterns.is_found_in("http://h.example/login?x")
    assert not patterns.is_found_in("http://h.example/printer/")
    assert not Patterns([]).is_found_in("")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"\.(jpg|png)(\?.*)?$", True),
        (r"(?i)calendar", True),
        (r"(?P<year>\d{4})/", True),
        (r"a(?!b)", False),
        (r"(a)\1", False),
        (r"a{,3}", False),
        (r"[:x]", False),
        (r"a{5000}", False),
    ],
)
def test_what_only_python_knows_is_told_apart(pattern: str, expected: bool) -> None:
    assert is_bounded(pattern) is expected


@pytest.mark.parametrize("pattern", ["(", "[z-a]", "*", r"\p", "(" * 5000 + ")" * 5000])
def test_what_is_no_pattern_is_refused_by_its_name(pattern: str) -> None:
    try:
        re.compile(pattern)
    except (re.error, RecursionError):
        with pytest.raises(BadPattern) as refused:
            Patterns(["a", pattern])
        assert refused.value.pattern == pattern
        assert "is not a regular expression: " in str(refused.value)


@given(
    st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(SUFFIXES)), max_size=5),
    st.text(alphabet="ab/.-1{2,}", max_size=10),
)
def test_a_pattern_means_what_python_says_it_means(parts: list[tuple[str, str]], text: str) -> None:
    pattern = "".join(piece + suffix for piece, suffix in parts)
    try:
        expected = re.search(pattern, text) is not None
    except re.error:
        return
    assert Patterns([pattern]).is_found_in(text) is expected
