from __future__ import annotations

import pytest
import typer

from gossamer.cli.values import converter, parse_positive_duration, parse_positive_size, parse_setting


def test_a_setting_is_a_name_and_a_toml_value():
    assert parse_setting("limits.max_pages=5") == ("limits.max_pages", 5)
    assert parse_setting("robots.obey = false") == ("robots.obey", False)
    assert parse_setting("politeness.host_schedule=[1, 2.5]") == ("politeness.host_schedule", [1, 2.5])
    assert parse_setting('fetching.user_agent="a b"') == ("fetching.user_agent", "a b")


def test_what_is_no_toml_is_plain_text():
    assert parse_setting("politeness.delay=10s") == ("politeness.delay", "10s")
    assert parse_setting("fetching.user_agent=bot=1 (x)") == ("fetching.user_agent", "bot=1 (x)")


def test_a_value_cannot_smuggle_in_another_key():
    assert parse_setting("a.b=1\nc = 2") == ("a.b", "1\nc = 2")


@pytest.mark.parametrize("text", ["limits.max_pages", "=5", ""])
def test_what_has_no_name_or_no_value_is_refused_with_an_example(text: str):
    with pytest.raises(ValueError, match=r"write it like politeness\.max_delay=10s"):
        parse_setting(text)


def test_a_limit_of_nothing_is_refused():
    with pytest.raises(ValueError, match="longer than nothing"):
        parse_positive_duration("0s")
    with pytest.raises(ValueError, match="more than nothing"):
        parse_positive_size("0 B")


def test_a_converter_says_what_would_be_a_value():
    with pytest.raises(typer.BadParameter, match="write a size like"):
        converter(parse_positive_size)("lots")
