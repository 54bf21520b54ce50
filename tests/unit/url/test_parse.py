"""Parsing and resolving follow the WHATWG URL Standard, and nothing a page writes can raise anything else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.url.parse import (
    MAX_LENGTH,
    InvalidUrl,
    Url,
    host_of,
    is_crawlable,
    is_ip_host,
    origin_of,
    parse,
    resolve,
    resolve_all,
    split,
)

PAGE = "http://a.com/b/c/d?x"


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("HTTP://WWW.Example.COM:80/A/../b?Q=1#frag", "http://www.example.com/b?Q=1"),
        ("https://example.com:443", "https://example.com/"),
        ("http:////example.com/x", "http://example.com/x"),
        ("http://example.com:0080/", "http://example.com/"),
        ("http://bücher.example/straße?q=ä", "http://xn--bcher-kva.example/stra%C3%9Fe?q=%C3%A4"),
        ("http://example.com/%7Euser/%zz%", "http://example.com/%7Euser/%zz%"),
        ("http://example.com/a\\b\\c", "http://example.com/a/b/c"),
        ("http://example.com/a//b", "http://example.com/a//b"),
        ("http://example.com/%2e%2e/x", "http://example.com/x"),
        ("http://example.com/a\x00b", "http://example.com/a%00b"),
        ("  http://example.com/a\n b\t ", "http://example.com/a%20b"),
        ("http://ex%41mple.com/", "http://example.com/"),
        ("http://example.com./", "http://example.com./"),
        ("http://ex_ample.com/", "http://ex_ample.com/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://１２７.0.0.1/", "http://127.0.0.1/"),
        ("http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"),
        ("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
    ],
)
def test_a_url_is_serialized_as_a_browser_does(text: str, href: str) -> None:
    assert parse(text).href == href


def test_the_parts_of_a_url_are_those_of_its_serialization() -> None:
    url = parse("HTTPS://Example.ORG:8443/a/b?c=d#e")
    assert url == Url("https://example.org:8443/a/b?c=d", "https", "example.org", 8443, "/a/b", "?c=d")
    assert url.authority == "example.org:8443"
    assert url.origin == "https://example.org:8443"


def test_a_default_port_is_none() -> None:
    assert parse("http://example.org:80/").port is None
    assert parse("https://example.org:80/").port == 80


@pytest.mark.parametrize(
    "text",
    [
        "",
        "example.com",
        "/path",
        "http://",
        "http:///",
        "http://h:0/",
        "http://h:99999/",
        "http://h:+80/",
        "http://exa mple.com/",
        "http://a..b/",
        "http://./",
        "http://.a/",
        "http://xn--a/",
        "http://" + "a" * 64 + ".com/",
        "http://" + "a." * 127 + "com/",
        "http://" + "a" * 65_536 + "/",
        "http://com,example/",
        "http://a\x00b/",
        "http://256.1.1.1/",
        "http://h/" + "x" * MAX_LENGTH,
        "mailto:a@b.c",
        "data:text/html,x",
        "javascript:void(0)",
        "file:///etc/passwd",
        "http://h/\ud800",
    ],
)
def test_what_no_server_can_be_asked_for_is_invalid(text: str) -> None:
    with pytest.raises(InvalidUrl):
        parse(text)


def test_an_error_about_a_long_text_is_short() -> None:
    with pytest.raises(InvalidUrl) as caught:
        parse("http://" + "a b" * 20_000)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("reference", "href"),
    [
        ("../../../../g", "http://a.com/g"),
        ("?q", "http://a.com/b/c/d?q"),
        ("#f", "http://a.com/b/c/d?x"),
        ("", "http://a.com/b/c/d?x"),
        ("e#f?g", "http://a.com/b/c/e"),
        ("//b.com", "http://b.com/"),
        ("/\\evil.com", "http://evil.com/"),
        ("http:foo", "http://a.com/b/c/foo"),
        ("https:foo", "https://foo/"),
        (" \n/a\tb\r ", "http://a.com/ab"),
        ("http:////h/", "http://h/"),
        ("é", "http://a.com/b/c/%C3%A9"),
        ("http://u:p@b.com/", "http://u:p@b.com/"),
    ],
)
def test_a_reference_is_resolved_as_a_browser_does(reference: str, href: str) -> None:
    assert resolve(PAGE, reference) == href
    assert resolve_all(PAGE, [reference]) == [href]


@pytest.mark.parametrize("reference", ["//", "http://", "//h:0/", "//a..b/", "http://h:99999/", "x" * (MAX_LENGTH + 1)])
def test_a_reference_that_leads_nowhere_is_invalid(reference: str) -> None:
    with pytest.raises(InvalidUrl):
        resolve(PAGE, reference)
    assert resolve_all(PAGE, [reference]) == [None]


@pytest.mark.parametrize(
    "reference",
    [
        "javascript:void(0)",
        "JaVaScRiPt\t:x",
        " javascript:x",
        "mailto:a@b.c",
        "tel:1",
        "data:text/plain,x",
        "data:," + "x" * 10_000_000,
        "blob:http://a.com/x",
        "about:blank",
        "ftp://a.com/",
        "file:///etc/passwd",
        "gopher://a.com/",
    ],
)
def test_other_schemes_are_not_links(reference: str) -> None:
    assert resolve_all(PAGE, [reference]) == [None]


def test_answers_stand_in_the_order_of_the_references() -> None:
    assert resolve_all(PAGE, ["e", "e#1", "//", "//b.com/", "e#2"]) == [
        "http://a.com/b/c/e",
        "http://a.com/b/c/e",
        None,
        "http://b.com/",
        "http://a.com/b/c/e",
    ]


def test_a_bad_base_is_the_callers_mistake() -> None:
    with pytest.raises(InvalidUrl):
        resolve_all("nowhere", ["a"])


def test_links_inherit_nothing_from_an_invalid_home() -> None:
    assert resolve_all("http://a..b/", ["c"]) == [None]
    assert resolve_all("file:///a/b", ["c", "http://h/"]) == [None, "http://h/"]


@pytest.mark.parametrize(
    ("href", "host"),
    [
        ("http://example.org/a:b@c", "example.org"),
        ("http://example.org:8080/", "example.org"),
        ("http://[::1]:8080/", "[::1]"),
        ("http://u:p@[::1]/", "[::1]"),
        ("http://u:p@example.org:1/", "example.org"),
    ],
)
def test_the_host_is_read_off_a_serialized_url(href: str, host: str) -> None:
    assert host_of(href) == host == parse(href).host
    assert origin_of(href) == parse(href).origin


@pytest.mark.parametrize(
    "href",
    [
        "http://example.org/",
        "https://example.org:8080/a/b.html?c=/d?e",
        "http://example.org/a?",
        "http://[::1]:8080/a:b@c",
        "http://u:p@example.org:1/?q",
        "ftp://example.org/a",
    ],
)
def test_a_serialized_url_is_taken_apart_as_it_was_put_together(href: str) -> None:
    assert split(href) == parse(href)


def test_literal_addresses_are_told_from_names() -> None:
    assert is_ip_host("127.0.0.1")
    assert is_ip_host("[::1]")
    assert not is_ip_host("example.org")
    assert not is_ip_host("1.2.3.4.example")


def test_only_http_and_https_are_crawlable() -> None:
    assert is_crawlable("http://a/")
    assert is_crawlable("https://a/")
    assert not is_crawlable("ftp://a/")


URLISH = st.text(alphabet=st.sampled_from("abA1.-_~:/\\?#[]@!$&'()*+,;=% \t\n\x00%2e%41é漢ßhttps"), max_size=40)


@given(st.one_of(st.text(max_size=200), URLISH, URLISH.map(lambda s: "http://" + s)))
def test_any_text_is_parsed_or_invalid_and_what_is_parsed_stays_as_it_is(text: str) -> None:
    try:
        url = parse(text)
    except InvalidUrl:
        return
    assert parse(url.href) == url
    assert split(url.href) == url
    assert "#" not in url.href
    assert not set(url.href) & set(" \t\r\n\x00")
    assert url.href.isascii()
    if is_crawlable(url.href):
        assert host_of(url.href) == url.host


@given(URLISH.map(lambda s: "http://h/" + s), st.lists(st.one_of(st.text(max_size=60), URLISH), max_size=8))
def test_resolving_together_is_resolving_one_by_one(base: str, references: list[str]) -> None:
    one_by_one: list[str | None] = []
    for reference in references:
        try:
            href = resolve(base, reference)
        except InvalidUrl:
            one_by_one.append(None)
        else:
            one_by_one.append(href if is_crawlable(href) else None)
    assert resolve_all(base, references) == one_by_one


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("2 #", "http://h/a/2%20"),
        ("2 #x", "http://h/a/2%20"),
        ("2\t #x", "http://h/a/2%20"),
        ("?q \x01#x", "http://h/a/b?q%20%01"),
        (" #x", "http://h/a/b"),
        (" 2 ", "http://h/a/2"),
        ("#", "http://h/a/b"),
    ],
)
def test_blanks_before_a_fragment_belong_to_the_url(reference: str, expected: str) -> None:
    assert resolve("http://h/a/b", reference) == expected
    assert resolve_all("http://h/a/b", [reference]) == [expected]
