from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.fetch.cookies import LONGEST_HEADER, PER_DOMAIN, CookieJar
from gossamer.fetch.request import is_sendable

NOW = 1_800_000_000.0


def jar(*said: tuple[str, bytes], is_verified: bool = True, capacity: int = 3000) -> CookieJar:
    """A jar that was told these lines by these URLs."""
    made = CookieJar(capacity)
    for url, line in said:
        made.receive(url, [line], NOW, is_verified=is_verified)
    return made


@pytest.mark.parametrize(
    ("origin", "line", "asked", "header"),
    [
        ("http://a.example.org/", b"n=v", "http://a.example.org/x", "n=v"),
        ("http://a.example.org/", b"n=v", "http://b.a.example.org/", ""),
        ("http://a.example.org/", b"n=v", "http://example.org/", ""),
        ("http://a.example.org/", b"n=v; Domain=example.org", "http://b.example.org/", "n=v"),
        ("http://a.example.org/", b"n=v; Domain=example.org", "http://example.org/", "n=v"),
        ("http://a.example.org/", b"n=v; Domain=example.org", "http://badexample.org/", ""),
        ("http://a.example.org/", b"n=v; Domain=a.example.org", "http://b.a.example.org/", "n=v"),
        # other hosts, deeper hosts, public suffixes, private ones, parents of addresses
        ("http://a.example.org/", b"n=v; Domain=other.org", "http://other.org/", ""),
        ("http://example.org/", b"n=v; Domain=a.example.org", "http://a.example.org/", ""),
        ("http://example.com/", b"n=v; Domain=com", "http://other.com/", ""),
        ("http://example.co.uk/", b"n=v; Domain=co.uk", "http://example.co.uk/", ""),
        ("http://me.github.io/", b"n=v; Domain=github.io", "http://you.github.io/", ""),
        ("http://github.io/", b"n=v; Domain=github.io", "http://github.io/", "n=v"),
        ("http://github.io/", b"n=v; Domain=github.io", "http://you.github.io/", ""),
        ("http://10.0.0.1/", b"n=v; Domain=0.0.1", "http://10.0.0.1/", ""),
        ("http://10.0.0.1/", b"n=v; Domain=10.0.0.1", "http://10.0.0.1/", "n=v"),
        ("http://localhost/", b"n=v; Domain=localhost", "http://localhost:81/", "n=v"),
        ("http://a.localhost/", b"n=v; Domain=localhost", "http://b.localhost/", ""),
        # ports do not part cookies, schemes only Secure ones
        ("http://a.org:81/", b"n=v", "https://a.org:82/", "n=v"),
        ("https://a.org/", b"n=v; Secure", "https://a.org/", "n=v"),
        ("https://a.org/", b"n=v; Secure", "http://a.org/", ""),
        ("http://a.org/", b"n=v; Secure", "https://a.org/", ""),
        # paths
        ("http://a.org/one/two", b"n=v", "http://a.org/one/three", "n=v"),
        ("http://a.org/one/two", b"n=v", "http://a.org/one", "n=v"),
        ("http://a.org/one/two", b"n=v", "http://a.org/", ""),
        ("http://a.org/", b"n=v; Path=/one", "http://a.org/one/x?y", "n=v"),
        ("http://a.org/", b"n=v; Path=/one", "http://a.org/oneself", ""),
        ("http://a.org/", b"n=v; Path=/one/", "http://a.org/one", ""),
        # what a name promises
        ("https://a.org/", b"__Host-n=v; Secure; Path=/", "https://a.org/", "__Host-n=v"),
        ("https://a.org/", b"__host-n=v; Secure; Path=/; Domain=a.org", "https://a.org/", ""),
        ("https://a.org/", b"__Host-n=v; Secure", "https://a.org/", ""),
        ("https://a.org/", b"__Host-n=v; Path=/", "https://a.org/", ""),
        ("https://a.org/", b"__Secure-n=v; Secure", "https://a.org/", "__Secure-n=v"),
        ("https://a.org/", b"__SECURE-n=v", "https://a.org/", ""),
        ("https://a.org/", b"=__Host-n=v; Secure; Path=/", "https://a.org/", ""),
        ("http://a.org/", b"nameless", "http://a.org/", "nameless"),
    ],
)
def test_a_cookie_goes_where_it_belongs_and_nowhere_else(origin: str, line: bytes, asked: str, header: str) -> None:
    assert jar((origin, line)).header(asked, NOW) == header


def test_longer_paths_come_first_then_older_cookies() -> None:
    made = jar(("http://a.org/", b"root=1; Path=/"), ("http://a.org/", b"deep=2; Path=/x"))
    made.receive("http://a.org/", [b"late=3; Path=/"], NOW + 5, is_verified=False)
    assert made.header("http://a.org/x/y", NOW + 5) == "deep=2; root=1; late=3"


def test_a_cookie_is_replaced_and_forgotten_by_its_server() -> None:
    made = jar(("http://a.org/", b"n=1"), ("http://a.org/", b"n=2"))
    assert made.header("http://a.org/", NOW) == "n=2"
    made.receive("http://a.org/", [b"n=; Max-Age=0"], NOW, is_verified=False)
    assert made.header("http://a.org/", NOW) == "" and len(made) == 0
    assert made.take_changes() == {("a.org", "/", "n"): None}


def test_a_cookie_ends_at_its_time() -> None:
    made = jar(("http://a.org/", b"n=1; Max-Age=10"))
    assert made.header("http://a.org/", NOW + 9) == "n=1"
    assert made.header("http://a.org/", NOW + 10) == ""
    assert not made.reaches("http://a.org/")


def test_a_server_that_cannot_prove_who_it_is_gets_only_what_such_a_one_gave() -> None:
    made = jar(("https://a.org/", b"good=1"), ("https://a.org/", b"safe=1; Secure"))
    made.receive("https://a.org/", [b"own=2; Secure", b"safe=stolen; Secure"], NOW, is_verified=False)
    assert made.header("https://a.org/", NOW, is_verified=False) == "own=2"
    assert made.header("https://a.org/", NOW) == "good=1; safe=1; own=2"


@pytest.mark.parametrize("line", [b"sid=evil", b"sid=evil; Domain=a.org", b"sid=evil; Path=/login/x"])
def test_plain_http_cannot_hide_a_secure_cookie(line: bytes) -> None:
    made = jar(("https://www.a.org/login", b"sid=good; Secure; Path=/login"))
    made.receive("http://www.a.org/login/x", [line + b"; Path=/login/x"], NOW, is_verified=False)
    assert made.header("https://www.a.org/login/x", NOW) == "sid=good"


def test_a_domain_has_fifty_cookies_at_most_and_those_used_last_stay() -> None:
    made = jar(*(("http://a.org/", b"n%d=v; Path=/%d" % (number, number)) for number in range(PER_DOMAIN)))
    assert made.header("http://a.org/0", NOW) == "n0=v"
    made.receive("http://a.org/", [b"more=v"], NOW, is_verified=False)
    assert len(made) == PER_DOMAIN
    assert made.header("http://a.org/0", NOW) == "more=v" or "n0=v" in made.header("http://a.org/0", NOW)
    assert "n1=v" not in made.header("http://a.org/1", NOW)


def test_the_jar_has_a_size() -> None:
    made = jar(*((f"http://h{number}.org/", b"n=v") for number in range(20)), capacity=10)
    assert len(made) == 10
    assert made.header("http://h0.org/", NOW) == "" and made.header("http://h19.org/", NOW) == "n=v"
    changed = made.take_changes()
    assert changed[("h0.org", "/", "n")] is None and changed[("h19.org", "/", "n")] is not None


def test_a_request_carries_no_more_than_servers_take() -> None:
    made = jar(*(("http://a.org/", b"n%d=%s" % (number, b"x" * 4000)) for number in range(30)))
    assert len(made.header("http://a.org/", NOW)) <= LONGEST_HEADER


def test_what_was_stored_comes_back_the_same_and_is_no_change() -> None:
    made = jar(("https://a.org/x/y", b"n=v; Secure; HttpOnly; Max-Age=100"), ("http://b.org/", b"s=v; Domain=b.org"))
    again = CookieJar()
    again.load(made.all(), NOW)
    assert again.all() == made.all() and again.take_changes() == {}
    late = CookieJar()
    late.load(made.all(), NOW + 200)
    assert [cookie.name for cookie in late.all()] == ["s"]
    assert late.take_changes() == {("a.org", "/x", "n"): None}


_HOSTS = st.sampled_from(["a.org", "b.a.org", "c.b.a.org", "co.uk", "x.co.uk", "10.0.0.1", "[::1]", "localhost"])
_LINES = st.binary(max_size=40) | st.tuples(
    st.sampled_from([b"a=1", b"a=2", b"b=\xff", b"__Host-a=1", b"c"]),
    st.sampled_from([b"", b"; Domain=a.org", b"; Domain=.uk", b"; Domain=co.uk", b"; Domain=0.0.1", b"; Domain=::1"]),
    st.sampled_from([b"", b"; Secure", b"; Path=/", b"; Path=/x", b"; Max-Age=0", b"; Max-Age=50"]),
).map(b"".join)


@given(st.lists(st.tuples(_HOSTS, st.booleans(), st.booleans(), _LINES, st.integers(0, 100)), max_size=30))
def test_no_run_of_lines_breaks_the_jar_or_leaks_to_a_stranger(
    told: list[tuple[str, bool, bool, bytes, int]],
) -> None:
    made = CookieJar(capacity=5)
    stored: dict[tuple[str, str, str], object] = {}
    for host, is_https, is_verified, line, later in told:
        made.receive(f"{'https' if is_https else 'http'}://{host}/x/y", [line], NOW + later, is_verified=is_verified)
        assert len(made) <= 5
        for key, cookie in made.take_changes().items():
            stored.pop(key, None) if cookie is None else stored.update({key: cookie})
        assert made.header("http://stranger.net/", NOW) == made.header("https://other.co.uk/", NOW) == ""
        header = made.header(f"https://{host}/x/y", NOW + later)
        assert not header or is_sendable("Cookie", header)
    for key, cookie in made.take_changes().items():
        stored.pop(key, None) if cookie is None else stored.update({key: cookie})
    assert stored == {cookie.key: cookie for cookie in made.all()}
