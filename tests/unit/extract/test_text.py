"""The visible text of a page, and of a link."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extract.text import MAX_ANCHOR, anchor_text, visible_text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>Hello <b>W</b>orld</p>", "Hello World"),
        ("<p>a</p><p>b</p>", "a\nb"),
        ("<div>a</div>b", "a\nb"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<ul><li>a<li>b</ul>", "a\nb"),
        ("<td>a</td><td>b</td>", "a\nb"),
        ("a\n  b\t\u00a0c", "a b c"),
        ("a &amp; b &eacute;", "a & b é"),
        ("<title>t</title><style>s</style><script>x < y</script>a", "a"),
        ("a<!-- b -->c", "ac"),
        ("a<noscript>b</noscript>c", "ac"),
        ("a<template>b<p>c</template>d", "ad"),
        ("<template shadowrootmode=open>a</template>", "a"),
        ("<textarea>a<b></textarea>", "a"),
        ("a < b", "a < b"),
        ("<p title='>'>a</p>", "a"),
        ("<html><body>a</body></html>", "a"),
        ("", ""),
        ("a\0b", "ab"),
    ],
)
def test_the_text_is_what_a_reader_would_copy(source: str, text: str) -> None:
    assert visible_text(source) == text


def test_an_anchor_text_ends_with_its_link() -> None:
    source = "<a href=1>\n see <b>h</b>ere &gt;</a> more <a href=2>that"
    assert anchor_text(source, source.index(">") + 1) == "see here >"
    assert anchor_text(source, source.index("2>") + 2) == "that"


def test_an_anchor_text_is_short_however_long_the_source() -> None:
    assert len(anchor_text("word " * 1_000_000, 0)) <= MAX_ANCHOR


@given(st.text(alphabet="<>/ab!-'\"& \n;pscript", max_size=80))
def test_no_source_makes_it_raise(source: str) -> None:
    text = visible_text(source)
    assert text == text.strip()
