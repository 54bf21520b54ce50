"""LoginGate: no page of a site that wants a login before its form has been sent.

    asked for the page ─► its form, filled in ─► sent ─► judged: logged in, once more, or given up

Like robots.txt these are requests of their own, archived with hop P, and between them the host rests as after any
other: each makes one step, and the URI goes back to its place. What is filled in goes to the page's own origin only,
or to the `action` of the settings, never to a server that cannot prove who it is, and is taken out of the record.

A login that fails is tried once more, since some accounts are locked after three; then the site's URIs end as FAILED
with LOGIN_FAILED, to be revived when the settings are right.
"""

from __future__ import annotations

import logging
import re
from urllib.parse import urlencode

from gossamer.extract import content_type_of, redirect_target
from gossamer.extract.forms import Form, find_form
from gossamer.fetch.base import Fetcher, FetchRequest
from gossamer.fetch.decode import decode
from gossamer.model.attempt import Attempt
from gossamer.model.crawluri import CrawlURI
from gossamer.model.exchange import Exchange
from gossamer.model.fetchstatus import Fault, FetchStatus
from gossamer.process.archivist import Archivist
from gossamer.process.chain import Flow
from gossamer.process.login import Logins, SiteLogin
from gossamer.process.prerequisite import prerequisite_of
from gossamer.process.services import ToeServices
from gossamer.stats.crawllog import crawl_log_line
from gossamer.url import parse
from gossamer.util.tasks import blocking
from gossamer.util.terminal import printable

log = logging.getLogger(__name__)

TRIES = 2
"""Logins in a row that may fail."""
MAX_REDIRECTS = 5
"""From the page of the settings to the one with the form."""
_PAGE_BYTES = 2 * 1024 * 1024
"""Of a page with a form, and of the answer to one, that are read."""
_WITHHELD = "[withheld]"


class LoginGate:
    """The processor in front of the fetch."""

    name = "login"

    def __init__(self, logins: Logins, services: ToeServices, fetcher: Fetcher, archivist: Archivist) -> None:
        self._logins = logins
        self._services = services
        self._fetcher = fetcher
        self._archivist = archivist

    async def process(self, attempt: Attempt) -> Flow:
        login = self._logins.find(attempt.curi.target)
        if login is None:
            return Flow.PROCEED
        async with login.turn:
            if login.is_given_up:
                attempt.refusal = FetchStatus.LOGIN_FAILED
                return Flow.SKIP
            if not login.is_in:
                return await self._step(login, attempt)
        attempt.session = login.sent
        return Flow.PROCEED

    async def _step(self, login: SiteLogin, attempt: Attempt) -> Flow:
        """Make the next request of a login."""
        curi = attempt.curi
        request = self._request(login, curi)
        exchange = await self._fetcher.fetch(request)
        exchange.request = _without_fields(exchange.request, request, login)
        fault = None if exchange.failure is None else exchange.failure.fault
        if fault is Fault.NETWORK:
            self._services.network_trouble(exchange.detail)
            return Flow.GIVE_BACK
        if fault is Fault.HOST and not request.needs_trust:
            # Nothing of the site can be had now: this URI's fate is that of any whose host is down.
            attempt.exchange = exchange
            return Flow.SKIP
        try:
            await self._archive(attempt, request, exchange)
            if request.method == "GET" and login.form is None:
                await self._read_page(login, exchange)
            else:
                await self._judge(login, exchange)
        finally:
            exchange.close()
        return Flow.GIVE_BACK

    def _request(self, login: SiteLogin, curi: CrawlURI) -> FetchRequest:
        def on_sent(when: float) -> None:
            self._services.started(curi, when)

        form = login.form
        if form is None:
            return FetchRequest(login.page, body_limit=_PAGE_BYTES, on_sent=on_sent)
        login.sent += 1
        body = urlencode({**form.fields, **login.fields})
        headers = (("Referer", login.page), ("Origin", parse(login.page).origin))
        return FetchRequest(
            form.action,
            method="POST",
            body=body.encode("ascii"),
            headers=headers,
            body_limit=_PAGE_BYTES,
            on_sent=on_sent,
            needs_trust=True,
        )

    async def _archive(self, attempt: Attempt, request: FetchRequest, exchange: Exchange) -> None:
        asked = prerequisite_of(attempt.curi, request.url)
        capture = Attempt(asked, attempt.toe, exchange=exchange, annotations=["login"])
        async with self._archivist.archive(capture) as entry:
            line = crawl_log_line(capture, self._services.clock.wall())
            self._services.note_capture(entry.spans, (*entry.lines, line))
            entry.keep()

    # ---- what came back

    async def _read_page(self, login: SiteLogin, exchange: Exchange) -> None:
        """The page should hold the form."""
        status = exchange.http_status
        if status is None:
            self._fail(login, exchange.detail or "no answer")
            return
        if 300 <= status < 400:
            target = redirect_target(exchange.url, exchange.headers)
            login.redirects += 1
            if target is None or login.redirects > MAX_REDIRECTS or not _is_own(target, login.settings.page):
                self._fail(login, "the page leads somewhere else")
            else:
                login.page = target
            return
        # Not in the loop: a page made to hurt takes a second to read.
        form = None if status >= 400 else await blocking(_form_in, exchange, login.fields)
        action = login.settings.action
        if form is None and action is not None and status < 400:
            form = Form(action, "POST")  # one that scripts make
        if form is None:
            missing = f"status {status}" if status >= 400 else f"no form there has the fields {', '.join(login.fields)}"
            self._fail(login, missing)
            return
        if action is not None:
            form.action = action
        elif not _is_own(form.action, login.page):
            self._fail(login, "the form would be sent to another host; if that is meant, say so by `action`")
            return
        elif form.method != "POST":
            self._fail(login, "the form would put the password into a URL; give an `action` to have it sent by POST")
            return
        login.form = form

    async def _judge(self, login: SiteLogin, exchange: Exchange) -> None:
        """The answer to the form should let us in."""
        why = await self._refusal(login, exchange)
        if why:
            self._fail(login, why)
            return
        login.failures = 0
        login.is_proven = False
        self._logins.set_in(login, True)
        log.info("logged in at %s (%d)", printable(login.settings.page, 200), login.sent)

    async def _refusal(self, login: SiteLogin, exchange: Exchange) -> str:
        """Why we are not logged in now; empty = we are."""
        settings, status = login.settings, exchange.http_status
        if status is None:
            return exchange.detail or "no answer"
        if status >= 400:
            return f"the form is answered with status {status}"
        now = self._services.clock.wall()
        if settings.success_cookie and not self._logins.jar.has(settings.page, settings.success_cookie, now):
            return f"there is no cookie {settings.success_cookie}"
        target = redirect_target(exchange.url, exchange.headers) if 300 <= status < 400 else None
        if settings.success:
            found = await blocking(_matches, settings.success, target, exchange)
            return "" if found else "the answer does not match `success`"
        if settings.success_cookie:
            return ""
        if target is not None:
            return "it leads back to the form" if login.is_loss(target) else ""
        form = await blocking(_form_in, exchange, login.fields)
        return "it shows the form again" if form is not None else ""

    def _fail(self, login: SiteLogin, why: str) -> None:
        login.failures += 1
        login.restart()
        login.is_given_up = login.failures >= TRIES
        after = "given up: mend [[login.forms]], start again, revive the queue" if login.is_given_up else "once more"
        log.error("no login at %s: %s; %s", printable(login.settings.page, 200), printable(why, 200), after)


def _matches(pattern: str, target: str | None, exchange: Exchange) -> bool:
    """Does where the answer leads, or what it says, match?"""
    return re.search(pattern, f"{target or ''}\n{_decoded(exchange).decode('utf-8', 'replace')}") is not None


def _form_in(exchange: Exchange, wanted: dict[str, str]) -> Form | None:
    kind, charset = content_type_of(exchange.headers)
    if kind and "html" not in kind:
        return None
    return find_form(_decoded(exchange), exchange.url, charset, wanted)


def _decoded(exchange: Exchange) -> bytes:
    codings = exchange.header_values(b"content-encoding")
    return decode(exchange.body(_PAGE_BYTES), codings, max_decoded=_PAGE_BYTES, max_layers=2).data


def _is_own(url: str, page: str) -> bool:
    """May what is meant for the page be sent there: to the same origin, or from http to https of the same host?"""
    there, here = parse(url), parse(page)
    if there.origin == here.origin:
        return True
    return (here.scheme, there.scheme) == ("http", "https") and there.host == here.host


def _without_fields(sent: bytes, request: FetchRequest, login: SiteLogin) -> bytes:
    """A request as it may be kept: what was filled in is taken out."""
    if not request.body:
        return sent
    fields = login.form.fields if login.form is not None else {}
    shown = urlencode({**fields, **dict.fromkeys(login.fields, _WITHHELD)}, safe="[]")
    return sent.removesuffix(request.body) + shown.encode("ascii") if sent.endswith(request.body) else sent
