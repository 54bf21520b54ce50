"""What servers really send, row by row: status, body and recording of each, and that no row costs more than itself.

Rows whose server goes on for ever or falls silent end by the fetcher's own limits, which are short here.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from gossamer.fetch.http import HttpFetcher
from gossamer.model.exchange import Exchange, Truncation
from gossamer.model.fetchstatus import FetchStatus

from .conftest import Runner
from .fetchers import fetch, fetching, raw
from .servers import OK, Peer, Script, repeating, saying, serving

HTML = b"<html>hello</html>"


@dataclass
class Row:
    """What a server sends, and what must come of it. `wire` is sent as it is, then the connection ends as `then` says."""

    name: str
    wire: bytes
    status: int | None = 200
    body: bytes = HTML
    then: str = "close"
    truncated: Truncation | None = None
    failure: FetchStatus | None = None
    recorded: bytes | None = None
    """What of `wire` is kept; None = all of it."""
    annotations: list[str] = field(default_factory=list)


def head(*lines: bytes, status: bytes = b"HTTP/1.1 200 OK") -> bytes:
    return b"\r\n".join([status, *lines, b"", b""])


PLAIN = head(b"Content-Length: 18") + HTML
TOLERANT = ["tolerant"]

FRAMING = [
    Row("H3 length of 2^65", head(b"Content-Length: 36893488147419103232") + HTML, truncated=Truncation.DISCONNECT, annotations=TOLERANT),
    Row("H2 length of 10 TiB", head(b"Content-Length: 10995116277760") + HTML, truncated=Truncation.DISCONNECT),
    Row("H16 no status line", b"<html>old</html>", status=None, failure=FetchStatus.MALFORMED_RESPONSE, body=b""),
    Row("H16 no status line, then silence", b"hello there", status=None, then="hang", failure=FetchStatus.MALFORMED_RESPONSE, body=b""),
    Row("H18 no reason phrase", head(b"Content-Length: 18", status=b"HTTP/1.1 200") + HTML),
    Row("H20 colon in the version", head(b"Content-Length: 18", status=b"HTTP/1.1: 200 OK") + HTML, annotations=TOLERANT),
    Row("HTTP/2 in the status line", head(b"Content-Length: 18", status=b"HTTP/2 200") + HTML, annotations=TOLERANT),
    Row("H21 one-digit status", head(status=b"HTTP/1.1 2 OK"), status=None, failure=FetchStatus.MALFORMED_RESPONSE, body=b""),
    Row("H21 negative status", head(status=b"HTTP/1.1 -200 OK"), status=None, failure=FetchStatus.MALFORMED_RESPONSE, body=b""),
    Row("H21 hundred-digit status", head(status=b"HTTP/1.1 " + b"2" * 100), status=None, failure=FetchStatus.MALFORMED_RESPONSE, body=b""),
    Row("status 099", head(status=b"HTTP/1.1 099 x"), status=None, failure=FetchStatus.MALFORMED_RESPONSE, body=b""),
    Row("H22 status 999", head(b"Content-Length: 18", status=b"HTTP/1.1 999 Denied") + HTML, status=999),
    Row("H23 bare LF", b"HTTP/1.1 200 OK\nContent-Length: 18\n\n" + HTML, annotations=TOLERANT),
    Row("bare LF, and CR LF CR LF in the body", b"HTTP/1.1 200 OK\nX: y\n\na\r\n\r\nb", body=b"a\r\n\r\nb", annotations=TOLERANT),
    Row("mixed line ends", b"HTTP/1.1 200 OK\r\nContent-Length: 18\n\r\n" + HTML, annotations=TOLERANT),
    Row("blank lines first", b"\r\n\r\n" + PLAIN),
    Row("H25 line without colon", head(b"nonsense", b"Content-Length: 18") + HTML, annotations=TOLERANT),
    Row("H27 empty header name", head(b": x", b"Content-Length: 18") + HTML, annotations=TOLERANT),
    Row("H28 folded header", head(b"X: a", b" b", b"\tc", b"Content-Length: 18") + HTML, annotations=TOLERANT),
    Row("H28 first header folded", head(b" X: a", b"Content-Length: 18") + HTML, annotations=TOLERANT),
    Row("blank before the colon", head(b"Content-Length : 18") + HTML, annotations=TOLERANT),
    Row("H29 NUL in a value", head(b"X: a\0b", b"Content-Length: 18") + HTML, annotations=TOLERANT),
    Row("H29 NUL in a name", head(b"X\0Y: a", b"Content-Length: 18") + HTML, annotations=TOLERANT),
    Row("H30 bare CR in a value", head(b"X: a\rEvil: b", b"Content-Length: 18") + HTML, annotations=TOLERANT),
    Row("H31 latin-1 and broken UTF-8", head(b"X: \xe9\xff\xc3", b"Content-Length: 18") + HTML),
    Row("H32 header of 16 KB", head(b"X: " + b"a" * 16384, b"Content-Length: 18") + HTML),
    Row("H34 200 header lines", head(*[b"X-%d: y" % n for n in range(200)], b"Content-Length: 18") + HTML),
    Row("H37 length too short", head(b"Content-Length: 18") + HTML + b"more", recorded=PLAIN, annotations=["extraBytes"]),
    Row("H38 length too long", head(b"Content-Length: 99") + HTML, truncated=Truncation.DISCONNECT),
    Row("H39 length too long, held open", head(b"Content-Length: 99") + HTML, then="hang", truncated=Truncation.TIME),
    Row("H11 reset in the body", head(b"Content-Length: 99") + HTML, then="reset", truncated=Truncation.DISCONNECT),
    Row("H40 negative length", head(b"Content-Length: -5") + HTML, annotations=["tolerant", "badLength"]),
    Row("H40 rubbish length", head(b"Content-Length: rubbish") + HTML, annotations=["tolerant", "badLength"]),
    Row("H40 length +5", head(b"Content-Length: +5") + HTML, annotations=["tolerant", "badLength"]),
    Row("H40 length 5abc", head(b"Content-Length: 5abc") + HTML, annotations=["tolerant", "badLength"]),
    Row("H40 empty length", head(b"Content-Length: ") + HTML, annotations=["tolerant", "badLength"]),
    Row("H41 NUL in the length", head(b"Content-Length: 1\x008") + HTML, annotations=["tolerant", "badLength"]),
    Row("H42 the same length twice", head(b"Content-Length: 18", b"Content-Length: 18") + HTML, annotations=TOLERANT),
    Row("H42 the same length in a list", head(b"Content-Length: 18, 18") + HTML, annotations=TOLERANT),
    Row("H43 two lengths", head(b"Content-Length: 5", b"Content-Length: 18") + HTML, then="hang", annotations=["tolerant", "badLength"]),
    Row("H43 two lengths, the body shorter", head(b"Content-Length: 18", b"Content-Length: 99") + HTML, annotations=["tolerant", "badLength"]),
    Row("no length: to the end", head() + HTML),
    Row("no length, reset", head() + HTML, then="reset", truncated=Truncation.DISCONNECT),
    Row("no length, held open", head() + HTML, then="hang", truncated=Truncation.TIME),
    Row("length 0", head(b"Content-Length: 0"), body=b"", then="hang"),
    Row("coding gzip without chunked", head(b"Transfer-Encoding: gzip") + HTML),
    Row("coding identity and a length", head(b"Transfer-Encoding: identity", b"Content-Length: 18") + HTML, then="hang", annotations=TOLERANT),
    Row("H12 closed before a byte", b"", status=None, failure=FetchStatus.EMPTY_RESPONSE, body=b""),
    Row("reset before a byte", b"", status=None, then="reset", failure=FetchStatus.CONNECTION_LOST, body=b""),
    Row("silence", b"", status=None, then="hang", failure=FetchStatus.TIMED_OUT, body=b""),
    Row("closed in the headers", b"HTTP/1.1 200 OK\r\nX: y\r\n", status=None, failure=FetchStatus.CONNECTION_LOST, body=b""),
    Row("H6 silence in the headers", b"HTTP/1.1 200 OK\r\nX: ", status=None, then="hang", failure=FetchStatus.TIMED_OUT, body=b""),
    Row("escape sequences in the reason", head(b"Content-Length: 18", status=b"HTTP/1.1 200 \x1b[31mOK") + HTML),
    Row("an SSH banner", b"SSH-2.0-OpenSSH_9.2\r\n", status=None, failure=FetchStatus.MALFORMED_RESPONSE, body=b""),
]  # fmt: skip

CHUNKED_HEAD = head(b"Transfer-Encoding: chunked")
CHUNKED = [
    Row("chunked", CHUNKED_HEAD + b"5\r\n<html\r\nD\r\n>hello</html>\r\n0\r\n\r\n", then="hang"),
    Row("sizes in capitals, zeros and blanks", CHUNKED_HEAD + b"00000012 \r\n" + HTML + b"\r\n000\r\n\r\n", then="hang"),
    Row("line ends of LF", CHUNKED_HEAD + b"12\n" + HTML + b"\n0\n\n", then="hang"),
    Row("extension", CHUNKED_HEAD + b'12;a=b;c="d"\r\n' + HTML + b"\r\n0;e\r\n\r\n", then="hang"),
    Row("H51 trailers", CHUNKED_HEAD + b"12\r\n" + HTML + b"\r\n0\r\nX: a\0b\r\nY: z\r\n\r\n", then="hang"),
    Row("H45 no terminator", CHUNKED_HEAD + b"12\r\n" + HTML + b"\r\n", truncated=Truncation.DISCONNECT),
    Row("ends after the last chunk's size", CHUNKED_HEAD + b"12\r\n" + HTML + b"\r\n0\r\n"),
    Row("closed inside a chunk", CHUNKED_HEAD + b"99\r\n" + HTML, truncated=Truncation.DISCONNECT),
    Row("held open inside a chunk", CHUNKED_HEAD + b"99\r\n" + HTML, then="hang", truncated=Truncation.TIME),
    Row("H46 bad size", CHUNKED_HEAD + b"12\r\n" + HTML + b"\r\nzz\r\nmore", then="hang", truncated=Truncation.DISCONNECT, annotations=["badChunk"]),
    Row("H46 negative size", CHUNKED_HEAD + b"12\r\n" + HTML + b"\r\n-5\r\n", then="hang", truncated=Truncation.DISCONNECT, annotations=["badChunk"]),
    Row("H47 size overflows", CHUNKED_HEAD + b"12\r\n" + HTML + b"\r\nFFFFFFFFFFFFFFFFF\r\nx", then="hang", truncated=Truncation.DISCONNECT, annotations=["badChunk"]),
    Row("no line end after a chunk", CHUNKED_HEAD + b"12\r\n" + HTML + b"0\r\n\r\n", then="hang", truncated=Truncation.DISCONNECT, annotations=["badChunk"]),
    Row("not chunked at all", CHUNKED_HEAD + HTML, body=b"", truncated=Truncation.DISCONNECT, annotations=["badChunk"]),
    Row("chunked and a length", head(b"Content-Length: 3", b"Transfer-Encoding: chunked") + b"12\r\n" + HTML + b"\r\n0\r\n\r\n", then="hang", annotations=TOLERANT),
    Row("bytes after the end", CHUNKED_HEAD + b"12\r\n" + HTML + b"\r\n0\r\n\r\nHTTP/1.1 200", then="hang",
        recorded=CHUNKED_HEAD + b"12\r\n" + HTML + b"\r\n0\r\n\r\n", annotations=["extraBytes"]),
    Row("chunked under HTTP/1.0", head(b"Transfer-Encoding: chunked", status=b"HTTP/1.0 200 OK") + b"12\r\n" + HTML + b"\r\n0\r\n\r\n", then="hang"),
]  # fmt: skip

INTERIM = head(status=b"HTTP/1.1 100 Continue")
STATUSES = [
    Row("H55 100 first", INTERIM + PLAIN, then="hang"),
    Row("103 with headers first", head(b"Link: </a.css>", status=b"HTTP/1.1 103 Early Hints") + PLAIN, then="hang"),
    Row("H57 500 interim responses", INTERIM * 500 + PLAIN, then="hang"),
    Row("H57 interim responses only", INTERIM * 5, status=None, failure=FetchStatus.CONNECTION_LOST, body=b""),
    Row("H57 too many interim responses", INTERIM * 1001, status=None, then="hang", failure=FetchStatus.HEADERS_TOO_LARGE, body=b""),
    Row("H58 101 that nobody asked for", head(b"Upgrade: x", b"Connection: upgrade", status=b"HTTP/1.1 101 Switching"), status=None,
        then="hang", failure=FetchStatus.UNEXPECTED_UPGRADE, body=b""),
    Row("H59 204 with a length and a body", head(b"Content-Length: 18", status=b"HTTP/1.1 204 No") + HTML, status=204, body=b"", then="hang",
        recorded=head(b"Content-Length: 18", status=b"HTTP/1.1 204 No"), annotations=["extraBytes"]),
    Row("204", head(status=b"HTTP/1.1 204 No"), status=204, body=b"", then="hang"),
    Row("H60 304 with a length", head(b"Content-Length: 18", status=b"HTTP/1.1 304 Not"), status=304, body=b"", then="hang"),
    Row("H62 206 not asked for", head(b"Content-Range: bytes 0-17/99", b"Content-Length: 18", status=b"HTTP/1.1 206 Partial") + HTML, status=206),
    Row("H64 401 without challenge", head(b"Content-Length: 18", status=b"HTTP/1.1 401 No") + HTML, status=401),
    Row("429", head(b"Retry-After: 99999999999", b"Content-Length: 18", status=b"HTTP/1.1 429 No") + HTML, status=429),
    Row("302 cut in the body", head(b"Location: /x", b"Content-Length: 99", status=b"HTTP/1.1 302 Found") + HTML, status=302, truncated=Truncation.DISCONNECT),
    Row("503", head(status=b"HTTP/1.1 503 No") + HTML, status=503),
]  # fmt: skip

ROWS = FRAMING + CHUNKED + STATUSES


def check(row: Row, exchange: Exchange) -> None:
    assert exchange.failure is row.failure, exchange.detail
    assert exchange.http_status == row.status
    assert exchange.truncated is row.truncated
    assert exchange.annotations == row.annotations
    if row.failure is None:
        assert exchange.body() == row.body
    assert raw(exchange) == (row.wire if row.recorded is None else row.recorded)
    assert exchange.detail.isprintable() and exchange.reason.isprintable()
    assert bool(exchange.detail) == (row.failure is not None or row.truncated is not None)
    assert not any(byte in name + value for name, value in exchange.headers for byte in b"\r\n\0")


async def is_healthy(fetcher: HttpFetcher) -> bool:
    """A fetch from another server, after whatever happened."""
    async with serving(saying(OK)) as server:
        return (await fetch(fetcher, server.url())).body() == b"hello"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_broken_response_is_read_as_declared(row: Row) -> None:
    async def main() -> None:
        async with serving(saying(row.wire, then=row.then)) as server, fetching() as fetcher:
            check(row, await fetch(fetcher, server.url()))
            assert await is_healthy(fetcher)

    asyncio.run(main())


def test_every_row_is_read_the_same_when_its_bytes_come_one_by_one(run: Runner) -> None:
    """All rows at once; silence counts from the last byte."""

    def dripping(row: Row) -> Script:
        async def script(peer: Peer) -> None:
            await peer.request()
            for byte in row.wire[:600]:
                await peer.send(bytes([byte]))
                await asyncio.sleep(0)
            if row.then == "hang":
                await peer.hang()
            elif row.then == "reset":
                await peer.flushed()
                peer.reset()

        return script

    short = [row for row in ROWS if len(row.wire) < 600]
    assert len(short) > 70

    async def one(row: Row, fetcher: HttpFetcher) -> None:
        async with serving(dripping(row)) as server:
            exchange = await fetch(fetcher, server.url())
        # A stray byte that has not arrived yet cannot be noticed, and where a failure is seen decides what is kept.
        annotations = [word for word in row.annotations if word != "extraBytes"]
        recorded = row.wire if row.recorded is None else row.recorded
        if row.failure is FetchStatus.MALFORMED_RESPONSE or "badChunk" in row.annotations:
            assert recorded.startswith(raw(exchange))
            recorded = raw(exchange)
        exchange.annotations = [word for word in exchange.annotations if word != "extraBytes"]
        check(
            Row(row.name, recorded, row.status, row.body, row.then, row.truncated, row.failure, None, annotations),
            exchange,
        )

    async def main() -> None:
        async with fetching(idle_timeout=1.0) as fetcher:
            await asyncio.gather(*(one(row, fetcher) for row in short))

    run(main())


def test_a_million_one_byte_chunks_are_read_in_one_pass_without_keeping_them() -> None:
    """H50."""

    async def main() -> None:
        wire = CHUNKED_HEAD + b"1\r\nx\r\n" * 1_000_000 + b"0\r\n\r\n"
        async with serving(saying(wire, then="hang")) as server, fetching(unchunked_limit=1000) as fetcher:
            exchange = await fetch(fetcher, server.url())
            assert exchange.truncated is None and exchange.wire_bytes == len(wire)
            assert exchange.unchunked == b"x" * 1000
            exchange.close()

    asyncio.run(main())


@pytest.mark.parametrize(("per_chunk", "chunks"), [(1_000_000, 2), (10_000, 200)])
def test_chunk_extensions_are_read_within_one_allowance_for_the_whole_body(
    run: Runner, per_chunk: int, chunks: int
) -> None:
    """H49: also when each chunk has its own long extension."""

    async def main() -> None:
        wire = CHUNKED_HEAD + (b"1;" + b"e" * per_chunk + b"\r\nx\r\n") * chunks
        async with serving(saying(wire, then="hang")) as server, fetching() as fetcher:
            exchange = await fetch(fetcher, server.url())
            assert exchange.truncated is Truncation.DISCONNECT and exchange.annotations == ["badChunk"]
            assert exchange.wire_bytes < 1_000_000 and wire.startswith(raw(exchange))
            assert exchange.body() == b"x" * (256 * 1024 // (per_chunk + 4))

    run(main())


@pytest.mark.parametrize(
    "wire",
    [
        head(b"X: " + b"a" * 1_000_000),
        head(*[b"X-%d: y" % n for n in range(10_000)]),
        b"HTTP/1.1 200 OK\r\n" + b"a" * 1_000_000,
        b"HTTP/1.1 200 OK\r\n" + b"\n".join([b"X: y"] * 3000),
        b"\r\n" * 300_000,
        INTERIM * 900 + head(b"X: " + b"a" * 250_000),
    ],
    ids=[
        "H33 a header of 1 MB",
        "H35 10,000 lines",
        "an endless line",
        "endless lines",
        "endless blank lines",
        "interim and final",
    ],
)
def test_headers_beyond_the_cap_are_refused_and_kept_to_the_cap(run: Runner, wire: bytes) -> None:
    async def main() -> None:
        async with serving(saying(wire, then="hang")) as server, fetching() as fetcher:
            exchange = await fetch(fetcher, server.url())
            assert exchange.failure is FetchStatus.HEADERS_TOO_LARGE and exchange.http_status is None
            assert 0 < len(raw(exchange)) <= 256 * 1024 and wire.startswith(raw(exchange))
            assert await is_healthy(fetcher)

    run(main())


@pytest.mark.parametrize(
    "start", [head() + b"x", head(b"Content-Length: 1000000"), CHUNKED_HEAD + b"fffff\r\n", b"HTTP/1.1 200 OK\r\nX: "]
)
def test_a_slow_drip_is_ended_by_its_rate_in_headers_and_body(run: Runner, start: bytes) -> None:
    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(start)
        while True:
            await peer.send(b"x")
            await asyncio.sleep(0.01)

    async def main() -> None:
        limits = {"idle_timeout": 5.0, "min_rate": 10_000, "min_rate_window": 0.1}
        async with serving(script) as server, fetching(**limits) as fetcher:
            exchange = await fetch(fetcher, server.url())
            assert "bytes a second" in exchange.detail
            if exchange.http_status is None:
                assert exchange.failure is FetchStatus.TIMED_OUT
            else:
                assert exchange.truncated is Truncation.TIME
            assert raw(exchange).startswith(start)

    run(main())


def test_an_endless_stream_is_ended_by_the_wall_clock(run: Runner) -> None:
    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(head(b"Content-Type: audio/mpeg"))
        while True:
            await peer.send(b"x" * 1000)
            await asyncio.sleep(0.01)

    async def main() -> None:
        async with serving(script) as server, fetching(wall_clock=0.3) as fetcher:
            exchange = await fetch(fetcher, server.url())
            assert exchange.truncated is Truncation.TIME and exchange.http_status == 200
            assert "longer than is allowed" in exchange.detail and exchange.wire_bytes > 1000

    run(main())


@pytest.mark.parametrize("length", [None, 10 * 2**40, "chunked"])
def test_an_endless_body_is_cut_at_the_limit_exactly(run: Runner, length: int | str | None) -> None:
    async def script(peer: Peer) -> None:
        await peer.request()
        if length == "chunked":
            await peer.send(CHUNKED_HEAD)
            while True:
                await peer.send(b"a\r\n0123456789\r\n" * 1000)
        await peer.send(head() if length is None else head(b"Content-Length: %d" % length))
        while True:
            await peer.send(b"x" * 10_000)

    async def main() -> None:
        async with serving(script) as server, fetching(max_body=100_000) as fetcher:
            exchange = await fetch(fetcher, server.url())
            assert exchange.truncated is Truncation.LENGTH and exchange.failure is None
            assert exchange.wire_bytes == exchange.body_start + 100_000
            assert await is_healthy(fetcher)

    run(main())


def test_a_healthy_host_is_served_while_others_drip(run: Runner) -> None:
    async def dripping(peer: Peer) -> None:
        await peer.request()
        while True:
            await peer.send(b"H")
            await peer.hang()

    async def main() -> None:
        async with serving(dripping) as slow, serving(repeating(OK)) as healthy, fetching(idle_timeout=0.6) as fetcher:
            stuck = [asyncio.create_task(fetch(fetcher, slow.url())) for _ in range(20)]
            for _ in range(50):
                assert (await fetch(fetcher, healthy.url())).body() == b"hello"
            assert not any(task.done() for task in stuck)
            for exchange in await asyncio.gather(*stuck):
                assert exchange.failure is FetchStatus.TIMED_OUT and raw(exchange) == b"H"

    run(main())
