"""Proxies on loopback for tests: http (whole URLs and CONNECT), SOCKS5, SOCKS4A. They resolve names by a table.

Each keeps what it was asked, and can be told a user name and a password that it wants.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import AsyncIterator

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class ProxyServer:
    """One proxy; `asked` holds `host:port` or whole URLs, in order."""

    def __init__(self, scheme: str, names: dict[str, int], login: tuple[str, str] | None = None) -> None:
        """`names` = name -> port of 127.0.0.1 that stands for it."""
        self.scheme = scheme
        self.names = names
        self.login = login
        self.asked: list[str] = []
        self.heads: list[bytes] = []
        self.connections = 0
        self.port = 0
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def url_with(self, user: str, password: str) -> str:
        return f"{self.scheme}://{user}:{password}@127.0.0.1:{self.port}"

    async def run(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        serve = {"http": self._http, "socks5": self._socks5, "socks4a": self._socks4a}[self.scheme]
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await serve(reader, writer)
        finally:
            self._writers.discard(writer)
            writer.close()

    def drop_all(self) -> None:
        for writer in tuple(self._writers):
            writer.transport.abort()

    async def _dial(self, host: str, port: int) -> Streams | None:
        self.asked.append(f"{host}:{port}")
        if host not in self.names:
            return None
        there = await asyncio.open_connection("127.0.0.1", self.names[host])
        self._writers.add(there[1])
        return there

    # ---- http

    async def _http(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            self.heads.append(head)
            method, target, _ = head.split(b"\r\n")[0].decode().split(" ")
            if self.login is not None:
                wanted = base64.b64encode(":".join(self.login).encode())
                if b"\r\nProxy-Authorization: Basic " + wanted not in head:
                    writer.write(b"HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n")
                    continue
            if method == "CONNECT":
                host, _, port = target.rpartition(":")
                there = await self._dial(host, int(port))
                if there is None:
                    writer.write(b"HTTP/1.1 502 Cannot resolve\r\nContent-Length: 0\r\n\r\n")
                    continue
                writer.write(b"HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n")
                await _pipe((reader, writer), there)
                return
            await self._fetch(target, head, writer)

    async def _fetch(self, target: str, head: bytes, writer: asyncio.StreamWriter) -> None:
        self.asked.append(target)
        authority, slash, path = target.removeprefix("http://").partition("/")
        host = authority.partition(":")[0]
        if host not in self.names:
            writer.write(b"HTTP/1.1 504 Cannot resolve\r\nContent-Length: 0\r\n\r\n")
            return
        reader, there = await asyncio.open_connection("127.0.0.1", self.names[host])
        lines = head.split(b"\r\n")
        lines[0] = f"GET {slash}{path} HTTP/1.1".encode()
        there.write(b"\r\n".join(line for line in lines if not line.lower().startswith((b"proxy-", b"connection:"))))
        answer = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in answer.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        writer.write(answer + await reader.readexactly(length))
        there.close()

    # ---- SOCKS

    async def _socks5(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, count = await reader.readexactly(2)
        methods = await reader.readexactly(count)
        method = 0 if self.login is None else 2
        if method not in methods:
            writer.write(b"\x05\xff")
            return
        writer.write(bytes([5, method]))
        if self.login is not None:
            _, length = await reader.readexactly(2)
            user = await reader.readexactly(length)
            password = await reader.readexactly((await reader.readexactly(1))[0])
            is_good = (user.decode(), password.decode()) == self.login
            writer.write(b"\x01\x00" if is_good else b"\x01\x01")
            if not is_good:
                return
        _, _, _, kind = await reader.readexactly(4)
        if kind == 3:
            host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
        else:
            host = ".".join(map(str, await reader.readexactly(4 if kind == 1 else 16)))
        there = await self._dial(host, int.from_bytes(await reader.readexactly(2), "big"))
        if there is None:
            writer.write(b"\x05\x04\x00\x01" + bytes(6))
            return
        writer.write(b"\x05\x00\x00\x03\x04host\x00\x50")
        await _pipe((reader, writer), there)

    async def _socks4a(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        data = await reader.readexactly(8)
        user = await reader.readuntil(b"\0")
        host = ".".join(map(str, data[4:]))
        if data[4:7] == b"\0\0\0" and data[7]:
            host = (await reader.readuntil(b"\0"))[:-1].decode()
        if self.login is not None and user[:-1].decode() != self.login[0]:
            writer.write(b"\x00\x5d" + bytes(6))
            return
        there = await self._dial(host, int.from_bytes(data[2:4], "big"))
        writer.write((b"\x00\x5a" if there else b"\x00\x5b") + bytes(6))
        if there is not None:
            await _pipe((reader, writer), there)


async def _pipe(one: Streams, other: Streams) -> None:
    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    await asyncio.gather(copy(one[0], other[1]), copy(other[0], one[1]))


@contextlib.asynccontextmanager
async def proxying(proxy: ProxyServer, port: int = 0) -> AsyncIterator[ProxyServer]:
    """Serve it on a free port."""
    listener = await asyncio.start_server(proxy.run, "127.0.0.1", port)
    proxy.port = listener.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        listener.close()
        proxy.drop_all()
        await listener.wait_closed()
