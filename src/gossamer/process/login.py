"""Logins: the forms of one job, and where we stand with each.

    a URI of the site ─► LoginGate ─► logged in? ─► on to the fetch ─► LoginWatch ─► sent to the login page?
                              │ no                                          │ yes: the session is over, ask again
                              ▼
                    one request: the page with the form, or the form itself; the URI goes back to its place

Nothing of a site is asked for before its form has been sent (`logingate`), and again when the session is over
(`loginwatch`). What the two know of a site is kept here, and whether we are logged in over restarts, too; the session
itself is in the cookie jar, which is the crawl's.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence

import msgspec

from gossamer.config import LoginForm, secret_text
from gossamer.extract.forms import Form
from gossamer.fetch.cookies import CookieJar
from gossamer.url import parse


class SiteLogin(msgspec.Struct):
    """One form, and where we stand with it."""

    settings: LoginForm
    fields: dict[str, str]
    places: list[tuple[str, str]]
    """Origin, and beginning of the path, of the URLs that need it."""
    is_in: bool = False
    sent: int = 0
    """Times that the form was sent in this run."""
    failures: int = 0
    """In a row."""
    is_proven: bool = False
    """The session has let a page in."""
    unproven: int = 0
    """Sessions in a row that never did."""
    is_given_up: bool = False
    form: Form | None = None
    """The form to be sent next; None = the page must be asked for first."""
    page: str = ""
    """Where the page is now, after redirects."""
    redirects: int = 0
    turn: asyncio.Lock = msgspec.field(default_factory=asyncio.Lock)
    """Whose turn it is to make the next request; others of the site wait for that one."""

    def restart(self) -> None:
        """The page must be asked for, from the beginning."""
        self.form = None
        self.page = self.settings.page
        self.redirects = 0

    def is_loss(self, target: str) -> bool:
        """Does a redirect there mean that the session is over?"""
        if self.settings.lost:
            return re.search(self.settings.lost, target) is not None
        return _without_query(target) == _without_query(self.settings.page)


class Logins:
    """All forms of one job."""

    def __init__(
        self,
        forms: Sequence[LoginForm],
        jar: CookieJar,
        recall: Callable[[str], str | None],
        remember: Callable[[str, str], None],
    ) -> None:
        """`recall` and `remember` keep a few words over restarts. Raises ConfigError for a secret not to be had."""
        self.jar = jar
        self._remember = remember
        self._places: dict[str, list[tuple[str, SiteLogin]]] = {}
        for form in forms:
            login = self._login(form)
            login.is_in = recall(_note(login)) == "in" and jar.reaches(form.page)
            for origin, path in login.places:
                self._places.setdefault(origin, []).append((path, login))

    def _login(self, form: LoginForm) -> SiteLogin:
        fields = {name: secret_text(value, f"login.forms.fields.{name}") for name, value in form.fields.items()}
        prefixes = [parse(prefix) for prefix in form.applies_to]
        places = [(url.origin, url.path) for url in prefixes] or [(parse(form.page).origin, "/")]
        login = SiteLogin(form, fields, places)
        login.restart()
        return login

    def find(self, url: str) -> SiteLogin | None:
        """The login that a URL needs."""
        slash = url.find("/", 8)
        for path, login in self._places.get(url[:slash], ()):
            if url.startswith(path, slash):
                return login
        return None

    def set_in(self, login: SiteLogin, is_in: bool) -> None:
        """Note, for the next run as well, whether we are logged in. Raises StorageError."""
        login.is_in = is_in
        login.restart()
        self._remember(_note(login), "in" if is_in else "out")


def _without_query(url: str) -> str:
    return url.partition("?")[0]


def _note(login: SiteLogin) -> str:
    return f"login {login.settings.page}"
