from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.fetch.setcookie import LONGEST_COOKIE, LONGEST_LIFE, SetCookie, parse_cookie_date, parse_set_cookie

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("line", "cookie"),
    [
        (b"a=b", SetCookie("a", "b")),
        (b" a = b c ; Path=/x", SetCookie("a", "b c", path="/x")),
        (b'a="b; c"', SetCookie("a", '"b')),
        (b"a=b=c", SetCookie("a", "b=c")),
        (b"alone", SetCookie("", "alone")),
        (b"=v", SetCookie("", "v")),
        (b"a=; Secure; HTTPONLY", SetCookie("a", "", is_secure=True, is_http_only=True)),
        (b"a=b; domain=.Example.ORG", SetCookie("a", "b", domain="example.org")),
        (b"a=b; Domain=x.org; Domain=y.org", SetCookie("a", "b", domain="y.org")),
        (b"a=b; Path=x", SetCookie("a", "b")),
        (b"a=b; Path=" + b"/" * 1025, SetCookie("a", "b")),
        (b"a=b; Max-Age=10", SetCookie("a", "b", expires=NOW + 10)),
        (b"a=b; Max-Age=0", SetCookie("a", "b", expires=0.0)),
        (b"a=b; Max-Age=-5; Expires=Wed, 09 Jun 2100 10:18:14 GMT", SetCookie("a", "b", expires=0.0)),
        (b"a=b; Max-Age=" + b"9" * 500, SetCookie("a", "b", expires=NOW + LONGEST_LIFE)),
        (b"a=b; Max-Age=1e3", SetCookie("a", "b")),
        (b"a=b; Expires=Fri, 31 Dec 9999 23:59:59 GMT", SetCookie("a", "b", expires=NOW + LONGEST_LIFE)),
        (b"a=b; Expires=Mon, 01 Jan 1601 00:00:00 GMT", SetCookie("a", "b", expires=-11_644_473_600.0)),
        (b"a=b; Expires=never", SetCookie("a", "b")),
        (b"a=b;;;;=;SameSite=None;Priority=High", SetCookie("a", "b")),
        (b"n\xe9=v\xff", SetCookie("n\xe9", "v\xff")),
        (b"a=b\r\nX: y", None),
        (b"a=\0", None),
        (b"a=b\x7f", None),
        (b"", None),
        (b"  =  ; Secure", None),
        (b"a=" + b"x" * LONGEST_COOKIE, None),
    ],
)
def test_a_line_is_read_as_browsers_read_it(line: bytes, cookie: SetCookie | None) -> None:
    assert parse_set_cookie(line, NOW) == cookie


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784111777.0),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784111777.0),
        ("Sun Nov  6 08:49:37 1994", 784111777.0),
        ("6 nov 1994 8:49:37", 784111777.0),
        ("08:49:37 1994 6 Nov", 784111777.0),
        ("Thu, 01-Jan-70 00:00:00 GMT", 0.0),
        ("01 Jan 69 00:00:00", 3124224000.0),
        ("30 Feb 2030 00:00:00", None),
        ("1 Jan 2030 24:00:00", None),
        ("1 Jan 1600 00:00:00", None),
        ("2030-01-01", None),
        ("", None),
    ],
)
def test_a_date_is_read_by_the_forgiving_rules_of_the_standard(text: str, moment: float | None) -> None:
    assert parse_cookie_date(text) == moment


@given(
    st.binary(max_size=300), st.lists(st.sampled_from([b"; Secure", b"; Path=", b"; Max-Age=", b"; Expires=", b"="]))
)
def test_no_line_is_too_odd_to_be_read_or_refused(data: bytes, parts: list[bytes]) -> None:
    cookie = parse_set_cookie(data + b"".join(part + data[:7] for part in parts), NOW)
    if cookie is not None:
        assert 0 < len(cookie.name) + len(cookie.value) <= LONGEST_COOKIE
        assert not set(cookie.name + cookie.value + cookie.path) & set(";\r\n\0")


@given(st.text(max_size=100))
def test_no_date_is_too_odd(text: str) -> None:
    parse_cookie_date(text)
