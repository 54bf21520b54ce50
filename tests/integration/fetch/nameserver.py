"""A name server on loopback that answers A, AAAA and CNAME from a dict, fails, or falls silent as told."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

A, CNAME, AAAA = 1, 5, 28
SERVFAIL, NXDOMAIN = 2, 3


@dataclass
class Zone:
    """Name -> records, each (type, TTL, value); or -> an error code; or -> None for silence."""

    names: dict[str, list[tuple[int, int, str]] | int | None]
    asked: list[tuple[str, int]] = field(default_factory=list)


class _Protocol(asyncio.DatagramProtocol):
    def __init__(self, zone: Zone) -> None:
        self._zone = zone
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        name, end = _read_name(data, 12)
        (kind,) = struct.unpack_from("!H", data, end)
        question = data[12 : end + 4]
        self._zone.asked.append((name, kind))
        known = self._zone.names.get(name, NXDOMAIN)
        if known is None:
            return
        records = known if isinstance(known, list) else []
        error = known if isinstance(known, int) else 0
        # A CNAME answers every question, together with what the alias has of the kind asked for.
        answers = [_record(name, *record) for record in records if record[0] == CNAME]
        owner = next((value for record_kind, _, value in records if record_kind == CNAME), name)
        answers += [_record(owner, *record) for record in records if record[0] == kind]
        header = data[:2] + struct.pack("!HHHHH", 0x8180 | error, 1, len(answers), 0, 0)
        assert self._transport is not None
        self._transport.sendto(header + question + b"".join(answers), addr)


def _read_name(data: bytes, position: int) -> tuple[str, int]:
    labels = []
    while data[position]:
        length = data[position]
        labels.append(data[position + 1 : position + 1 + length].decode("latin-1"))
        position += 1 + length
    return ".".join(labels), position + 1


def _name(text: str) -> bytes:
    return b"".join(bytes([len(label)]) + label.encode() for label in text.split(".")) + b"\0"


def _record(owner: str, kind: int, ttl: int, value: str) -> bytes:
    if kind == CNAME:
        data = _name(value)
    else:
        data = socket.inet_pton(socket.AF_INET if kind == A else socket.AF_INET6, value)
    return _name(owner) + struct.pack("!HHIH", kind, 1, ttl, len(data)) + data


@contextlib.asynccontextmanager
async def answering(zone: Zone) -> AsyncIterator[str]:
    """Serve `zone`; gives `127.0.0.1:port`."""
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: _Protocol(zone), local_addr=("127.0.0.1", 0)
    )
    try:
        yield f"127.0.0.1:{transport.get_extra_info('sockname')[1]}"
    finally:
        transport.close()
