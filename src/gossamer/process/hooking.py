"""Hooking: where the chains call the user's own code.

    Extracting -> Visiting: visit(page) -> Candidates: should_visit(page, url) for each new link -> Failing:
    on_fetch_failed(url, failure) -> settled

`visit` comes before the candidates, so that what it says of the page's links joins the same finish. It is called for a
page that will succeed, not for one that is tried again. A hook's exception never costs the page: it is annotated, and
counted and logged by the crew. If the crawl halts on errors the page is given back instead, to be visited again.
"""

from __future__ import annotations

import asyncio
from typing import Any

from gossamer.hooks import Crew, GivenBack, ShouldVisit, is_ctrl_c
from gossamer.model.attempt import Attempt
from gossamer.model.disposition import Fate
from gossamer.model.failure import Failure
from gossamer.model.fetchstatus import FetchStatus
from gossamer.model.link import Link
from gossamer.model.outlink import HOP_LINK, Outlink
from gossamer.model.page import Page
from gossamer.process.candidate import SHOULD_VISIT
from gossamer.process.chain import Flow
from gossamer.process.disposing import decide
from gossamer.url import Url
from gossamer.util.terminal import printable

VISIT = "visit"
ON_FETCH_FAILED = "on_fetch_failed"
HOOKING = frozenset({VISIT, ON_FETCH_FAILED})
"""Names of the processors that bound themselves: a monitor need not."""
MAX_REASON = 100
"""Characters of a status line's reason that a failure repeats."""


class _Hook:
    """What the hooks have in common: how a failure is taken."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew

    def _after(self, attempt: Attempt, hook: str, error: BaseException | None) -> Flow:
        """How to go on after a call of the hook, which raised this."""
        if error is None:
            return Flow.PROCEED
        if isinstance(error, GivenBack):
            return Flow.GIVE_BACK
        attempt.annotations.append(_annotation(hook, error))
        is_over = self._crew.halts_on_error or isinstance(error, KeyboardInterrupt)
        return Flow.GIVE_BACK if is_over else Flow.PROCEED


class Visiting(_Hook):
    """The processor that calls `visit`."""

    name = VISIT

    def __init__(self, crew: Crew, max_tries: int, *, is_noindex_obeyed: bool) -> None:
        super().__init__(crew)
        self._max_tries = max_tries
        self._is_noindex_obeyed = is_noindex_obeyed

    async def process(self, attempt: Attempt) -> Flow:
        page = attempt.page
        if page is None or (page.is_noindex and self._is_noindex_obeyed):
            return Flow.PROCEED
        if decide(attempt, self._max_tries).fate is not Fate.SUCCEEDED:
            return Flow.PROCEED
        error = await self._crew.call(attempt.toe, VISIT, attempt.curi.target, page)
        if not page.follow:
            attempt.outlinks = []
        if page.added_links:
            attempt.outlinks = [*attempt.outlinks, *page.added_links]
        return self._after(attempt, VISIT, error)


class Asking:
    """Asks `should_visit` about a link (candidate.Asker)."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self._attempt: Attempt | None = None
        """The one that was asked about last, whose toe's hook and page these are."""
        self._hook: ShouldVisit | None = None
        self._page: Page | None = None
        self._task: asyncio.Task[Any] | None = None
        """The toe's, which the hook runs in."""

    def priority_of(self, attempt: Attempt, link: Outlink, url: Url, depth: int, priority: int) -> int | None:
        """A link whose `should_visit` raises is not followed; that is told once for a page."""
        if attempt is not self._attempt:
            self._attempt = attempt
            self._hook = self._crew.should_visit(attempt.toe)
            self._page = None if self._hook is None else attempt.page or _page_of(attempt)
            self._task = asyncio.current_task()
        if self._hook is None or self._page is None:
            return priority
        asked = Link(url.href, url, link, depth, priority)
        try:
            wanted = asked.priority if self._hook(self._page, asked) else None
        except BaseException as error:  # CancelledError, too: nothing is awaited here, so it is the hook's own
            if is_ctrl_c(error):
                raise
            self._note(attempt, error)
            return None
        if self._task is not None and self._task.cancelling():  # by the hook: nobody else has had his turn since
            self._note(attempt, asyncio.CancelledError())
        return wanted

    def _note(self, attempt: Attempt, error: BaseException) -> None:
        annotation = _annotation(SHOULD_VISIT, error)
        if annotation not in attempt.annotations:
            attempt.annotations.append(annotation)
            self._crew.note_failure(attempt.toe, SHOULD_VISIT, attempt.curi.target, error)


class Failing(_Hook):
    """The processor that calls `on_fetch_failed`, behind the candidates: only then is every failure known."""

    name = ON_FETCH_FAILED

    def __init__(self, crew: Crew, max_tries: int) -> None:
        super().__init__(crew)
        self._max_tries = max_tries

    async def process(self, attempt: Attempt) -> Flow:
        if attempt.annotations and any(word.startswith(SHOULD_VISIT) for word in attempt.annotations):
            await _take_back_cancellation()
            if self._crew.halts_on_error or _annotation(SHOULD_VISIT, KeyboardInterrupt()) in attempt.annotations:
                return Flow.GIVE_BACK
        if 0 < attempt.status < 400 and attempt.self_redirect is None:
            return Flow.PROCEED
        decision = decide(attempt, self._max_tries)
        is_refused = decision.fate is Fate.SUCCEEDED and attempt.status >= 400
        if decision.fate is not Fate.FAILED and not is_refused:
            return Flow.PROCEED
        url, failure = _link_to(attempt), _failure_of(attempt)
        error = await self._crew.call(attempt.toe, ON_FETCH_FAILED, attempt.curi.target, url, failure)
        return self._after(attempt, ON_FETCH_FAILED, error)


async def _take_back_cancellation() -> None:
    """Undo what a `should_visit` that cancelled the task it ran in, the toe's, has brought about."""
    task = asyncio.current_task()
    if task is None or not task.cancelling():
        return
    try:
        await asyncio.sleep(0)
    except asyncio.CancelledError:
        while task.cancelling():
            task.uncancel()


def _annotation(hook: str, error: BaseException) -> str:
    return f"{hook}Err={type(error).__name__}"


def _page_of(attempt: Attempt) -> Page:
    """What a link that stands on no page (a redirect, a header of a picture) stands on."""
    assert attempt.exchange is not None
    return Page(
        attempt.curi,
        attempt.exchange,
        attempt.content,
        attempt.content_type,
        attempt.charset,
        None,
        attempt.outlinks,
    )


def _link_to(attempt: Attempt) -> Link:
    curi = attempt.curi
    where = Outlink(curi.target, curi.hops[-1:] or HOP_LINK, curi.element or "", curi.rel, curi.anchor or "")
    return Link(curi.target, None, where, curi.depth, curi.priority)


def _failure_of(attempt: Attempt) -> Failure:
    curi, exchange = attempt.curi, attempt.exchange
    cause = attempt.failure if attempt.self_redirect is None else FetchStatus.TOO_MANY_REDIRECTS
    if cause is None:
        reason = printable(exchange.reason.strip(), MAX_REASON) if exchange is not None else ""
        sentence = f"The server answered {attempt.status}{f' ({reason})' if reason else ''}."
    else:
        detail = exchange.detail if exchange is not None and attempt.refusal is None else ""
        sentence = f"{cause.sentence[:-1]}: {detail}" if detail else cause.sentence
    return Failure(
        status=attempt.status,
        fetch_status=cause,
        sentence=sentence,
        tries=curi.attempts + 1,
        requested_url=curi.url,
        docid=curi.docid,
        depth=curi.depth,
        parent_url=curi.via,
        parent_docid=curi.parent_docid,
        hop_path=curi.hops,
    )
