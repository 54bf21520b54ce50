"""When data reached this machine: the kernel's stamp on what a connection is about to read.

A server looks at a connection when it gets its turn, which on a busy machine is ten milliseconds later; by its own look
two requests may seem closer than they were sent. Linux stamps the data of a stream as they come in; on loopback that is
while they are being sent. It begins to a moment after the first connection of the machine asks. Till then, and elsewhere,
nothing is known.
"""

from __future__ import annotations

import socket
import struct
import sys
import time

_SO_TIMESTAMPNS = 35
"""Its number on Linux (asm-generic/socket.h), which Python does not name; what is told has the same number."""
_TIMESPEC = struct.Struct("@ll")
MISREADING = 0.0001
"""Seconds by which an arrival may be told wrongly: the kernel stamps by the wall clock, and two clocks are read one after
the other."""
_MOST = 64 * 1024
_LOOKS = 3


def ask_for_arrivals(listening: socket.socket) -> bool:
    """Have stamped what comes over the connections of a listening socket; whether the system can."""
    if sys.platform != "linux":
        return False
    try:
        listening.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
    except OSError:  # what calls itself Linux need not be a whole one
        return False
    return True


def arrival_of_unread(connection: socket.socket) -> float | None:
    """Monotonic seconds at which the last of what is there to be read arrived; None if nobody tells."""
    try:
        told = connection.recvmsg(_MOST, socket.CMSG_SPACE(_TIMESPEC.size), socket.MSG_PEEK | socket.MSG_DONTWAIT)[1]
    except OSError:  # nothing is there, or the connection is broken, as the reader will find out
        return None
    for level, kind, data in told:
        if (level, kind, len(data)) == (socket.SOL_SOCKET, _SO_TIMESTAMPNS, _TIMESPEC.size):
            seconds, nanoseconds = _TIMESPEC.unpack(data)
            return float(seconds + nanoseconds / 1e9 - _wall_ahead())
    return None


def _wall_ahead() -> float:
    """By how much the wall clock, in which the kernel stamps, is ahead of the monotonic one.

    Both are read one after the other, and whatever comes between makes it seem less.
    """
    return max(time.time() - time.monotonic() for _ in range(_LOOKS))
