"""Which responses are read for links, and how."""

from __future__ import annotations

import pytest

from gossamer.extract import PageExtractor
from gossamer.extract.headers import ContentType, content_type_of

EXTRACTOR = PageExtractor(max_outlinks=100, product_token="gossamer")
LINK = b"<!DOCTYPE html><a href=/x>"


@pytest.mark.parametrize(
    ("content_type", "is_read"),
    [
        ("text/html", True),
        ("application/xhtml+xml", True),
        ("", True),
        ("text/plain", False),
        ("application/octet-stream", False),
        ("image/png", False),
        ("application/xml", False),
    ],
)
def test_declared_types_are_believed_and_missing_ones_looked_for(content_type: str, is_read: bool) -> None:
    found = EXTRACTOR.extract(LINK, "http://e.org/", ContentType(content_type, None), [])
    assert [link.url for link in found.outlinks] == (["http://e.org/x"] if is_read else [])
    assert (found.document is not None) is is_read


def test_what_does_not_look_like_a_page_is_none() -> None:
    assert EXTRACTOR.extract(b"\x89PNG <a href=/x>", "http://e.org/", ContentType("", None), []).outlinks == []


@pytest.mark.parametrize(
    ("label", "codec"),
    [("latin1", "windows-1252"), ("utf-16", "utf-16-le"), ("punycode", ""), ("unicode_escape", ""), ("utf-7", "")],
)
def test_what_is_no_text_by_its_type_has_the_declared_charset_if_browsers_know_it(label: str, codec: str) -> None:
    headers = [(b"content-type", f"application/json; charset={label}".encode())]
    data = "{}".encode("utf-16-le" if label == "utf-16" else "ascii")
    assert (
        EXTRACTOR.extract(
            data, "http://e.org/", ContentType("application/json", content_type_of(headers).charset), headers
        ).charset
        == codec
    )


def test_plain_text_has_a_charset() -> None:
    assert (
        EXTRACTOR.extract(b"\xe9t\xe9", "http://e.org/", ContentType("text/plain", None), []).charset == "windows-1252"
    )
    headers = [(b"content-type", b"text/plain; charset=koi8-r")]
    assert (
        EXTRACTOR.extract(
            b"\xe9", "http://e.org/", ContentType("text/plain", content_type_of(headers).charset), headers
        ).charset
        == "koi8-r"
    )


def test_headers_are_read_whatever_the_body_is() -> None:
    headers = [(b"link", b"</n>; rel=next"), (b"x-robots-tag", b"none")]
    found = EXTRACTOR.extract(b"", "http://e.org/", ContentType("image/png", content_type_of(headers).charset), headers)
    assert [(link.url, link.hop, link.element) for link in found.outlinks] == [("http://e.org/n", "L", "header@link")]
    assert (found.is_noindex, found.is_nofollow) == (True, True)
