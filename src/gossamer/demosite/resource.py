"""Resource: what stands behind one path of the demo site, and what it means for an ideal crawl.

`answer` is what the server asks for; `links` and the fields are the site's knowledge of itself, from which the truth
is worked out without parsing anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gossamer.demosite.answer import HTML, Answer, answer, redirect


def _nothing() -> Iterable[str]:
    return ()


@dataclass(slots=True)
class Resource:
    """One path of one host."""

    answer: Callable[[int], Answer]
    """Given how often the path was asked for before."""
    links: Callable[[], Iterable[str]] = _nothing
    """Absolute URLs, without fragment, that a crawler is to follow from here, on any host."""
    status: int = 200
    """Of the last answer an ideal crawler needs."""
    content_type: str = "text/html"
    tries: int = 1
    """How many answers that takes."""
    is_noindex: bool = False


def moved(status: int, location: str, target: str) -> Resource:
    """A redirect: `location` is what the header says, `target` the absolute URL it means."""
    return Resource(lambda _: redirect(status, location), lambda: (target,), status)


def missing(status: int = 404) -> Resource:
    """A page that is not there."""
    body = f"<html><title>{status}</title><body><h1>{status}</h1>Nothing here.</body></html>\n".encode()
    return Resource(lambda _: answer(status, HTML, body), status=status)


def fixed(content_type: str, body: bytes, *more: tuple[bytes, bytes]) -> Resource:
    """The same bytes every time, without links."""
    made = answer(200, content_type, body, *more)
    return Resource(lambda _: made, content_type=content_type.partition(";")[0])
