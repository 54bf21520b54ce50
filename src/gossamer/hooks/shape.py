"""The shape of a crawler: whether its hooks can be called as they will be, and whether all that look like hooks are.

A hook that cannot be called fails at every page, and every page counts as visited; one with a misspelt name is never
called. Either would use up a job in silence. So it is looked at before the crawl begins: what can only be a mistake is
refused, what may be a method of the user's own is warned of.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Mapping
from typing import Any

from gossamer.hooks.crawler import WebCrawler

log = logging.getLogger(__name__)

PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "on_start": (),
    "should_visit": ("page", "url"),
    "visit": ("page",),
    "on_fetch_failed": ("url", "failure"),
    "on_finish": (),
}
"""Hook -> what it is called with, by position."""

FOREIGN: Mapping[str, str] = {
    "shouldVisit": "should_visit",
    "onStart": "on_start",
    "onFinish": "on_finish",
    "onFetchFailed": "on_fetch_failed",
    "onBeforeExit": "on_finish",
    "visitPage": "visit",
    "onContentFetchError": "on_fetch_failed",
    "onPageBiggerThanMaxSize": "on_fetch_failed",
    "onUnexpectedStatusCode": "on_fetch_failed",
    "onUnhandledException": "on_fetch_failed",
}
"""Names in Java's manner, and those that crawler4j has -> the hook."""

ALIKE = 0.85
"""Similarity (difflib's ratio) from which a name is taken for a misspelt hook: should_vist has 0.96, visited 0.83."""


def check_shape(crawler: WebCrawler) -> None:
    """Raise TypeError for a hook that cannot be called, or that never will be; warn of names that are nearly hooks."""
    for hook in PARAMETERS:
        _check_hook(crawler, hook)
    for name in _own_methods(crawler):
        if name in FOREIGN and not _has(crawler, FOREIGN[name]):
            raise TypeError(f"{_named(crawler, name)} is never called; the hook is {FOREIGN[name]}")
        meant = _meant(crawler, name)
        if meant is not None:
            log.warning("%s is never called by the crawl; did you mean %s?", _named(crawler, name), meant)


def _check_hook(crawler: WebCrawler, name: str) -> None:
    hook = getattr(crawler, name)
    if hook is None:  # as if it was not overridden
        return
    if not callable(hook):
        raise TypeError(f"{_named(crawler, name)} must be a method, not {hook!r}")
    if name == "should_visit" and inspect.iscoroutinefunction(hook):
        raise TypeError(f"{_named(crawler, name)} must be def, not async def: it is called for every link")
    if inspect.isgeneratorfunction(hook) or inspect.isasyncgenfunction(hook):
        raise TypeError(f"{_named(crawler, name)} must have no yield in it: nothing of it would be run")
    function, before = (hook.__func__, (crawler,)) if inspect.ismethod(hook) else (hook, ())
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a builtin that does not tell
        return
    wanted = PARAMETERS[name]
    try:
        signature.bind(*before, *wanted)
    except TypeError:
        taken = ", ".join(("self", *wanted) if before else wanted)
        has = f"({', '.join(map(_bare, signature.parameters.values()))})"
        raise TypeError(f"{_named(crawler, name)} must take ({taken}); it takes {has}") from None


def _bare(parameter: inspect.Parameter) -> str:
    """As it is written, without its annotation."""
    return str(parameter.replace(annotation=inspect.Parameter.empty))


def _own_methods(crawler: WebCrawler) -> list[str]:
    """What its classes define and can be called, in their order, but the hooks."""
    found: dict[str, Callable[..., Any]] = {}
    for kind in type(crawler).__mro__:
        if kind not in (WebCrawler, object):
            for name, value in vars(kind).items():
                if name not in PARAMETERS and not name.startswith("_") and inspect.isroutine(value):
                    found.setdefault(name, value)
    return list(found)


def _meant(crawler: WebCrawler, name: str) -> str | None:
    """The hook that a method's name is nearly that of, if the crawler lacks it."""
    import difflib  # most crawlers have hooks only

    for hook in difflib.get_close_matches(name.lower(), PARAMETERS, n=1, cutoff=ALIKE):
        if not name.startswith(f"{hook}_") and not _has(crawler, hook):
            return hook
    return None


def _has(crawler: WebCrawler, hook: str) -> bool:
    """Whether it overrides the hook: then a method with a name like it is called from there."""
    return getattr(type(crawler), hook) is not getattr(WebCrawler, hook)


def _named(crawler: WebCrawler, name: str) -> str:
    return name if name in vars(crawler) else f"{type(crawler).__name__}.{name}"
