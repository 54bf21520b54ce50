"""P13: who may ask."""

from __future__ import annotations

import pytest

from gossamer.web.guard import refusal_of


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "localhost:9464", "127.0.0.1:80", "[::1]:1", "gossamer"])
def test_this_machine_may_be_called_by_its_own_names(host: str):
    assert refusal_of([(b"host", host.encode())]) is None


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.nip.io",
        "",
        "localhost:80:90",
        "evil.example:localhost",
        "::1",
    ],
)
def test_any_other_host_is_refused(host: str):
    assert refusal_of([(b"host", host.encode())]) is not None


def test_no_host_and_two_hosts_are_refused():
    assert refusal_of([]) is not None
    assert refusal_of([(b"host", b"localhost"), (b"host", b"localhost")]) is not None


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost"])
def test_a_web_page_is_refused(origin: str):
    assert refusal_of([(b"host", b"localhost"), (b"origin", origin.encode())]) is not None


@pytest.mark.parametrize(("site", "is_refused"), [("cross-site", True), ("same-site", True), ("none", False)])
def test_a_browser_says_where_a_request_comes_from(site: str, is_refused: bool):
    headers = [(b"host", b"localhost"), (b"sec-fetch-site", site.encode())]
    assert (refusal_of(headers) is not None) is is_refused
