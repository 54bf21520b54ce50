"""The server's own log: what was asked, by which connection, from when to when, on the monotonic clock.

It is the witness against which politeness and completeness are judged, since it needs nobody else's word. On one
machine the monotonic clock is the same for all processes, so logs of several servers can be merged.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO


@dataclass(slots=True)
class Request:
    """One request."""

    authority: str
    """Of the server's own address, whatever the Host header said."""
    method: str
    target: str
    """Path and query as they came."""
    headers: tuple[tuple[str, str], ...]
    """Names in lower case, in order."""
    connection: int
    """Serial number of the connection."""
    started: float
    """Monotonic seconds at which its last header byte was read."""
    finished: float | None = None
    """When the last byte of the answer was handed to the system; None if the client left before."""
    status: int = 0
    arrived: float | None = None
    """When its last header byte reached the machine, by the kernel, which is never late; None if it does not tell.

    What is sent after a request, before its answer, makes this later than it was.
    """

    @property
    def sent(self) -> float:
        """The best that is known of when it was sent: when it arrived, else when it was read."""
        return self.started if self.arrived is None else self.arrived

    @property
    def url(self) -> str:
        return f"http://{self.authority}{self.target}"

    def header(self, name: str) -> str | None:
        """The first value of a header, `name` in lower case; None if there is none."""
        return next((value for key, value in self.headers if key == name), None)


class RequestLog:
    """All requests so far; a finished one is also written to `sink` as a line of JSON, if there is one."""

    def __init__(self, sink: IO[str] | None = None, *, keep: bool = True) -> None:
        """With `keep` false only the sink has them: for servers that run for long."""
        self._sink = sink
        self._keep = keep
        self.requests: list[Request] = []

    def begin(self, request: Request) -> None:
        """A request was read."""
        if self._keep:
            self.requests.append(request)

    def end(self, request: Request) -> None:
        """It was answered, or its client left: nothing about it changes any more."""
        if self._sink is not None:
            self._sink.write(json.dumps(asdict(request)) + "\n")
            self._sink.flush()


def read_log(path: Path) -> list[Request]:
    """The requests in a file that a server wrote, in the order they began; an unfinished last line is left out."""
    requests = []
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.endswith("\n"):
            fields = json.loads(line)
            fields["headers"] = tuple((name, value) for name, value in fields["headers"])
            requests.append(Request(**fields))
    return sorted(requests, key=lambda request: request.started)


def smallest_gap(requests: Iterable[Request]) -> float | None:
    """The least time in seconds from one request to the next, as they were sent; None if there are fewer than two."""
    sent = sorted(request.sent for request in requests)
    return min((later - earlier for earlier, later in pairwise(sent)), default=None)


def largest_concurrency(requests: Iterable[Request]) -> int:
    """How many requests were under way at once, at most; one whose client left counts as over at once."""
    # At one moment: what ends, then what starts, then what was over at once.
    edges: list[tuple[float, int, int]] = []
    for request in requests:
        edges.append((request.started, 1, 1))
        edges.append((request.started, 2, -1) if request.finished is None else (request.finished, 0, -1))
    most = now = 0
    for _, _, step in sorted(edges):
        now += step
        most = max(most, now)
    return most
