"""Asks a server for its robots.txt every few milliseconds and writes into each request when it was sent.

A process of its own (`python probe.py AUTHORITY`), which does nothing else between the look at the clock and the send,
so that what the server's log shows is the server's lateness and the machine's. It ends when its standard input closes.
"""

from __future__ import annotations

import select
import socket
import subprocess
import sys
import time

SENT = "x-sent"
"""The header with the monotonic seconds."""
_EVERY_SECONDS = 0.02


class Probe:
    """The probe of one server, for as long as the context lasts."""

    def __init__(self, authority: str) -> None:
        self._line = [sys.executable, "-S", __file__, authority]

    def __enter__(self) -> Probe:
        self._process = subprocess.Popen(self._line, stdin=subprocess.PIPE)
        return self

    def __exit__(self, *of_error: object) -> None:
        self._process.communicate()
        if self._process.returncode:
            raise RuntimeError("the probe ended early, so that nothing is known of the server's jitter")


def probe(authority: str) -> None:
    """Ask until standard input closes. Raises OSError if the server is gone."""
    host, _, port = authority.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while not select.select([sys.stdin], [], [], _EVERY_SECONDS)[0]:
            connection.sendall(
                f"HEAD /robots.txt HTTP/1.1\r\nHost: probe\r\n{SENT}: {time.monotonic()}\r\n\r\n".encode()
            )
            answer = b""
            while not answer.endswith(b"\r\n\r\n"):
                part = connection.recv(4096)
                if not part:
                    raise ConnectionError(f"{authority} closed the connection")
                answer += part


if __name__ == "__main__":
    probe(sys.argv[1])
