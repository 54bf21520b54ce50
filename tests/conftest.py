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
def kernel_stamps() -> Iterator[None]:
    """While a test runs the kernel stamps what arrives; skipped where it does not.

    It begins to a moment after the first connection of the whole machine asks for it, and goes on while one is left.
    """
    with socket.create_server(("127.0.0.1", 0)) as listening:
        ask_for_arrivals(listening)
        with socket.create_connection(listening.getsockname()) as client, listening.accept()[0] as connection:
            deadline = time.monotonic() + 5
            arrived = None
            while arrived is None:
                client.sendall(b"x")
                connection.recv(1, socket.MSG_PEEK)
                arrived = arrival_of_unread(connection)
                connection.recv(1)
                if time.monotonic() > deadline:
                    pytest.skip("the kernel does not stamp what arrives")
            yield
