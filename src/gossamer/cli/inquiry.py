"""What is asked of a job's frontier: what became of a URL, and why queues wait.

The process that runs the job is asked first: it alone knows what is in flight, and what rests or is paused. When there
is none, the same answer comes from the store, read without writing to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gossamer.errors import ConfigError, JobNotRunning, StateError

_PAGE = 1000
"""Queues that a running job is asked for at once."""


def why(folder: Path, asked: str) -> dict[str, Any]:
    """What became of a URL, or why a queue waits, as `/why` says it. Raises ConfigError for a queue there never was."""
    from gossamer.cli.client import ControlClient

    kind = "url" if "/" in asked else "queue"
    try:
        answer: dict[str, Any] = ControlClient(folder).get("/why", **{kind: asked})
        return answer
    except (JobNotRunning, StateError):  # or it is about to leave, and has closed everything
        return _stored_url(folder, asked) if kind == "url" else _stored_queue(folder, asked)


def what_became_of(folder: Path, url: str) -> dict[str, Any]:
    """The same for what can only be a URL, scheme or not."""
    from gossamer.cli.outcomes import read_url

    read_url(url)
    return why(folder, url if "/" in url else f"{url}/")


def queues(folder: Path) -> Iterator[dict[str, Any]]:
    """Every queue that has URIs, in key order, as `/queues` says it."""
    from gossamer.cli.client import ControlClient

    client = ControlClient(folder)
    try:
        page = client.get("/queues", limit=_PAGE)
    except (JobNotRunning, StateError):
        yield from _stored_queues(folder)
        return
    while True:
        yield from page["queues"]
        if page["next_after"] is None:
            return
        page = client.get("/queues", limit=_PAGE, after=page["next_after"])


def _stored_url(folder: Path, text: str) -> dict[str, Any]:
    from gossamer.cli.offline import open_offline
    from gossamer.cli.outcomes import as_object, look_up, read_url

    with open_offline(folder) as frontier:
        return as_object(look_up(frontier, read_url(text)))


def _stored_queue(folder: Path, key: str) -> dict[str, Any]:
    import msgspec

    from gossamer.cli.offline import open_offline

    with open_offline(folder) as frontier:
        queue = frontier.queue(key)
        if queue is None:
            alike = frontier.keys_like(key)
            hint = f"; there is {', '.join(alike)}" if alike else ""
            raise ConfigError(f"there never was a queue {key!r}{hint}")
        return {"url": None, "is_seen": True, "seen": None, "queue": msgspec.to_builtins(queue), "scope": None}


def _stored_queues(folder: Path) -> Iterator[dict[str, Any]]:
    import msgspec

    from gossamer.cli.offline import open_offline

    with open_offline(folder) as frontier:
        for queue in frontier.queues():
            yield msgspec.to_builtins(queue)
