"""one_word: hostile text stays one word."""

from __future__ import annotations

from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from gossamer.util.percent import one_word


def test_a_serialized_url_comes_through_unchanged() -> None:
    url = "https://example.org/a%20b?q=1&r=[2]#x"
    assert one_word(url) is url


def test_line_breaks_spaces_and_letters_beyond_ascii_are_encoded() -> None:
    assert one_word("a b\r\nWARC-Type: é") == "a%20b%0D%0AWARC-Type:%20%C3%A9"


@given(st.text())
def test_whatever_goes_in_one_readable_word_comes_out(text: str) -> None:
    word = one_word(text)
    assert all("!" <= c <= "~" for c in word)
    assert unquote(word, errors="surrogatepass") == unquote(text, errors="surrogatepass")
