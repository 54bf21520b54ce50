"""Which waiting URIs an operator means: by regular expressions on their queue and on themselves.

A pattern is searched for, so it need not match the whole; how long it takes is the operator's business.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from gossamer.errors import ConfigError
from gossamer.model.crawluri import CrawlURI


def doomed(queue_regex: str | None, uri_regex: str | None) -> Callable[[CrawlURI], bool]:
    """Whether a URI matches both; None matches all. Raises ConfigError for a bad pattern, or if both are None."""
    if queue_regex is None and uri_regex is None:
        raise ConfigError("say which URIs: a pattern for their queue, for the URI, or both")
    queue, uri = _compiled(queue_regex), _compiled(uri_regex)

    def is_doomed(curi: CrawlURI) -> bool:
        return bool((queue is None or queue.search(curi.class_key)) and (uri is None or uri.search(curi.target)))

    return is_doomed


def _compiled(pattern: str | None) -> re.Pattern[str] | None:
    try:
        return None if pattern is None else re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ConfigError(f"{pattern!r} is not a regular expression: {error}") from error
