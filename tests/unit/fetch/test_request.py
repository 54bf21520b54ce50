"""The bytes of a request."""

from __future__ import annotations

import pytest

from gossamer.config.settings import Fetching
from gossamer.errors import FetchFailure
from gossamer.fetch.base import FetchRequest
from gossamer.fetch.request import RequestWriter, default_user_agent
from gossamer.model.fetchstatus import FetchStatus


def first_lines(writer: RequestWriter, url: str) -> tuple[bytes, bytes]:
    _, payload = writer.write(FetchRequest(url))
    request_line, host = payload.split(b"\r\n")[:2]
    return request_line, host


@pytest.mark.parametrize(
    ("url", "origin", "line", "host"),
    [
        ("http://a/", ("http", "a", 80), b"GET / HTTP/1.1", b"Host: a"),
        ("https://site.test/p?q=%20", ("https", "site.test", 443), b"GET /p?q=%20 HTTP/1.1", b"Host: site.test"),
        ("http://site.test:8080/", ("http", "site.test", 8080), b"GET / HTTP/1.1", b"Host: site.test:8080"),
        ("http://[::1]:81/x", ("http", "[::1]", 81), b"GET /x HTTP/1.1", b"Host: [::1]:81"),
        ("http://site.test/x#fragment", ("http", "site.test", 80), b"GET /x HTTP/1.1", b"Host: site.test"),
        ("http://me:pw@site.test/x", ("http", "site.test", 80), b"GET /x HTTP/1.1", b"Host: site.test"),
        ("http://site.test", ("http", "site.test", 80), b"GET / HTTP/1.1", b"Host: site.test"),
        ("http://site.test?a/b", ("http", "site.test", 80), b"GET /?a/b HTTP/1.1", b"Host: site.test"),
        ("http://site.tests", ("http", "site.tests", 80), b"GET / HTTP/1.1", b"Host: site.tests"),
        ("http://site.test/a b", ("http", "site.test", 80), b"GET /a%20b HTTP/1.1", b"Host: site.test"),
        ("http://site.test/a\r\nEvil:1", ("http", "site.test", 80), b"GET /aEvil:1 HTTP/1.1", b"Host: site.test"),
        ("http://site.test/\u2603", ("http", "site.test", 80), b"GET /%E2%98%83 HTTP/1.1", b"Host: site.test"),
        ("http://site.test\\@evil.test/", ("http", "site.test", 80), b"GET /@evil.test/ HTTP/1.1", b"Host: site.test"),
        ("HTTP://Site.Test:80/x", ("http", "site.test", 80), b"GET /x HTTP/1.1", b"Host: site.test"),
    ],
)
def test_a_url_is_asked_for_in_the_same_way_whether_its_origin_is_known_or_not(
    url: str, origin: tuple[str, str, int], line: bytes, host: bytes
) -> None:
    writer = RequestWriter(Fetching())
    for known in (None, "http://site.test/", "https://site.test/", "http://a/"):
        if known is not None:
            writer.write(FetchRequest(known))
        assert writer.write(FetchRequest(url))[0] == origin
        assert first_lines(writer, url) == (line, host)


def test_no_more_origins_are_kept_than_are_used() -> None:
    writer = RequestWriter(Fetching())
    for number in range(5000):
        writer.write(FetchRequest(f"http://host{number}.test/"))
    assert len(writer._origins) == 4096
    assert first_lines(writer, "http://host0.test/")[1] == b"Host: host0.test"


def test_the_user_agent_names_the_program_and_a_contact() -> None:
    assert default_user_agent("").startswith("gossamer/")
    assert default_user_agent("mailto:me@site.test").endswith(" (+mailto:me@site.test)")
    _, payload = RequestWriter(Fetching(user_agent="mine/1")).write(FetchRequest("http://a/"))
    assert b"\r\nUser-Agent: mine/1\r\n" in payload and b"gossamer" not in payload


def test_an_illegal_url_is_unfetchable() -> None:
    with pytest.raises(FetchFailure) as caught:
        RequestWriter(Fetching()).write(FetchRequest("http://a b/"))
    assert caught.value.status is FetchStatus.UNFETCHABLE
