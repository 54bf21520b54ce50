"""What is a link, and how it is written: srcset, rel, refresh."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extract.links import MAX_SRCSET_URLS, hop_of_rel, references_of, refresh_url, srcset_urls


@pytest.mark.parametrize(
    ("name", "attributes", "references"),
    [
        ("a", {"href": "x"}, [("x", "L", "a@href")]),
        ("a", {"href": ""}, [("", "L", "a@href")]),
        ("a", {"href": None}, [("", "L", "a@href")]),
        ("a", {"name": "x"}, []),
        ("area", {"href": "x"}, [("x", "L", "area@href")]),
        ("img", {"src": "x"}, [("x", "E", "img@src")]),
        ("img", {"src": " "}, []),
        ("img", {"src": "x", "srcset": "y 2x"}, [("x", "E", "img@src"), ("y", "E", "img@srcset")]),
        ("source", {"srcset": "y 2x, z"}, [("y", "E", "source@srcset"), ("z", "E", "source@srcset")]),
        ("script", {"src": "x"}, [("x", "E", "script@src")]),
        ("iframe", {"src": "x"}, [("x", "E", "iframe@src")]),
        ("frame", {"src": "x"}, [("x", "E", "frame@src")]),
        ("link", {"href": "x", "rel": "stylesheet"}, [("x", "E", "link@href")]),
        ("link", {"href": "x", "rel": "next"}, [("x", "L", "link@href")]),
        ("link", {"href": "x"}, []),
        ("link", {"rel": "next"}, []),
        ("meta", {"http-equiv": "Refresh", "content": "5; url=x"}, [("x", "L", "meta@refresh")]),
        ("meta", {"http-equiv": "refresh", "content": "5"}, []),
        ("meta", {"name": "refresh", "content": "5; url=x"}, []),
        ("use", {"href": "x"}, []),
    ],
)
def test_an_element_refers_by_its_attributes(
    name: str, attributes: dict[str, str | None], references: list[tuple[str, str, str]]
) -> None:
    assert references_of(name, attributes) == references


@pytest.mark.parametrize(
    ("rel", "hop"),
    [
        ("stylesheet", "E"),
        ("Alternate StyleSheet", "E"),
        ("shortcut icon", "E"),
        ("apple-touch-icon", "E"),
        ("preload", "E"),
        ("preconnect stylesheet", "E"),
        ("canonical", "L"),
        ("alternate", "L"),
        ("prev", "L"),
        ("https://api.w.org/", "L"),
        ("dns-prefetch", None),
        ("preconnect dns-prefetch", None),
        ("", None),
        (None, None),
    ],
)
def test_the_rel_of_a_link_element_decides_its_hop(rel: str | None, hop: str | None) -> None:
    assert hop_of_rel(rel) == hop


@pytest.mark.parametrize(
    ("value", "urls"),
    [
        ("a", ["a"]),
        ("a 1x, b 2x", ["a", "b"]),
        ("a, b", ["a", "b"]),
        ("a,b", ["a,b"]),
        ("a 1x,b 2x", ["a", "b"]),
        (" ,, a\n640w ,\tb ", ["a", "b"]),
        ("data:,a 1x, b", ["data:,a", "b"]),
        ("a (x, y) 1x, b", ["a", "b"]),
        ("a (x, b", ["a"]),
        ("", []),
        (",", []),
    ],
)
def test_a_srcset_is_split_as_the_standard_says(value: str, urls: list[str]) -> None:
    assert list(srcset_urls(value)) == urls


def test_a_srcset_without_end_is_read_up_to_a_limit() -> None:
    value = ", ".join(f"{number} 1x" for number in range(10_000))
    assert len(references_of("img", {"srcset": value})) == MAX_SRCSET_URLS


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("0;url=x", "x"),
        ("5; URL='x y'", "x y"),
        ('5; url="x', "x"),
        ("0.5, x", "x"),
        ("5 url = x ", "x"),
        ("5; Url=http://e.org/?a;b", "http://e.org/?a;b"),
        ("5;", None),
        ("5", None),
        ("", None),
        ("url=x", None),
        ("5; url=''", None),
    ],
)
def test_a_refresh_names_a_url_or_none(value: str, url: str | None) -> None:
    assert refresh_url(value) == url


@given(st.text(alphabet="0 ;,=ulr'\"()x\n", max_size=60))
def test_no_text_is_too_odd(value: str) -> None:
    list(srcset_urls(value))
    refresh_url(value)
    hop_of_rel(value)
