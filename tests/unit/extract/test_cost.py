"""Which documents get a tree."""

from __future__ import annotations

import pytest

from gossamer.extract.cost import MAX_OPEN_ELEMENTS, MAX_TREE_BYTES, MAX_TREE_TAGS, is_costly, is_suspicious


@pytest.mark.parametrize(
    ("data", "suspicious"),
    [
        (b"", False),
        (b"<p>x</p>" * 1000, False),
        (b"word " * 10_000, False),
        (b"<script>" + b"a b c d e f " * 2000 + b"</script>", False),
        (b"<img src='data:," + b"x" * 20_000 + b"'>", False),
        (b"<p title='" + b"many words " * 2000 + b"'>", False),
        (b"<p>" * (MAX_TREE_TAGS + 1), True),
        (b"x" * (MAX_TREE_BYTES + 1), True),
        (b"<p " + b"a " * 2000 + b">", True),
        (b"x" * 5000 + b"<p x='>' " + b"a=1 " * 1000 + b">" + b"y" * 5000, True),
        (b"<p " + b"a/" * 2000, True),
    ],
)
def test_large_crowded_or_full_documents_are_suspicious(data: bytes, suspicious: bool) -> None:
    assert is_suspicious(data) is suspicious


@pytest.mark.parametrize(
    ("source", "costly"),
    [
        ("", False),
        ("<div><p>x</div>" * 10_000, False),
        ("<p>x<li>y<td>z<br><img>" * 10_000, False),
        ("<div>" * MAX_OPEN_ELEMENTS + "</div>" * MAX_OPEN_ELEMENTS, False),
        ("<div>" * (MAX_OPEN_ELEMENTS + 1), True),
        ("<font color=1>" * (MAX_OPEN_ELEMENTS + 1), True),
        ("<body x>" * 1000, True),
        ("<p " + "a " * 5000 + ">", True),
        ("</div>" * 10_000, False),
        ("<!-- " + "<div>" * 1000 + "-->", False),
    ],
)
def test_deep_crowded_or_merged_documents_are_costly(source: str, costly: bool) -> None:
    assert is_costly(source) is costly
