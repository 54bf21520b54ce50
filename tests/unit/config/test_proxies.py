from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.config.proxies import ProxyParts, check_proxy, parse_proxy, shown_proxy


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("http://proxy.example:3128", ProxyParts("http", "proxy.example", 3128, "", "")),
        ("http://Proxy.example/", ProxyParts("http", "proxy.example", 8080, "", "")),
        ("socks5://me:a%40b%3A@10.0.0.1:1080", ProxyParts("socks5", "10.0.0.1", 1080, "me", "a@b:")),
        ("socks5h://[::1]", ProxyParts("socks5", "[::1]", 1080, "", "")),
        ("socks4://me@a", ProxyParts("socks4a", "a", 1080, "me", "")),
        ("http://me:env:x@a", ProxyParts("http", "a", 8080, "me", "env:x")),
    ],
)
def test_a_proxy_is_read(text: str, parts: ProxyParts) -> None:
    assert parse_proxy(text) == parts


@pytest.mark.parametrize(
    "text",
    ["", "a:1", "http://", "http://a/b", "http://a?b", "ftp://a", "http://a:65536", "socks4a://a:b@c",
     "http://a%3Ab:c@d", "http://a%0d:b@c", f"socks5://{'x' * 256}@a", "http://a\n"],
)  # fmt: skip
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        check_proxy(text)


def test_what_is_shown_of_a_proxy_holds_neither_name_nor_password() -> None:
    assert shown_proxy("http://me:s3cret@a:1") == "http://[withheld]@a:1"
    assert shown_proxy("socks5://a") == "socks5://a:1080"
    assert shown_proxy("env:PROXY") == "env:PROXY"


@given(st.text(max_size=40) | st.from_regex(r"(http|socks5)://[^ ]{0,20}:[^ ]{0,10}@[a-z.:0-9]{0,20}"))
def test_no_text_is_too_odd_and_none_is_repeated(text: str) -> None:
    try:
        parts = parse_proxy(text)
    except ValueError as exc:
        assert len(text) < 8 or text not in str(exc)
    else:
        assert 0 < parts.port < 65536 and parts.host
