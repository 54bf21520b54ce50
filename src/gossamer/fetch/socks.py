"""SOCKS: a few bytes to a proxy, and the socket leads to the host (RFC 1928, RFC 1929, SOCKS4A).

Written out here, since it is little, and since our connections are bare sockets under the crawl's own clock: a library
would bring streams, time-outs and name look-ups of its own. Names are sent as they are, literal addresses as addresses.
"""

from __future__ import annotations

import asyncio
import socket
from ipaddress import IPv4Address, ip_address

from gossamer.errors import FetchFailure
from gossamer.model.fetchstatus import FetchStatus

_NO_AUTH = 0
_PASSWORD = 2
_REPLIES = {
    1: "general failure",
    2: "not allowed by its rules",
    3: "network unreachable",
    4: "host unreachable",
    5: "connection refused",
    6: "no answer in time",
}
"""RFC 1928 6, those about the host; the others are about what was asked."""


async def connect5(sock: socket.socket, host: str, port: int, user: str, password: str) -> None:
    """Have a SOCKS5 proxy, to which `sock` is connected, connect to the host. Raises FetchFailure, OSError."""
    loop = asyncio.get_running_loop()
    methods = bytes([_NO_AUTH, _PASSWORD]) if user or password else bytes([_NO_AUTH])
    await loop.sock_sendall(sock, bytes([5, len(methods)]) + methods)
    version, method = await _read(sock, 2)
    if version != 5:
        raise _proxy_failed("what answers is no SOCKS5 proxy")
    if method == _PASSWORD and (user or password):
        await _log_in(sock, user, password)
    elif method != _NO_AUTH:
        raise _proxy_failed("the proxy wants a user name and a password: give them in fetching.proxy")
    await loop.sock_sendall(sock, b"\x05\x01\x00" + _address(host) + port.to_bytes(2, "big"))
    version, reply, _, kind = await _read(sock, 4, is_about_host=True)
    if version != 5:
        raise _proxy_failed("what answers is no SOCKS5 proxy")
    if reply:
        raise _refused(_REPLIES.get(reply), reply)
    # The address it connected from: of no use here.
    length = {1: 4, 4: 16}.get(kind) or (await _read(sock, 1))[0]
    await _read(sock, length + 2)


async def connect4a(sock: socket.socket, host: str, port: int, user: str) -> None:
    """The same for a SOCKS4A proxy, which knows no passwords and no IPv6."""
    address, name = b"\x00\x00\x00\x01", host.encode("ascii", "replace") + b"\0"
    try:
        literal = ip_address(host)
    except ValueError:
        pass  # a name
    else:
        if isinstance(literal, IPv4Address):
            address, name = literal.packed, b""
    request = b"\x04\x01" + port.to_bytes(2, "big") + address + user.encode() + b"\0" + name
    await asyncio.get_running_loop().sock_sendall(sock, request)
    version, reply, *_ = await _read(sock, 8, is_about_host=True)
    if version != 0:
        raise _proxy_failed("what answers is no SOCKS4 proxy")
    if reply in (92, 93):
        raise _proxy_failed("the proxy does not take the user name of fetching.proxy")
    if reply != 90:
        raise _refused(_REPLIES[1], reply)


async def _log_in(sock: socket.socket, user: str, password: str) -> None:
    """RFC 1929."""
    name, secret = user.encode(), password.encode()
    request = bytes([1, len(name)]) + name + bytes([len(secret)]) + secret
    await asyncio.get_running_loop().sock_sendall(sock, request)
    _, status = await _read(sock, 2)
    if status:
        raise _proxy_failed("the proxy does not take the user name and password of fetching.proxy")


def _address(host: str) -> bytes:
    try:
        literal = ip_address(host.strip("[]"))
    except ValueError:
        name = host.encode("ascii", "replace")
        return bytes([3, len(name)]) + name
    return bytes([1 if literal.version == 4 else 4]) + literal.packed


async def _read(sock: socket.socket, count: int, *, is_about_host: bool = False) -> bytes:
    """So many bytes and no more: what follows them is the host's."""
    data = b""
    while len(data) < count:
        piece = await asyncio.get_running_loop().sock_recv(sock, count - len(data))
        if not piece:
            if is_about_host:
                raise FetchFailure(
                    FetchStatus.CONNECT_FAILED, "the proxy closed the connection when asked for the host"
                )
            raise _proxy_failed("the proxy closed the connection")
        data += piece
    return data


def _proxy_failed(why: str) -> FetchFailure:
    return FetchFailure(FetchStatus.PROXY_FAILED, why)


def _refused(why: str | None, reply: int) -> FetchFailure:
    if why is None:
        return _proxy_failed(f"the proxy does not do what it is asked (reply {reply})")
    return FetchFailure(FetchStatus.CONNECT_FAILED, f"the proxy cannot connect to the host: {why}")
