from __future__ import annotations

import pytest

from gossamer.model.headers import Headers

HEADERS = Headers([(b"content-type", b"text/html"), (b"set-cookie", b"a=1"), (b"set-cookie", b"b=\xe4")])


def test_headers_are_found_by_name_in_any_case() -> None:
    assert HEADERS["Content-Type"] == HEADERS["content-type"] == "text/html"
    assert "CONTENT-TYPE" in HEADERS and "X-None" not in HEADERS
    assert HEADERS.get("x-none") is None and HEADERS.get("x-none", "") == ""
    with pytest.raises(KeyError):
        HEADERS["x-none"]
    assert HEADERS.get("x-\u2603") is None


def test_of_a_repeated_header_the_first_counts_and_all_can_be_had() -> None:
    assert HEADERS["Set-Cookie"] == "a=1"
    assert HEADERS.get_all("Set-Cookie") == ["a=1", "b=ä"]
    assert HEADERS.get_all("x-none") == []
    assert dict(HEADERS) == {"content-type": "text/html", "set-cookie": "a=1"}
    assert len(HEADERS) == 2
    assert repr(HEADERS) == "Headers({'content-type': 'text/html', 'set-cookie': 'a=1'})"
