"""SURTs put everything of a domain under one prefix."""

from __future__ import annotations

import pytest

from gossamer.url.parse import parse
from gossamer.url.surt import as_http, surt, surt_prefix


@pytest.mark.parametrize(
    ("href", "key"),
    [
        ("http://www.example.org/A?B", "http://(org,example,www,)/a?b"),
        ("https://example.org:8443/", "https://(org,example,:8443)/"),
        ("http://user@example.org./", "http://(org,example,)/"),
        ("http://1.2.3.4/x", "http://(1.2.3.4)/x"),
        ("http://1.2.3.4:81/x", "http://(1.2.3.4,:81)/x"),
        ("http://[::1]:8080/x", "http://([::1],:8080)/x"),
    ],
)
def test_the_labels_of_a_host_are_reversed(href: str, key: str) -> None:
    assert surt(parse(href)) == key


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("example.org", "http://(org,example,"),
        ("https://example.org", "http://(org,example,"),
        ("http://example.org/", "http://(org,example,)/"),
        ("https://example.org/a/b?c/d", "http://(org,example,)/a/"),
        ("example.org:81/a/", "http://(org,example,:81)/a/"),
        ("http://1.2.3.4", "http://(1.2.3.4)"),
        ("https://(org,example,", "http://(org,example,"),
    ],
)
def test_a_prefix_covers_what_its_spelling_means(text: str, prefix: str) -> None:
    assert surt_prefix(text) == prefix


def test_a_host_prefix_covers_sub_domains_and_no_neighbour() -> None:
    prefix = surt_prefix("example.org")
    assert as_http(surt(parse("https://a.example.org/x"))).startswith(prefix)
    assert as_http(surt(parse("https://example.org:8443/x"))).startswith(prefix)
    assert not surt(parse("http://badexample.org/")).startswith(prefix)
