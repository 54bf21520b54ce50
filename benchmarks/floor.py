"""The floor: the least that a crawler in Python can spend on a page, with the libraries that Gossamer uses.

httptools on a bare uvloop protocol asks for a list of URLs over kept-alive connections; each HTML page is parsed once
by lexbor; each response is compressed as one gzip member at level 2 (isal) and digested twice (SHA-1 of the whole and
of the body). Nothing is looked at, kept, queued or written, nothing is checked, and no link is followed: no crawler can
do it in less. Prints one line of JSON.

What can be had for nothing is had: a response is received into one buffer per connection, which grows to the largest,
and is digested and compressed where it lies; only its body is copied out, since lexbor takes bytes.

CPU is user and system time of this process from start to end, start-up included, as for a crawl.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import resource
import sys
import time
import zlib
from collections import deque
from pathlib import Path
from typing import cast

import httptools
import uvloop
from isal import isal_zlib
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

GZIP = 31
"""Window bits of a whole gzip member."""
LEVEL = 2
PARSER_OPTIONS = int(LexborDocumentOptions.WO_EVENTS)
"""No work on the tree that only a browser needs: a tenth of the parse."""
BUFFER_BYTES = 1 << 18
LEAST_READ_BYTES = 1 << 16


class Tally:
    """What was done."""

    def __init__(self) -> None:
        self.responses = 0
        self.pages = 0
        self.wire_bytes = 0
        self.body_bytes = 0
        self.compressed_bytes = 0
        self.connections = 0
        self.lost = 0

    def take(self, raw: memoryview, body: bytes, status: int, is_html: bool, is_gzip: bool) -> None:
        """The work on one response."""
        self.responses += 1
        self.wire_bytes += len(raw)
        self.body_bytes += len(body)
        hashlib.sha1(raw).digest()
        hashlib.sha1(body).digest()
        self.compressed_bytes += len(isal_zlib.compress(raw, LEVEL, GZIP))
        if is_html:
            LexborHTMLParser(zlib.decompress(body, GZIP) if is_gzip else body, options=PARSER_OPTIONS)
            self.pages += status == 200


class Connection(asyncio.BufferedProtocol):
    """One connection that asks for one URL after the other of its host."""

    def __init__(self, paths: deque[str], authority: str, tally: Tally) -> None:
        self._paths = paths
        self._head = f" HTTP/1.1\r\nHost: {authority}\r\nUser-Agent: floor\r\nAccept-Encoding: gzip\r\n\r\n".encode()
        self._tally = tally
        self._buffer = memoryview(bytearray(BUFFER_BYTES))
        self.ended = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports are no asyncio.Transport by class, only by what they do.
        self._transport = cast(asyncio.Transport, transport)
        self._tally.connections += 1
        self._ask()

    def _ask(self) -> None:
        self._filled = 0
        self._body: list[bytes] = []
        self._is_html = self._is_gzip = self._is_answered = self._keeps_alive = False
        self._parser = httptools.HttpResponseParser(self)
        self._is_asking = bool(self._paths)
        if self._is_asking:
            self._transport.write(b"GET " + self._paths.popleft().encode() + self._head)
        else:
            self._transport.close()

    def get_buffer(self, sizehint: int) -> memoryview:
        if len(self._buffer) - self._filled < LEAST_READ_BYTES:
            larger = memoryview(bytearray(2 * len(self._buffer)))
            larger[: self._filled] = self._buffer[: self._filled]
            self._buffer = larger
        return self._buffer[self._filled :]

    def buffer_updated(self, size: int) -> None:
        start, self._filled = self._filled, self._filled + size
        self._parser.feed_data(self._buffer[start : self._filled])
        if self._is_answered:
            self._take()
            if self._keeps_alive:
                self._ask()
            else:
                self._is_asking = False
                self._transport.close()

    def on_header(self, name: bytes, value: bytes) -> None:
        lower = name.lower()
        if lower == b"content-type":
            self._is_html = value.startswith(b"text/html")
        elif lower == b"content-encoding":
            self._is_gzip = value == b"gzip"

    def on_body(self, data: bytes) -> None:
        self._body.append(data)

    def on_message_complete(self) -> None:
        self._is_answered = True
        # Now, since after this call the parser forgets how the body was delimited, and says no.
        self._keeps_alive = self._parser.should_keep_alive()

    def _take(self) -> None:
        # The join of one piece is that piece, not a copy.
        body = b"".join(self._body)
        raw = self._buffer[: self._filled]
        self._tally.take(raw, body, self._parser.get_status_code(), self._is_html, self._is_gzip)

    def connection_lost(self, error: Exception | None) -> None:
        if self._is_asking and not self._is_answered:
            if self._body:  # a body that ends with its connection
                self._take()
            else:
                self._tally.lost += 1
        if not self.ended.done():
            self.ended.set_result(None)


async def fetch(urls: list[str], connections: int) -> Tally:
    """Fetch all of them, over so many connections per host."""
    tally = Tally()
    paths: dict[str, deque[str]] = {}
    for url in urls:
        authority, _, path = url.split("//", 1)[1].partition("/")
        paths.setdefault(authority, deque()).append("/" + path)
    await asyncio.gather(*(_drain(a, waiting, tally) for a, waiting in paths.items() for _ in range(connections)))
    return tally


async def _drain(authority: str, paths: deque[str], tally: Tally) -> None:
    host, _, port = authority.partition(":")
    loop = asyncio.get_running_loop()
    while paths:
        _, connection = await loop.create_connection(lambda: Connection(paths, authority, tally), host, int(port or 80))
        await connection.ended


def main() -> int:
    """Fetch and print; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("urls", type=Path, help="a file with one http URL a line; something else serves them")
    parser.add_argument("--connections", type=int, default=1, help="per host (%(default)s)")
    options = parser.parse_args()
    urls = options.urls.read_text(encoding="utf-8").split()
    started = time.monotonic()
    tally = uvloop.run(fetch(urls, options.connections))
    wall = time.monotonic() - started
    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu = usage.ru_utime + usage.ru_stime
    result = {**vars(tally), "wall_seconds": wall, "cpu_seconds": cpu}
    result["cpu_us_per_page"] = cpu * 1e6 / max(1, tally.pages)
    print(json.dumps(result))
    return 1 if tally.lost else 0


if __name__ == "__main__":
    sys.exit(main())
