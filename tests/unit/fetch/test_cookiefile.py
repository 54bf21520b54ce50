from __future__ import annotations

import contextlib
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import ConfigError
from gossamer.fetch.cookiefile import read_cookies, write_cookies
from gossamer.fetch.cookies import Cookie, CookieJar, is_storable

NOW = 1_800_000_000.0
FILE = b"""# Netscape HTTP Cookie File
# a comment

.example.org\tTRUE\t/\tFALSE\t0\tplain\tv1
#HttpOnly_www.example.org\tFALSE\t/x\tTRUE\t1900000000\tsafe\tv=2
example.org\tFALSE\t/\tFALSE\t0\tempty
"""


def test_a_file_is_read() -> None:
    assert read_cookies(FILE, "cookies.txt", NOW) == [
        Cookie(
            domain="example.org", path="/", name="plain", value="v1", is_host_only=False, is_trusted=True, created=NOW
        ),
        Cookie(
            domain="www.example.org", path="/x", name="safe", value="v=2", is_secure=True, is_http_only=True,
            is_trusted=True, expires=1_900_000_000.0, created=NOW,
        ),
        Cookie(domain="example.org", path="/", name="empty", value="", is_trusted=True, created=NOW),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"a.org\tTRUE\t/", "cookies.txt:1: not in Netscape's cookies.txt format: 3 parts between tabs instead of 7"),
        (b"a.org\tYES\t/\tFALSE\t0\tn\tsecret", "must be TRUE or FALSE"),
        (b"a.org\tTRUE\tx\tFALSE\t0\tn\tsecret", "must be a path"),
        (b"a.org\tTRUE\t/\tFALSE\tsoon\tn\tsecret", "must be a time in seconds"),
        (b"a b\tTRUE\t/\tFALSE\t0\tn\tsecret", "a b is no host name"),
        (b"a.org/x\tTRUE\t/\tFALSE\t0\tn\tsecret", "a.org/x is no host name"),
        (b".co.uk\tTRUE\t/\tFALSE\t0\tn\tsecret", "co.uk is a public suffix"),
        (b"a.org\tTRUE\t/\tFALSE\t0\tn\tsecret;x", "cannot be sent"),
        (b"a.org\tTRUE\t/\tFALSE\t0\tn\t" + b"secret" * 1000, "longer than 4 KiB"),
    ],
)
def test_a_bad_line_is_named_and_its_value_is_not(line: bytes, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_cookies(line, "cookies.txt", NOW)
    assert message in str(caught.value) and "secret" not in str(caught.value)


_COOKIES = st.builds(
    Cookie,
    domain=st.sampled_from(["example.org", "10.0.0.1", "[::1]", "xn--bcher-kva.example"]),
    path=st.sampled_from(["/", "/a b"]),
    name=st.text("abc\xe9 _", max_size=5).map(str.strip),
    value=st.text("abc\xff=, _", max_size=5).map(str.strip),
    is_secure=st.booleans(),
    is_http_only=st.booleans(),
    is_trusted=st.just(True),
    expires=st.none() | st.integers(1, 2**40).map(float),
    created=st.just(NOW),
).filter(is_storable)


@given(st.lists(_COOKIES, max_size=5, unique_by=lambda cookie: cookie.key))
def test_what_is_written_is_read_back(cookies: list[Cookie]) -> None:
    read = read_cookies(write_cookies(cookies), "", NOW)
    assert read == sorted(cookies, key=lambda cookie: cookie.key)


@given(st.binary(max_size=200))
def test_no_file_is_too_odd(raw: bytes) -> None:
    with contextlib.suppress(ConfigError):
        read_cookies(raw, "x", NOW)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_reads_what_is_written_as_it_was_meant(tmp_path: Path) -> None:
    jar = CookieJar()
    jar.receive(
        "https://www.example.org/",
        [b"a=1; Max-Age=90000; Secure; HttpOnly", b"b=2; Domain=example.org"],
        NOW,
        is_verified=True,
    )
    (tmp_path / "in.txt").write_bytes(write_cookies(jar.all()))
    done = subprocess.run(
        ["curl", "-s", "-b", tmp_path / "in.txt", "-c", tmp_path / "out.txt", "file:///dev/null"], check=False
    )
    assert done.returncode in (0, 1)
    again = read_cookies((tmp_path / "out.txt").read_bytes(), "", NOW)
    assert {(c.key, c.value, c.is_secure, c.is_http_only, c.is_host_only) for c in again} == {
        (c.key, c.value, c.is_secure, c.is_http_only, c.is_host_only) for c in jar.all()
    }
