"""What response headers say: types, redirects, refreshes, links, robots tags."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extract.directives import Directives, directives_of_headers, directives_of_meta
from gossamer.extract.headers import content_type_of, parse_content_type, redirect_target, references_of_headers

PAGE = "http://e.org/a/b"


@pytest.mark.parametrize(
    ("value", "media_type", "charset"),
    [
        ("text/html", "text/html", None),
        ("Text/HTML; Charset=UTF-8", "text/html", "UTF-8"),
        ('text/html;charset="utf-8"', "text/html", "utf-8"),
        ("text/html; charset='utf-8'", "text/html", "utf-8"),
        ("text/html ;  foo=bar ; charset = x ", "text/html", "x"),
        ("text/html; charset=", "text/html", None),
        ("text/html, text/plain", "text/html", None),
        ("application/xhtml+xml", "application/xhtml+xml", None),
        ("html", "", None),
        ("text/", "", None),
        ("text/html<script>", "", None),
        ("", "", None),
    ],
)
def test_a_content_type_is_taken_apart(value: str, media_type: str, charset: str | None) -> None:
    assert parse_content_type(value) == (media_type, charset)


def test_the_last_content_type_that_is_one_counts() -> None:
    headers = [(b"content-type", b"text/html; charset=x"), (b"content-type", b"text/plain"), (b"content-type", b"junk")]
    assert content_type_of(headers) == ("text/plain", None)
    headers = [(b"content-type", b"text/html; charset=x"), (b"content-type", b"text/html")]
    assert content_type_of(headers) == ("text/html", "x")
    assert content_type_of([]) == ("", None)


@pytest.mark.parametrize(
    ("location", "target"),
    [
        (b"/x", "http://e.org/x"),
        (b"x?y#z", "http://e.org/a/x?y"),
        (b"?q", "http://e.org/a/b?q"),
        (b"#f", "http://e.org/a/b"),
        (b"../../..", "http://e.org/"),
        (b"//f.org", "http://f.org/"),
        (b"/\\f.org", "http://f.org/"),
        (b"http:////f.org/", "http://f.org/"),
        (b" /a b\t\r\nX: y ", "http://e.org/a%20bX:%20y"),
        ("/ä".encode(), "http://e.org/%C3%A4"),
        (b"/\xe4", "http://e.org/%C3%A4"),
        (b"/%E4", "http://e.org/%E4"),
        (b"/\0x\0", "http://e.org/%00x"),
        (b"http://", None),
        (b"//", None),
        (b"http://a..b/", None),
        (b"file:///etc/passwd", None),
        (b"data:,x", None),
        (b"javascript:x", None),
        (b"ftp://f.org/", None),
        (b"gopher://f.org/", None),
        (b"/" + b"x" * 70_000, None),
    ],
)
def test_a_location_is_resolved_like_any_link(location: bytes, target: str | None) -> None:
    assert redirect_target(PAGE, [(b"location", location)]) == target


def test_of_several_locations_the_first_counts() -> None:
    assert redirect_target(PAGE, [(b"location", b"/1"), (b"location", b"/2")]) == "http://e.org/1"
    assert redirect_target(PAGE, []) is None


def test_refresh_and_link_headers_hold_references() -> None:
    headers = [
        (b"refresh", b"0; url=/r"),
        (b"refresh", b"5"),
        (b"link", b'</s.css>; rel=preload; as=style, <a,b>; rel="next"; title="x, <y>"'),
        (b"link", b"<//cdn.example>; rel=preconnect"),
        (b"link", b"</nothing>"),
        (b"location", b"/l"),
    ]
    assert list(references_of_headers(headers)) == [
        ("/r", "L", "header@refresh"),
        ("/s.css", "E", "header@link"),
        ("a,b", "L", "header@link"),
    ]


@pytest.mark.parametrize(
    ("value", "asked"),
    [
        ("noindex", (True, False)),
        ("NoFollow", (False, True)),
        ("noindex, nofollow", (True, True)),
        ("none", (True, True)),
        ("all", (False, False)),
        ("otherbot: noindex, nofollow", (False, False)),
        ("nofollow, otherbot: noindex", (False, True)),
        ("gossamer: noindex", (True, False)),
        ("otherbot: noindex, Gossamer: nofollow", (False, True)),
        ("unavailable_after: 25 Jun 2010 15:00:00 PST, noindex", (True, False)),
        ("max-snippet: 20, nofollow", (False, True)),
    ],
)
def test_a_robots_tag_may_speak_to_one_robot(value: str, asked: tuple[bool, bool]) -> None:
    assert directives_of_headers([(b"x-robots-tag", value.encode())], "gossamer") == asked


def test_several_robots_tags_add_up() -> None:
    headers = [(b"x-robots-tag", b"noindex"), (b"x-robots-tag", b"nofollow")]
    assert directives_of_headers(headers, "gossamer") == Directives(True, True)


@pytest.mark.parametrize(
    ("attributes", "asked"),
    [
        ({"name": "robots", "content": "noindex,nofollow"}, (True, True)),
        ({"name": "ROBOTS", "content": "NONE"}, (True, True)),
        ({"name": "Gossamer", "content": "noindex"}, (True, False)),
        ({"name": "otherbot", "content": "noindex"}, (False, False)),
        ({"name": "robots", "content": "mynofollower"}, (False, False)),
        ({"name": "robots", "content": None}, (False, False)),
        ({"name": None, "content": "noindex"}, (False, False)),
        ({}, (False, False)),
    ],
)
def test_a_robots_meta_asks_in_whole_words(attributes: dict[str, str | None], asked: tuple[bool, bool]) -> None:
    assert directives_of_meta(attributes, "gossamer") == asked


NAMES = st.sampled_from([b"content-type", b"location", b"refresh", b"link", b"x-robots-tag"])


@given(st.lists(st.tuples(NAMES, st.binary(max_size=60)), max_size=4))
def test_no_header_makes_anything_raise(headers: list[tuple[bytes, bytes]]) -> None:
    content_type_of(headers)
    redirect_target(PAGE, headers)
    list(references_of_headers(headers))
    directives_of_headers(headers, "gossamer")
