"""What crawler4j's test URLCanonicalizerTest asks for, and where Gossamer does otherwise on purpose.

crawler4j fetches the canonical form; Gossamer fetches the URL as found, as a browser would write it, and uses the
canonical form only to tell whether two URLs are one. So a rule that could make two pages one is not a rule here.
"""

from __future__ import annotations

import pytest

from gossamer.url import canonicalize, parse, resolve

SAME = [
    ("http://host.test", "http://host.test/"),
    ("http://HOST.test", "http://host.test/"),
    ("http://host.test:80/bar.html", "http://host.test/bar.html"),
    ("http://host.test/index.html?", "http://host.test/index.html"),
    ("http://host.test/index.html?&", "http://host.test/index.html"),
    ("http://host.test/index.html?&x=y", "http://host.test/index.html?x=y"),
    ("http://host.test?x=1", "http://host.test/?x=1"),
    ("http://host.test/a?name=test&rest=base#123", "http://host.test/a?name=test&rest=base"),
    ("http://host.test/../../a.html", "http://host.test/a.html"),
    ("http://host.test/../a/b/../c/./d.html", "http://host.test/a/c/d.html"),
    ("http://host.test/a?q=a b", "http://host.test/a?q=a%20b"),
    ("http://host.test/catalog/SG78 PDF (1).pdf)", "http://host.test/catalog/SG78%20PDF%20(1).pdf)"),
    ("http://host.test/?query=hello\u3000world", "http://host.test/?query=hello%E3%80%80world"),
]
KEPT = [
    "http://host.test/img.jpg?1325154037",
    "http://host.test/a?c=d&e=f&a=b",
    "http://host.test/search?width=100%&height=100%",
    "http://host.test/a?category=foo%2Fbar%2Bbaz",
]
APART = [
    pytest.param("http://host.test/?q=a+b", "http://host.test/?q=a%2Bb", id="a plus is a space in a form"),
    pytest.param("http://host.test/?q=a/b", "http://host.test/?q=a%2Fb", id="a coded slash is not a slash"),
    pytest.param("http://host.test//A//B", "http://host.test/A/B", id="an empty segment is a segment"),
    pytest.param("http://host.test/?a=1&a=2", "http://host.test/?a=2", id="parameters may be repeated"),
    pytest.param("http://host.test/%7Euser/", "http://host.test/~user/", id="a server may tell them apart"),
]


def identity(url: str) -> str:
    return canonicalize(parse(url).href)


@pytest.mark.parametrize(("url", "canonical"), SAME)
def test_two_spellings_of_one_url_are_one_url(url: str, canonical: str) -> None:
    assert identity(url) == identity(canonical) == canonical


@pytest.mark.parametrize("url", KEPT)
def test_what_a_server_may_care_about_is_kept(url: str) -> None:
    assert identity(url) == url


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_a_server_may_tell_apart_is_told_apart(one: str, other: str) -> None:
    assert identity(one) != identity(other)


def test_a_reference_is_resolved_against_its_page_and_its_query_written_in_utf_8() -> None:
    assert resolve("http://host.test/dir/file", "?page=2") == "http://host.test/dir/file?page=2"
    assert resolve("http://host.test", "3.asp?n=洪17") == "http://host.test/3.asp?n=%E6%B4%AA17"
