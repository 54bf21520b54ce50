"""Queues are named after hosts; registered domains come from the bundled public suffix list."""

from __future__ import annotations

import pytest

from gossamer.url.domain import Suffixes, class_key, is_public_suffix, registered_domain
from gossamer.url.parse import parse


@pytest.mark.parametrize(
    ("href", "key"),
    [
        ("http://www.example.org/", "www.example.org"),
        ("https://www.example.org/", "www.example.org"),
        ("https://www.example.org./", "www.example.org"),
        ("http://example.org:8080/", "example.org:8080"),
        ("http://[::1]/", "[::1]"),
        ("http://[::1]:81/", "[::1]:81"),
        ("http://1.2.3.4/", "1.2.3.4"),
    ],
)
def test_a_queue_is_a_host_and_a_port_of_its_own(href: str, key: str) -> None:
    assert class_key(parse(href)) == key


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("a.b.example.org", "example.org"),
        ("a.example.co.uk.", "example.co.uk"),
        ("me.github.io", "me.github.io"),
        ("github.io", "github.io"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("a.unknowntld", "a.unknowntld"),
        ("www.xn--bcher-kva.example", "xn--bcher-kva.example"),
    ],
)
def test_a_registered_domain_is_what_somebody_registered(host: str, domain: str) -> None:
    assert registered_domain(host) == domain


def test_another_list_of_public_suffixes_can_be_used() -> None:
    suffixes = Suffixes("// mine\nexample\nshop.example\n")
    assert suffixes.registered_domain("www.a.shop.example") == "a.shop.example"
    assert suffixes.registered_domain("www.b.example") == "b.example"
    assert suffixes.is_suffix("shop.example") and not suffixes.is_suffix("a.shop.example")
    assert not suffixes.is_suffix("co.uk") and is_public_suffix("co.uk") and is_public_suffix("github.io")
    assert not is_public_suffix("10.0.0.1") and not is_public_suffix("[::1]")
