"""What holds for all tests: property tests are repeatable and never fail for being slow; what several of them need."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator

import pytest
from hypothesis import settings

from gossamer.demosite.arrival import arrival_of_unread, ask_for_arrivals

settings.register_profile("default", deadline=None, max_examples=100)
# On CI a red run must be red again when it is looked into.
settings.register_profile("ci", parent=settings.get_profile("default"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture
def stamped_connection() -> Iterator[tuple[socket.socket, socket.socket]]:
    """A client and its connection at a server, on which the kernel stamps what arrives; skipped where it cannot.

    It begins to a moment after the first connection of the whole machine asks, and goes on while one is left: others that
    are made meanwhile are stamped from the first byte on.
    """
    with socket.create_server(("127.0.0.1", 0)) as listening:
        if not ask_for_arrivals(listening):
            pytest.skip("this system does not tell when data arrived")
        with socket.create_connection(listening.getsockname()) as client, listening.accept()[0] as connection:
            deadline = time.monotonic() + 5
            arrived = None
            while arrived is None:
                assert time.monotonic() < deadline, "the kernel took the option and does not stamp"
                client.sendall(b"x")
                connection.recv(1, socket.MSG_PEEK)
                arrived = arrival_of_unread(connection)
                connection.recv(1)
            yield client, connection
