"""No secret reaches the archive."""

from __future__ import annotations

import pytest

from gossamer.warc.secrets import without_secrets

HEAD = b"GET / HTTP/1.1\r\nHost: example.org\r\n"


@pytest.mark.parametrize("name", [b"Authorization", b"authorization", b"Proxy-Authorization", b"PROXY-AUTHORIZATION"])
def test_credentials_are_always_withheld(name: bytes) -> None:
    request = HEAD + name + b": Basic c2VjcmV0\r\nAccept: */*\r\n\r\n"
    assert without_secrets(request, hide_cookies=False) == HEAD + name + b": [withheld]\r\nAccept: */*\r\n\r\n"


def test_a_folded_value_is_withheld_as_a_whole() -> None:
    request = HEAD + b"Authorization: Digest a,\r\n secret=1,\r\n\tb=2\r\nAccept: */*\r\n\r\n"
    assert without_secrets(request, hide_cookies=False) == HEAD + b"Authorization: [withheld]\r\nAccept: */*\r\n\r\n"


def test_several_credentials_are_all_withheld() -> None:
    request = HEAD + b"Authorization: a\r\nProxy-Authorization: b\r\nAuthorization:c\r\n\r\n"
    cleaned = without_secrets(request, hide_cookies=False)
    assert cleaned.count(b"[withheld]") == 3
    assert cleaned.endswith(b"Authorization:[withheld]\r\n\r\n")


def test_cookies_stay_unless_they_are_to_be_hidden() -> None:
    request = HEAD + b"Cookie: sid=secret\r\n\r\n"
    assert without_secrets(request, hide_cookies=False) is request


def test_hidden_cookies_keep_their_names() -> None:
    request = HEAD + b"Cookie: sid=secret; theme=dark=blue; lone\r\nAccept: */*\r\n\r\n"
    assert without_secrets(request, hide_cookies=True) == (
        HEAD + b"Cookie: sid=[withheld]; theme=[withheld]; [withheld]\r\nAccept: */*\r\n\r\n"
    )


def test_a_request_without_secrets_is_byte_for_byte_the_same() -> None:
    request = HEAD + b"X-Note: my authorization cookie\r\n\r\n"
    assert without_secrets(request, hide_cookies=True) == request
