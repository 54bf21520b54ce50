from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.fetch.challenge import Challenge, parse_challenges, parse_parameters


@pytest.mark.parametrize(
    ("lines", "challenges"),
    [
        ([b'Basic realm="a, b"'], [Challenge("basic", {"realm": "a, b"})]),
        ([b"basic Realm=x"], [Challenge("basic", {"realm": "x"})]),
        ([b"Negotiate"], [Challenge("negotiate")]),
        ([b"Negotiate, Basic realm=x"], [Challenge("negotiate"), Challenge("basic", {"realm": "x"})]),
        ([b"NTLM TlRMTVNTUAACAAAA==, Basic realm=x"], [Challenge("ntlm"), Challenge("basic", {"realm": "x"})]),
        (
            [b'Newauth realm="apps", type=1, title="Login to \\"apps\\"", Basic realm="simple"'],
            [
                Challenge("newauth", {"realm": "apps", "type": "1", "title": 'Login to "apps"'}),
                Challenge("basic", {"realm": "simple"}),
            ],
        ),
        (
            [b"Basic realm=a", b"Digest nonce=b"],
            [Challenge("basic", {"realm": "a"}), Challenge("digest", {"nonce": "b"})],
        ),
        ([b'Digest realm = "a" ,, nonce= "b"'], [Challenge("digest", {"realm": "a", "nonce": "b"})]),
        ([b"Basic realm=a, realm=b"], [Challenge("basic", {"realm": "a"})]),
        ([b'Basic realm="never closed'], [Challenge("basic", {"realm": "never closed"})]),
        ([b'Basic realm="\xe4"'], [Challenge("basic", {"realm": "\xe4"})]),
        ([b"", b",,,", b"=", b"realm=x"], []),
    ],
)
def test_challenges_are_read_as_servers_write_them(lines: list[bytes], challenges: list[Challenge]) -> None:
    found = [one for one in parse_challenges(lines) if one.scheme != "tlrmtvntuaacaaaa"]
    assert found == challenges


def test_what_has_no_scheme_is_read_too() -> None:
    assert parse_parameters(b'nextnonce="n", qop=auth') == {"nextnonce": "n", "qop": "auth"}


@given(st.lists(st.binary(max_size=60) | st.sampled_from([b'Basic realm="', b"Digest a=b, ", b'\\"', b"=,=", b"x "])))
def test_no_challenge_is_too_odd(pieces: list[bytes]) -> None:
    assert len(parse_challenges([b"".join(pieces), *pieces])) <= 20
    parse_parameters(b"".join(pieces))


def test_of_a_long_header_no_more_is_read_than_makes_sense() -> None:
    parse_challenges(
        [b"a" * 250_000, b'Basic realm="' + b"\\" * 250_000, b"a=" * 100_000, b'"' * 200_000, b" " * 250_000]
    )
