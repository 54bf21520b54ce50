"""Character references in attributes and in text."""

from __future__ import annotations

from html.entities import html5

import pytest

from gossamer.extract.references import unescape_attribute, unescape_text


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("&#65;&#x42;&#X43", "ABC"),
        ("&#0000000000065;", "A"),
        ("&#x80;&#129;", "€\x81"),
        ("&#0;&#xD800;&#x110000;", "\ufffd\ufffd\ufffd"),
        ("&#1;&#xFFFE;", "\x01\ufffe"),
        ("&#;&#x;&;&", "&#;&#x;&;&"),
        (f"&#{'9' * 5000};", "\ufffd"),
        (f"&#x{'9' * 5000};", "\ufffd"),
    ],
)
def test_a_number_is_a_character(written: str, value: str) -> None:
    assert unescape_attribute(written) == value


def test_every_name_is_known() -> None:
    for name, value in html5.items():
        assert unescape_attribute(f"&{name}") == value


def test_endless_numbers_in_text_are_no_character() -> None:
    assert unescape_text(f"a&#{'9' * 5000};b&#{'0' * 5000}65;c&#65") == "a\ufffdbAcA"
