"""ResponseReader alone: any bytes, in any pieces."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.fetch.recording import SpooledRecording
from gossamer.fetch.response import Bounds, ResponseReader
from gossamer.model.exchange import Exchange, Truncation
from gossamer.model.fetchstatus import FetchStatus

BOUNDS = Bounds(header_bytes=4096, header_lines=50, unchunked=1000)


def reader_for(body_limit: int = 10_000) -> ResponseReader:
    return ResponseReader(Exchange("http://site.test/"), BOUNDS, body_limit, SpooledRecording(10**6))


def read(pieces: list[bytes], *, error: str = "", body_limit: int = 10_000) -> ResponseReader:
    """Feed pieces until the response ends, or the stream does."""
    reader = reader_for(body_limit)
    for piece in pieces:
        if piece and reader.feed(piece):
            break
    reader.end_of_stream(error)
    assert reader.is_done
    return reader


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[a:b] for a, b in pairwise(edges)]


LINES = st.sampled_from(
    [
        b"Content-Length: 5", b"Content-Length: 7", b"Content-Length: x", b"Content-Length: 5, 5", b"content-length:",
        b"Transfer-Encoding: chunked", b"Transfer-Encoding: gzip, chunked", b"Transfer-Encoding: identity", b"X: y",
        b"no colon", b" folded", b": empty", b"Connection: close", b"Connection: keep-alive", b"NUL: a\0b", b"CR: a\rb",
    ]
)  # fmt: skip
STATUS = st.sampled_from(
    [b"HTTP/1.1 200 OK", b"HTTP/1.0 200", b"HTTP/1.1: 404 No", b"HTTP/2 500", b"HTTP/1.1 204 No", b"HTTP/1.1 304 x",
     b"HTTP/1.1 100 C", b"HTTP/1.1 20 OK", b"<html>"]
)  # fmt: skip
BODIES = st.sampled_from(
    [b"", b"hello", b"hello!!", b"5\r\nhello\r\n0\r\n\r\n", b"5\nhello\n0\n\n", b"zz\r\n", b"\r\n\r\nx"]
)


@st.composite
def responses(draw: st.DrawFn) -> bytes:
    end = draw(st.sampled_from([b"\r\n", b"\r\n", b"\n"]))
    lines = [draw(STATUS), *draw(st.lists(LINES, max_size=5))]
    return end.join(lines) + end + end + draw(BODIES)


def outcome(reader: ResponseReader) -> tuple[object, ...]:
    exchange = reader.exchange
    return (
        exchange.http_status, exchange.headers, exchange.failure, exchange.truncated, exchange.body_start,
        exchange.unchunked, exchange.reason, exchange.version,
    )  # fmt: skip


@given(st.lists(responses(), min_size=1, max_size=2).map(b"".join), st.lists(st.integers(min_value=0), max_size=10))
def test_a_response_is_the_same_however_it_is_cut(data: bytes, places: list[int]) -> None:
    whole, pieces = read([data]), read(cut(data, places))
    assert outcome(pieces) == outcome(whole)
    for reader in (whole, pieces):
        if reader.exchange.raw is not None:
            assert data.startswith(reader.exchange.raw.read())
    if whole.exchange.failure is None and "badChunk" not in whole.exchange.annotations:
        assert whole.exchange.raw is not None and pieces.exchange.raw is not None
        assert whole.exchange.raw.read() == pieces.exchange.raw.read()


@given(st.lists(st.binary(max_size=100), max_size=6), st.sampled_from(["", "reset"]))
def test_any_bytes_end_in_an_outcome(pieces: list[bytes], error: str) -> None:
    reader = read(pieces, error=error)
    exchange = reader.exchange
    assert (exchange.http_status is None) == (exchange.failure is not None)
    assert exchange.detail.isprintable()
    assert not reader.is_reusable or exchange.truncated is None


@given(responses(), st.integers(min_value=0, max_value=30))
def test_a_body_is_never_longer_than_its_limit(data: bytes, limit: int) -> None:
    exchange = read([data], body_limit=limit).exchange
    if exchange.failure is None:
        assert exchange.wire_bytes - exchange.body_start <= limit


def test_a_million_bytes_of_header_one_by_one_are_looked_at_once() -> None:
    bounds = Bounds(header_bytes=1_000_000, header_lines=2_000, unchunked=0)
    reader = ResponseReader(Exchange("x"), bounds, 0, SpooledRecording(10**7))
    reader.feed(b"HTTP/1.1 200 OK\r\nX: ")
    for _ in range(100_000):
        reader.feed(b"y")
    assert reader.feed(b"\r\nContent-Length: 0\r\n\r\n")
    assert len(reader.exchange.headers[0][1]) == 100_000


def test_a_message_ends_where_its_length_says_and_the_connection_is_reusable() -> None:
    reader = read([b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", b"hel", b"lo"])
    assert reader.is_reusable and reader.exchange.truncated is None


@pytest.mark.parametrize("status", [b"204 No Content", b"304 Not Modified"])
def test_statuses_without_a_body_end_with_their_head(status: bytes) -> None:
    reader = reader_for()
    assert reader.feed(b"HTTP/1.1 " + status + b"\r\nETag: x\r\n\r\n")
    assert reader.is_reusable and reader.exchange.body() == b""
    announced = reader_for()
    assert announced.feed(b"HTTP/1.1 " + status + b"\r\nContent-Length: 5\r\n\r\n")
    assert not announced.is_reusable


def test_time_runs_out_before_and_after_the_head() -> None:
    before = reader_for()
    before.feed(b"HTTP/1.1 200")
    before.out_of_time("too slow")
    assert before.exchange.failure is FetchStatus.TIMED_OUT and before.exchange.detail == "too slow"
    assert before.exchange.raw is not None and before.exchange.raw.read() == b"HTTP/1.1 200"
    after = reader_for()
    after.feed(b"HTTP/1.1 200 OK\r\n\r\nabc")
    after.out_of_time("too slow")
    assert after.exchange.failure is None and after.exchange.truncated is Truncation.TIME
    assert after.exchange.body() == b"abc"


def test_a_header_value_cannot_become_a_second_header() -> None:
    exchange = read([b"HTTP/1.1 200 OK\r\nX: a\rSet-Cookie: evil\r\nY: b\0c\r\n\r\n"]).exchange
    assert exchange.headers == [(b"x", b"a Set-Cookie: evil"), (b"y", b"b c")]


def test_folded_lines_are_joined() -> None:
    exchange = read([b"HTTP/1.1 200 OK\r\n lost: x\r\nX: a\r\n  b\r\n\tc\r\nY: d\r\n\r\n"]).exchange
    assert exchange.headers == [(b"x", b"a b c"), (b"y", b"d")]
