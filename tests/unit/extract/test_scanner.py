"""The scanner sees the tags a browser sees, in time and memory that grow no faster than the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extract.references import unescape_attribute
from gossamer.extract.scanner import (
    MAX_ATTRIBUTES,
    Scanner,
    attributes_of,
    is_crowded_tag,
)

ANCHORS = Scanner({"a", "/a", "script", "template", "/template"})


def hrefs(text: str, *, is_xml: bool = False) -> list[str]:
    return [
        attributes_of(tag.attributes).get("href", "") for tag in ANCHORS.tags(text, is_xml=is_xml) if tag.name == "a"
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<a href=1>", ["1"]),
        ("<A HREF='1'>", ["1"]),
        ('<a\nhref = "1" >', ["1"]),
        ("<a/href=1/>", ["1/"]),
        ("<a href=1 href=2>", ["1"]),
        ("<abbr href=1><a1 href=2>", []),
        ("< a href=1>", []),
        ("<p title='<a href=1>'><p title=\"<a href=2>\"><a href=3>", ["3"]),
        ("<p don't><a href=1><p can't>", ["1"]),
        ('<p ="a><a href=1>', ["1"]),
        ("<p title=a'b><a href=1>", ["1"]),
        ("<!-- <a href=1> --><a href=2>", ["2"]),
        ("<!--><a href=1>--><a href=2>", ["1", "2"]),
        ("<!---><a href=1>", ["1"]),
        ("<!-- --!><a href=1>", ["1"]),
        ("<!-- <a href=1>", []),
        ('<!doctype html "<a href=0>"><a href=1>', ["1"]),
        ("<?php <a href=0> ?><a href=1>", ["1"]),
        ("</ <a href=0>><a href=1>", ["1"]),
        ("<![CDATA[<a href=0>]]><a href=1>", ["1"]),
        ("<script>if (a<b) '<a href=0>'</script><a href=1>", ["1"]),
        ("<script>'</scripts><a href=0>'</SCRIPT ><a href=1>", ["1"]),
        ("<script><!-- <script> </script> <a href=0> --></script><a href=1>", ["1"]),
        ("<script><!-- </script><a href=1>", ["1"]),
        ("<script><!--><script></script><a href=1>", ["1"]),
        ("<style><a href=0></style><a href=1>", ["1"]),
        ("<title><a href=0></title><a href=1>", ["1"]),
        ("<textarea><a href=0></textarea><a href=1>", ["1"]),
        ("<iframe><a href=0></iframe><a href=1>", ["1"]),
        ("<noscript><a href=1></noscript>", ["1"]),
        ("<plaintext><a href=0></plaintext><a href=0>", []),
        ("<title><a href=0>", []),
        ("<svg><title/><a href=1 /></svg><title/><a href=0>", ["1"]),
        ("<svg/><title/><a href=0></title><a href=1>", ["1"]),
        ("<template><a href=0></template><a href=1>", ["1"]),
        ("<template><template></template><a href=0></template><a href=1>", ["1"]),
        ("<template shadowrootmode=open><a href=1></template>", ["1"]),
        ("<a href='1", []),
        ("<a href=1", []),
        ("<a href='1'<a href=2>", ["1"]),
        ("<a href=1\0>", ["1\ufffd"]),
        ("", []),
    ],
)
def test_the_scanner_sees_what_a_browser_sees(text: str, found: list[str]) -> None:
    assert hrefs(text) == found


def test_in_xml_every_element_can_close_itself() -> None:
    text = "<script src='x'/><title/><a href=1 />"
    assert hrefs(text) == []
    assert hrefs(text, is_xml=True) == ["1"]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("?a&amp;b", "?a&b"),
        ("?a&ampb", "?a&ampb"),
        ("?a&amp=b", "?a&amp=b"),
        ("?a&copy=1&copy;&copy", "?a&copy=1©©"),
        ("?a&copyright=1", "?a&copyright=1"),
        ("&#65;&#x42;&#67", "ABC"),
        ("&nosuch;&", "&nosuch;&"),
        ("&notin;&notit;", "∉&notit;"),
        ("&#0;&#xFFFFFFFF;", "\ufffd\ufffd"),
    ],
)
def test_references_in_attributes_are_decoded_as_the_standard_says(written: str, value: str) -> None:
    assert unescape_attribute(written) == value
    assert hrefs(f'<a href="{written}">') == [value]


def test_attributes_beyond_a_limit_are_not_read() -> None:
    written = "".join(f" a{number}=1" for number in range(5000))
    assert len(attributes_of(written)) == MAX_ATTRIBUTES


def test_a_crowded_tag_is_known_by_its_attributes_not_by_its_length() -> None:
    assert is_crowded_tag(b"<a" + b" b" * MAX_ATTRIBUTES + b">", 0)
    assert is_crowded_tag(b"<a x='>' " + b"b/" * MAX_ATTRIBUTES, 0)
    assert not is_crowded_tag(b"<a b='" + b"c " * 5000 + b"'>", 0)
    assert not is_crowded_tag(b"<p>" + b"word " * 5000, 0)


PIECES = st.sampled_from(
    "<|>|/|=|'|\"| |-|!|--|a|script|title|svg|template|href|&|;|\0|é|<a href=1>|</a>|<!--|-->|<script>|</script>"
    "|<![CDATA[".split("|")
)


@given(st.lists(PIECES, max_size=40).map("".join), st.booleans())
def test_no_text_makes_the_scanner_raise_or_go_back(text: str, is_xml: bool) -> None:
    position = 0
    for tag in ANCHORS.tags(text, is_xml=is_xml):
        assert position <= tag.start < tag.end <= tag.resume <= len(text)
        assert text[tag.start] == "<" and text[tag.end - 1] == ">"
        attributes_of(tag.attributes)
        position = tag.resume


MANY = 200_000


@pytest.mark.parametrize(
    "unit",
    "<|<a |<a|</a |<!--|<!|<a href=|<a href='|<script>|<script><!--|<title>|<svg>|<template>|<a<a|<a =|&amp|<a href=x"
    "|<![CDATA[|<textarea></textarea|-->|<p x=\"'".split("|"),
)
def test_what_is_repeated_without_end_is_read_to_its_end(unit: str) -> None:
    # Quadratic work on so much would not end within a test's patience.
    for tag in ANCHORS.tags(unit * MANY):
        attributes_of(tag.attributes)
