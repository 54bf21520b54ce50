from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from gossamer.demosite.arrival import arrival_of_unread, ask_for_arrivals

MISREADING = 0.0001
"""Seconds: the two clocks are read one after the other."""


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """A client, and its connection at a server that asked for arrivals."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        ask_for_arrivals(listening)
        with socket.create_connection(listening.getsockname()) as client, listening.accept()[0] as connection:
            yield client, connection


@pytest.mark.usefixtures("kernel_stamps")
def test_data_arrived_when_they_were_sent_however_late_one_looks(pair: tuple[socket.socket, socket.socket]) -> None:
    client, connection = pair
    before = time.monotonic()
    client.sendall(b"here")
    after = time.monotonic()
    connection.recv(4, socket.MSG_PEEK)
    first, second = arrival_of_unread(connection), arrival_of_unread(connection)
    assert first is not None and second is not None
    assert before - MISREADING <= first <= after + MISREADING
    assert second == pytest.approx(first, abs=MISREADING)
    assert connection.recv(9) == b"here"


def test_of_nothing_no_arrival_is_known(pair: tuple[socket.socket, socket.socket]) -> None:
    client, connection = pair
    assert arrival_of_unread(connection) is None
    client.close()
    assert connection.recv(1) == b"" and arrival_of_unread(connection) is None
