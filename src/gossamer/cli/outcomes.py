"""What became of a URL, looked up in a job's store and said as JSON: shared by the commands that ask it."""

from __future__ import annotations

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


def meaning(status: int) -> str:
    """An HTTP status, or the sentence of a FetchStatus."""
    from gossamer.model.fetchstatus import FetchStatus

    if status > 0:
        return f"HTTP {status}"
    return next((known.sentence.rstrip(".") for known in FetchStatus if known.code == status), f"status {status}")
