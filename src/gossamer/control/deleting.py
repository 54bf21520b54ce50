"""Which waiting URIs an operator means: by regular expressions on their queue and on themselves.

A pattern is searched for, so it need not match the whole.
"""

from __future__ import annotations

from collections.abc import Callable

from gossamer.errors import ConfigError
from gossamer.model.crawluri import CrawlURI
from gossamer.util.patterns import BadPattern, Patterns


def doomed(queue_regex: str | None, uri_regex: str | None) -> Callable[[CrawlURI], bool]:
    """Whether a URI matches both; None matches all. Raises ConfigError for a bad pattern, or if both are None."""
    if queue_regex is None and uri_regex is None:
        raise ConfigError("say which URIs: a pattern for their queue, for the URI, or both")
    queue, uri = _compiled(queue_regex), _compiled(uri_regex)

    def is_doomed(curi: CrawlURI) -> bool:
        return bool(
            (queue is None or queue.is_found_in(curi.class_key)) and (uri is None or uri.is_found_in(curi.target))
        )

    return is_doomed


def _compiled(pattern: str | None) -> Patterns | None:
    try:
        return None if pattern is None else Patterns([pattern])
    except BadPattern as error:
        raise ConfigError(str(error)) from error
