"""A site that costs next to nothing to serve: a start page that links to N pages of a few words. `python flat.py N`.

For measurements where the server must not be what is slow. It prints its URL and serves until its input is closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_REQUEST = re.compile(rb"GET (\S+) HTTP/1\.1\r\n(?:[^\r\n]+\r\n)*\r\n")


class FlatServer(asyncio.Protocol):
    """One connection; requests come one after the other."""

    def __init__(self, pages: int) -> None:
        links = "".join(f'<a href="/{number}">{number}</a>\n' for number in range(pages))
        self._start = _answer("200 OK", f"<title>start</title>{links}")
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._rest += data
        while request := _REQUEST.match(self._rest):
            self._rest = self._rest[request.end() :]
            path = request[1].decode("latin-1")
            if path == "/":
                self._transport.write(self._start)
            elif path == "/robots.txt":
                self._transport.write(_answer("404 Not Found", "none"))
            else:
                self._transport.write(_answer("200 OK", f"<title>{path}</title><p>a few words"))


def _answer(status: str, html: str) -> bytes:
    body = html.encode()
    return f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


@contextlib.contextmanager
def flat_site(pages: int) -> Iterator[str]:
    """Serve it in a process of its own; yields its URL."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__)), str(pages)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.communicate()


async def _serve(pages: int) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: FlatServer(pages), "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
