from __future__ import annotations

import socket
import time

import pytest

from gossamer.demosite.arrival import MISREADING, arrival_of_unread, ask_for_arrivals


def test_data_arrived_when_they_were_sent_however_late_one_looks(
    stamped_connection: tuple[socket.socket, socket.socket],
) -> None:
    client, connection = stamped_connection
    before = time.monotonic()
    client.sendall(b"here")
    after = time.monotonic()
    connection.recv(4, socket.MSG_PEEK)
    first, second = arrival_of_unread(connection), arrival_of_unread(connection)
    assert first is not None and second is not None
    assert before - MISREADING <= first <= after + MISREADING
    assert second == pytest.approx(first, abs=MISREADING)
    assert connection.recv(9) == b"here"


def test_of_nothing_no_arrival_is_known(stamped_connection: tuple[socket.socket, socket.socket]) -> None:
    client, connection = stamped_connection
    assert arrival_of_unread(connection) is None
    client.close()
    assert connection.recv(1) == b"" and arrival_of_unread(connection) is None


class Refusing(socket.socket):
    """As in a sandbox that is Linux by name."""

    def setsockopt(self, *arguments: object) -> None:
        raise OSError


def test_a_system_that_does_not_tell_is_asked_in_vain() -> None:
    with Refusing() as listening:
        assert not ask_for_arrivals(listening)
