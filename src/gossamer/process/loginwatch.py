"""LoginWatch: notices that a session is over, and has it begun anew.

A redirect to the login page (or to what the settings call `lost`) means that. The URI is asked for again, once, when
the gate has logged in anew: what sends even a fresh session there, a way to log out, is so. A site whose sessions are
over again and again is given up like one whose login fails.
"""

from __future__ import annotations

import logging

from gossamer.extract import redirect_target
from gossamer.model.attempt import AGAIN, Attempt
from gossamer.model.fetchstatus import FetchStatus
from gossamer.process.chain import Flow
from gossamer.process.login import Logins, SiteLogin
from gossamer.util.terminal import printable

log = logging.getLogger(__name__)

UNPROVEN = 10
"""Sessions in a row that may be over before they have let a page in: a login that only seemed to succeed, or ways to
log out, one after the other."""


class LoginWatch:
    """The processor behind the fetch: notices that a session is over, and has it begun anew."""

    name = "login watch"

    def __init__(self, logins: Logins, max_logins: int) -> None:
        self._logins = logins
        self._max_logins = max_logins

    async def process(self, attempt: Attempt) -> Flow:
        exchange = attempt.exchange
        login = self._logins.find(attempt.curi.target)
        if login is None or exchange is None or exchange.http_status is None:
            return Flow.PROCEED
        is_redirect = 300 <= exchange.http_status < 400
        target = redirect_target(attempt.curi.target, exchange.headers) if is_redirect else None
        if target is None or not login.is_loss(target):
            is_page = exchange.http_status < 400 and not login.is_loss(attempt.curi.target)
            if is_page and attempt.session == login.sent:
                login.is_proven = True
            return Flow.PROCEED
        if login.is_in and attempt.session == login.sent:
            self._lose(login, attempt.curi.target)
        if login.is_given_up:
            attempt.refusal = FetchStatus.LOGIN_FAILED
            return Flow.SKIP
        if (attempt.curi.data or {}).get(AGAIN) != "login":
            # Once: what sends even a fresh session to the login page (a way to log out) is so.
            attempt.again = "login"
            return Flow.SKIP
        return Flow.PROCEED

    def _lose(self, login: SiteLogin, url: str) -> None:
        login.unproven = 0 if login.is_proven else login.unproven + 1
        login.is_given_up = login.sent >= self._max_logins or login.unproven >= UNPROVEN
        self._logins.set_in(login, False)
        page = printable(login.settings.page, 200)
        if login.is_given_up:
            log.error("the session of %s is over again (login %d of this run); given up", page, login.sent)
        else:
            log.warning("the session of %s is over: %s leads back to it", page, printable(url, 200))
