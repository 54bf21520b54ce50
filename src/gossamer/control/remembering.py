"""What a crawl remembers of the servers' sessions: its cookie jar and who may log in, made from the settings.

Put together when a crawl is opened: the jar filled from the store and the operator's file, the fetcher wrapped so that
requests bring along what is remembered. A job that keeps no cookies and has no credentials gets its fetcher unwrapped.
"""

from __future__ import annotations

import logging
from pathlib import Path

from gossamer.config import CrawlConfig, Login, secret_text
from gossamer.errors import ConfigError, StorageError
from gossamer.fetch.auth import Account, Authenticator
from gossamer.fetch.base import Fetcher
from gossamer.fetch.cookies import CookieJar
from gossamer.fetch.cookiestore import CookieKeeper
from gossamer.fetch.session import SessionFetcher
from gossamer.frontier import COOKIES
from gossamer.storage.kv import KV
from gossamer.url import Suffixes, parse
from gossamer.util.clock import Clock

log = logging.getLogger(__name__)


class JobCookies:
    """The jar of one open crawl."""

    def __init__(self, config: CrawlConfig, folder: Path, store: KV, clock: Clock, suffixes: Suffixes) -> None:
        """Fill it. Raises ConfigError for a file that cannot be read, StorageError."""
        settings = config.cookies
        self.jar = CookieJar(settings.capacity, suffixes.is_suffix)
        self._keeper = CookieKeeper(self.jar, store, COOKIES)
        self._save = None if settings.save is None else folder / settings.save
        if self._save is not None and not self._save.parent.is_dir():
            raise ConfigError(f"cookies.save: there is no folder {self._save.parent}")
        now = clock.wall()
        self._keeper.load_stored(now)
        if settings.load is not None:
            self._keeper.load_file(folder / settings.load, now, suffixes.is_suffix)

    def keep(self) -> None:
        """Write to the store what has changed. Raises StorageError."""
        self._keeper.flush()

    def save(self) -> None:
        """Write the cookies.txt, if one is wanted. One that cannot be written is no reason for a crawl to fail."""
        if self._save is not None:
            try:
                self._keeper.save(self._save)
            except StorageError as error:
                log.error("cookies.save: %s; the cookies are in the store", error)


def remembering(fetcher: Fetcher, login: Login, clock: Clock, cookies: JobCookies | None) -> Fetcher:
    """The fetcher with a memory, if there is anything to remember. Raises ConfigError."""
    accounts = accounts_of(login)
    if cookies is None and not accounts:
        return fetcher
    jar = None if cookies is None else cookies.jar
    return SessionFetcher(fetcher, clock, jar, Authenticator(accounts) if accounts else None)


def accounts_of(login: Login) -> list[Account]:
    """Who may log in where. Raises ConfigError for a secret that is not to be had."""
    accounts = []
    for credential in login.credentials:
        url = parse(credential.url)
        name = secret_text(credential.login, "login.credentials.login")
        password = secret_text(credential.password, "login.credentials.password")
        accounts.append(Account(url.origin, url.path, name, password, credential.realm))
    return accounts
