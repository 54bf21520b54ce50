"""What became of a URL, looked up in a job's store, and said as JSON or in sentences: shared by the commands that ask.

The JSON is what a running job answers to the same question, so one set of sentences tells either.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gossamer.errors import ConfigError

if TYPE_CHECKING:
    from gossamer.cli.offline import Answer, OfflineFrontier
    from gossamer.seeds import Seed


def read_url(text: str) -> Seed:
    """A URL as an operator writes it, scheme or not. Raises ConfigError if it is none."""
    from gossamer.seeds import InvalidSeed, parse_seed

    try:
        return parse_seed(text)
    except InvalidSeed as error:
        raise ConfigError(f"{error.text!r} cannot be looked up: {error.reason}") from error


def look_up(frontier: OfflineFrontier, asked: Seed) -> Answer:
    """What became of a URL; of one without scheme, https or else http."""
    from gossamer.url import parse

    answer = frontier.ask(parse(asked.url))
    if answer.seen is None and asked.fallback_url:
        fallback = frontier.ask(parse(asked.fallback_url))
        answer = fallback if fallback.seen is not None else answer
    return answer


def as_object(answer: Answer) -> dict[str, Any]:
    """What became of a URL, as JSON can say it."""
    import msgspec

    return {
        "url": answer.url,
        "is_seen": answer.seen is not None,
        "seen": msgspec.to_builtins(answer.seen),
        "queue": msgspec.to_builtins(answer.queue),
        "scope": {"is_accepted": answer.verdict.is_accepted, "rule": answer.verdict.rule},
    }


def sentences(answer: dict[str, Any]) -> Iterator[str]:
    """The same for people, one line each: first the URL, unless a queue was asked about, the rest indented."""
    queue = answer["queue"]
    if answer["url"] is not None:
        yield str(answer["url"])
        yield from _about_url(answer["seen"], answer["scope"], is_queued=bool(queue and queue["queued"]))
    if queue is not None:
        figures = f"{queue['queued']:,} queued, {queue['in_process']:,} in process"
        yield f"  queue {queue['class_key']}: {queue['state']}, {figures}. {queue['why']}"


def _about_url(seen: dict[str, Any] | None, scope: dict[str, Any], *, is_queued: bool) -> Iterator[str]:
    if seen is None:
        yield "  never seen"
        if scope["is_accepted"]:
            by = f" (rule {scope['rule']})" if scope["rule"] else ""
            yield f"  It is in scope{by}, but no page fetched so far links to it."
        else:
            yield f"  It is out of scope: refused by rule {scope['rule']}, wherever it is linked from."
    elif seen["fate"] is None:
        yield f"  waiting, doc id {seen['docid']}" + (f", tried {seen['attempts']} times" if seen["attempts"] else "")
        if not is_queued:
            yield "  It was noted as seen and is in no queue."
    else:
        tries = seen["attempts"]
        after = f", after {tries} {'try' if tries == 1 else 'tries'}" if tries else ""
        yield f"  {seen['fate']}: {meaning(seen['status'])}, doc id {seen['docid']}"
        yield f"  {time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(seen['when']))} UTC{after}"


def meaning(status: int) -> str:
    """An HTTP status, or the sentence of a FetchStatus."""
    from gossamer.model.fetchstatus import FetchStatus

    if status > 0:
        return f"HTTP {status}"
    return next((known.sentence.rstrip(".") for known in FetchStatus if known.code == status), f"status {status}")
