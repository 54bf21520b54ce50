from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.util.terminal import printable


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[2J\x1b[1;1Hhello", "hello"),
        ("\x1b]0;a new title\x07hello", "hello"),
        ("\x1b]8;;https://evil.example/\x1b\\click\x1b]8;;\x1b\\", "click"),
        ("\x9b31mred\x9b0m", "red"),
        ("\x1bPq#0;2;0;0;0\x1b\\after", "after"),
        ("\x1bcreset", "reset"),
        ("one\r\ntwo\tthree", "one  two three"),
        ("a\x00b\x07c\x08d\x7fe", "abcde"),
        ("file\u202egnp.exe", "filegnp.exe"),
        ("\u2066isolated\u2069", "isolated"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("lone \ud800 surrogate", "lone  surrogate"),
        ("private \ue000 use", "private  use"),
        ("line\u2028break", "line break"),
        ("\x1b]0;never ended", ""),
        ("\x1b[31", ""),
        ("end\x1b", "end"),
    ],
)
def test_what_could_move_the_cursor_or_mislead_the_eye_is_gone(hostile: str, shown: str) -> None:
    assert printable(hostile) == shown


@pytest.mark.parametrize(
    "text", ["", "plain", "žluťoučký kůň", "日本語", "مرحبا", "नमस्ते", "می‌خواهم", "👩‍🚀", "a b", "[red]"]
)
def test_ordinary_text_in_any_script_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


@given(st.text(alphabet=st.characters()) | st.text(alphabet="\x1b\x9b\x9d[]P;0m\\\x07ab\u202e\ud800\n"))
def test_nothing_that_comes_out_is_a_control_and_all_can_be_written(text: str) -> None:
    out = printable(text)
    out.encode("utf-8")
    assert all(unicodedata.category(c) not in {"Cc", "Cs", "Co", "Zl", "Zp"} for c in out)
    assert all(unicodedata.category(c) != "Cf" or c in "\u200c\u200d" for c in out)
    assert printable(out) == out


def test_long_text_is_cut_with_an_ellipsis() -> None:
    assert printable("abcdef", 6) == "abcdef"
    assert printable("abcdefg", 6) == "abcde…"


@given(st.text(), st.integers(min_value=1, max_value=20))
def test_a_limit_is_kept(text: str, limit: int) -> None:
    assert len(printable(text, limit)) <= limit


def test_text_that_hides_behind_a_flood_of_escapes_is_marked_as_cut() -> None:
    assert printable("\x1b[0m" * 1_000_000 + "end", 10) == "…"
