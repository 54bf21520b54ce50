from __future__ import annotations

import io
import tracemalloc
from collections.abc import Iterator
from typing import BinaryIO, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import ConfigError
from gossamer.model.events import SeedRejected
from gossamer.seeds import InvalidSeed, Seed, parse_seed, read_seeds
from gossamer.seeds.parse import MAX_LINE, REMEMBERED


def _read(content: bytes) -> list[Seed | SeedRejected]:
    return list(read_seeds(io.BytesIO(content)))


def _urls(content: bytes) -> list[str]:
    return [seed.url for seed in _read(content) if isinstance(seed, Seed)]


# ---- one seed


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://example.org", "https://example.org/"),
        ("HTTP://Example.ORG/A?b#c", "http://example.org/A?b"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
        ("https:example.org", "https://example.org/"),
        ("https://exämple.org/ü", "https://xn--exmple-cua.org/%C3%BC"),
        ("  https://example.org/  ", "https://example.org/"),
    ],
)
def test_a_whole_url_is_taken_as_it_is(text: str, url: str) -> None:
    assert parse_seed(text) == Seed(text.strip(), url, None, None)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("example.org", "example.org/"),
        ("Example.ORG/path?q", "example.org/path?q"),
        ("example.org:8080/x", "example.org:8080/x"),
        ("localhost:8000", "localhost:8000/"),
        ("localhost", "localhost/"),
        ("192.0.2.7", "192.0.2.7/"),
        ("[2001:db8::1]:81/x", "[2001:db8::1]:81/x"),
        ("//example.org/x", "example.org/x"),
        ("example.org/a:b@c", "example.org/a:b@c"),
        ("example.org?u=http://x.example/", "example.org/?u=http://x.example/"),
    ],
)
def test_a_bare_host_means_https_and_then_http(text: str, rest: str) -> None:
    assert parse_seed(text) == Seed(text, f"https://{rest}", f"http://{rest}", None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("ftp://example.org/", "only http and https can be crawled, not ftp"),
        ("mailto:me@example.org", "only http and https can be crawled, not mailto"),
        ("javascript:alert(1)", "only http and https can be crawled, not javascript"),
        ("/etc/passwd", "a path without a host; write the whole URL"),
        ("///x", "a path without a host; write the whole URL"),
        ("me@example.org", "a user name in front of the host"),
        ("https://user:secret@example.org/", "a user name in front of the host"),
        ("https://", "not a URL"),
        ("https://exa mple.org/", "white space inside"),
        ("https://a.example/\thttps://b.example/", "white space inside"),
        ("https://a.example/\u2028x", "white space inside"),
        ("https://a.example/\x1b[2J", "control characters or invisible ones inside"),
        ("https://a.example/\u202e", "control characters or invisible ones inside"),
        ("https://a.example:0/", "nothing listens on port 0"),
        ("https://a.example:99999/", "not a URL"),
        ("https://a..b/", "not a host name that DNS can carry"),
        ("..", "not a host name that DNS can carry"),
        ("https://" + "a" * 70_000, "70008 characters are too long"),
    ],
)
def test_what_cannot_be_crawled_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(InvalidSeed) as caught:
        parse_seed(text)
    assert caught.value.reason.startswith(reason)
    assert "secret" not in caught.value.reason
    assert str(caught.value).endswith(f"is not a seed: {caught.value.reason}")
    assert str(caught.value).isprintable()
    assert isinstance(caught.value, ConfigError)


# ---- a file of them


def test_a_file_has_one_url_a_line_with_comments_and_empty_lines() -> None:
    content = b"""\
# my seeds
https://a.example/

   b.example/x   # with a comment behind
https://c.example/#fragment
\t# indented
"""
    assert _read(content) == [
        Seed("https://a.example/", "https://a.example/", None, 2),
        Seed("b.example/x", "https://b.example/x", "http://b.example/x", 4),
        Seed("https://c.example/#fragment", "https://c.example/", None, 5),
    ]


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfhttps://a.example/\r\nhttps://b.example/\r\n",
        b"https://a.example/\nhttps://b.example/",
        b"\n\nhttps://a.example/\n\r\nhttps://b.example/\n\n",
    ],
)
def test_byte_order_mark_and_line_ends_of_any_system_are_read(content: bytes) -> None:
    assert _urls(content) == ["https://a.example/", "https://b.example/"]


@pytest.mark.parametrize("content", [b"", b"\n", b"# nothing", b"\xef\xbb\xbf", b"\r\n \r\n"])
def test_a_file_without_seeds_gives_none(content: bytes) -> None:
    assert _read(content) == []


def test_malformed_lines_are_reported_with_their_number_and_lose_no_other() -> None:
    content = b"https://a.example/\nftp://x/\n\xff\xfe bad\nhttps://b.example/\nnot a url\r\nhttps://c.example/\n"
    assert _urls(content) == ["https://a.example/", "https://b.example/", "https://c.example/"]
    assert [found for found in _read(content) if isinstance(found, SeedRejected)] == [
        SeedRejected("ftp://x/", "only http and https can be crawled, not ftp", 2),
        SeedRejected("\ufffd\ufffd bad", "not UTF-8 text (byte 0xff)", 3),
        SeedRejected("not a url", "white space inside; one URL a line, and %20 for a space in it", 5),
    ]


def test_two_urls_joined_by_a_lone_carriage_return_are_not_made_one() -> None:
    (found,) = _read(b"https://a.example/\rhttps://b.example/\n")
    assert isinstance(found, SeedRejected)
    assert found.reason.startswith("white space inside")


def test_a_file_in_utf_16_is_refused_once() -> None:
    content = "https://a.example/\nhttps://b.example/\n".encode("utf-16")
    assert _read(content) == [SeedRejected("", "the file is UTF-16; save it as UTF-8", 1)]


def test_repeats_are_left_out_and_the_first_stays() -> None:
    content = b"b.example\nhttps://a.example/\nHTTPS://B.example/\nhttps://a.example/#x\n"
    assert [(found.line, found.text) for found in _read(content) if isinstance(found, Seed)] == [
        (1, "b.example"),
        (2, "https://a.example/"),
    ]


@pytest.mark.parametrize(
    ("length", "is_kept"), [(MAX_LINE, True), (MAX_LINE + 1, False), (MAX_LINE + 2, False), (5 * MAX_LINE, False)]
)
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_a_line_is_kept_up_to_its_limit_and_those_after_it_are_read(length: int, is_kept: bool, end: bytes) -> None:
    line = b"https://a.example/".ljust(length, b"x")
    found = _read(line + end + (b"https://b.example/\n" if end else b""))
    assert isinstance(found[0], Seed) is is_kept
    if not is_kept:
        assert found[0] == SeedRejected("", f"longer than {MAX_LINE} bytes", 1)
    assert [(seed.line, seed.url) for seed in found[1:] if isinstance(seed, Seed)] == (
        [(2, "https://b.example/")] if end else []
    )


class _Endless(io.RawIOBase):
    """A stream of seeds that are never in memory together; after `lines` of them it ends."""

    def __init__(self, lines: int, line: bytes) -> None:
        self._left = lines
        self._line = line

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        if self._left == 0:
            return 0
        self._left -= 1
        piece = self._line.replace(b"%", str(self._left).encode())
        buffer[: len(piece)] = piece
        return len(piece)


def _peak(found: Iterator[Seed | SeedRejected]) -> int:
    tracemalloc.start()
    try:
        for _ in found:
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_file_without_line_ends_is_read_in_bounded_memory() -> None:
    stream = cast(BinaryIO, io.BufferedReader(_Endless(2_000, b"x" * 8_000)))
    assert _peak(read_seeds(stream)) < 1_000_000


def test_what_is_remembered_of_a_long_file_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert REMEMBERED == 100_000
    monkeypatch.setattr("gossamer.seeds.parse.REMEMBERED", 100)
    stream = cast(BinaryIO, io.BufferedReader(_Endless(5_000, b"https://a.example/%\n")))
    assert _peak(read_seeds(stream)) < 300_000


@given(st.binary(max_size=80) | st.text(st.sampled_from("htps:/.a#@[]\r\n \t\x00é"), max_size=40).map(str.encode))
def test_any_bytes_give_seeds_and_reasons_and_nothing_else(content: bytes) -> None:
    for found in _read(content):
        if isinstance(found, Seed):
            assert parse_seed(found.text) == Seed(found.text, found.url, found.fallback_url)
            assert found.url.startswith(("http://", "https://"))
        else:
            assert found.reason.isprintable()
            assert found.text.isprintable() or "\u200c" in found.text or "\u200d" in found.text
        assert found.line is not None
        assert 1 <= found.line <= content.count(b"\n") + 1
