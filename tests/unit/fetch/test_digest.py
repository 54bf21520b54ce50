from __future__ import annotations

import re

import pytest

from gossamer.fetch.challenge import parse_challenges
from gossamer.fetch.digest import DigestSession, strength

RFC_7616 = (
    b'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=%s, '
    b'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"'
)


@pytest.mark.parametrize(
    ("algorithm", "response"),
    [
        (b"MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        (b"SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ],
)
def test_the_example_of_the_standard_is_answered_as_it_says(algorithm: bytes, response: str) -> None:
    """RFC 7616 3.9.1."""
    session = DigestSession(parse_challenges([RFC_7616 % algorithm])[0], "Mufasa", "Circle of Life")
    header = session.header("GET", "/dir/index.html", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
    assert f'response="{response}"' in header
    assert 'username="Mufasa"' in header and "nc=00000001" in header and "qop=auth, " in header
    assert header.count('"') % 2 == 0


def test_a_nonce_is_counted_and_a_new_one_begins_again() -> None:
    session = DigestSession(parse_challenges([RFC_7616 % b"MD5"])[0], "a", "b")
    counts = [re.search("nc=([0-9a-f]+)", session.header("GET", "/"))[1] for _ in range(3)]  # type: ignore[index]
    assert counts == ["00000001", "00000002", "00000003"]
    session.renew("other")
    assert 'nonce="other"' in (header := session.header("GET", "/")) and "nc=00000001" in header


@pytest.mark.parametrize(
    ("challenge", "good"),
    [
        (b"Digest nonce=n, algorithm=SHA-256-sess, qop=auth", 2),
        (b"Digest nonce=n", 1),
        (b"Digest nonce=n, qop=auth-int", 0),
        (b"Digest nonce=n, algorithm=SHA-512-256", 0),
        (b"Digest realm=x", 0),
        (b"Basic realm=x", 0),
    ],
)
def test_only_what_can_be_answered_counts(challenge: bytes, good: int) -> None:
    assert strength(parse_challenges([challenge])[0]) == good
