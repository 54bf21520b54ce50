from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.harness.weburl import authority_of, normal, resolve
from gossamer.url import resolve as resolve_of_the_crawler

BASE = "http://h:81/a/b/c.html?q=1"


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("", "http://h:81/a/b/c.html?q=1"),
        ("#x", "http://h:81/a/b/c.html?q=1"),
        ("?r", "http://h:81/a/b/c.html?r"),
        ("d", "http://h:81/a/b/d"),
        ("../d#x", "http://h:81/a/d"),
        ("../../../../d", "http://h:81/d"),
        ("..", "http://h:81/a/"),
        ("./%2E%2e/d/.", "http://h:81/a/d/"),
        ("/d e?f g'", "http://h:81/d%20e?f%20g%27"),
        ("\\d\\e", "http://h:81/d/e"),
        (" d\n\te ", "http://h:81/a/b/de"),
        ("//Other:80/x", "http://other/x"),
        ("https://other:443", "https://other/"),
        ("http:d", "http://h:81/a/b/d"),
        ("https:d", "https://d/"),
        ("日本", "http://h:81/a/b/%E6%97%A5%E6%9C%AC"),
        ("mailto:a@b", None),
        ("javascript:void(0)", None),
        ("http://a b/", None),
        ("http://:80/", None),
        ("http://h:x/", None),
    ],
)
def test_a_reference_means_what_browsers_take_it_for(reference: str, expected: str | None) -> None:
    assert resolve(BASE, reference) == expected


@given(
    st.text("abAB./\\?#%2eé日 \t\"'<>{}`|~;=&+", max_size=12).filter(
        # A parser drops tabs wherever they stand; what then begins with two slashes names another host.
        lambda text: not text.replace("\t", "").lstrip(" ").startswith(("//", "\\", "/\\"))
    )
)
def test_paths_and_queries_agree_with_the_crawlers_own_parser(reference: str) -> None:
    assert resolve(BASE, reference) == resolve_of_the_crawler(BASE, reference)


def test_only_absolute_web_addresses_have_a_normal_form() -> None:
    assert normal("HTTP://Example.ORG:80") == "http://example.org/"
    assert normal("example.org") is None and normal("ftp://example.org/") is None
    assert authority_of("http://example.org:81/x") == "example.org:81"
