"""Authenticator: user names and passwords, given to whom they belong, when he asks (RFC 9110 11; Basic, Digest).

    request ─► begin: are there credentials for this URL? ─► header, once somebody has asked ─► 401 ─► learn
                                                                  ▲                               │ worth asking again
                                                                  └───────────────────────────────┘

Credentials belong to the URLs that begin as the operator said, scheme, host and port included, and go nowhere else. The
first request goes without them; when the server asks they are remembered for the realm, and sent unasked from then on.
The strongest challenge that can be answered is: SHA-256, then MD5, then Basic. Credentials that a server refuses are
said once in the log and not offered again: some servers lock an account that is wrong too often.

Asking again is not done here: the URI goes back to its queue, the host rests as after any request, both responses are
archived.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Sequence
from urllib.parse import urlsplit

import msgspec

from gossamer.fetch.base import FetchRequest
from gossamer.fetch.challenge import Challenge, parse_challenges, parse_parameters
from gossamer.fetch.digest import DigestSession, strength
from gossamer.model.exchange import Exchange
from gossamer.util.terminal import printable

log = logging.getLogger(__name__)

_MOST_REALMS = 50
"""Realms remembered for one entry of the settings."""
_MOST_FOLDERS = 200


class Account(msgspec.Struct, frozen=True):
    """An entry of `login.credentials` with its secrets read: a user name and a password, and where they belong."""

    origin: str
    """`https://example.org:8443`, as URLs have it."""
    path: str
    """What the paths of their URLs begin with."""
    login: str
    password: str
    realm: str = ""
    """Empty = any."""


class _Space(msgspec.Struct):
    """A realm that asked, and how it is answered."""

    account: Account
    realm: str
    basic: str = ""
    """The whole value, for Basic."""
    digest: DigestSession | None = None
    folders: dict[str, None] = msgspec.field(default_factory=dict)
    """Where it asked."""
    is_proven: bool = False
    """It let a request in."""
    is_refused: bool = False

    def header(self, method: str, target: str) -> str:
        return self.digest.header(method, target) if self.digest is not None else self.basic


class Answer:
    """What one request has to say for itself."""

    __slots__ = ("_request", "accounts", "is_sent", "is_withheld", "nonce", "space")

    def __init__(self, request: FetchRequest, accounts: list[Account], space: _Space | None) -> None:
        self._request = request
        self.accounts = accounts
        """Those whose URLs begin as this one, the closest first."""
        self.space = space
        self.is_sent = False
        self.is_withheld = False
        """The server could not prove who it is."""
        self.nonce = ""

    def header(self) -> str:
        """The value of Authorization for the connection that the request goes out on now; empty = none."""
        if self.space is None or self.space.is_refused:
            return ""
        self.is_sent = True
        self.nonce = self.space.digest.nonce if self.space.digest is not None else ""
        return self.space.header(self._request.method, _target(self._request.url))


class Authenticator:
    """All accounts of one job."""

    def __init__(self, accounts: Sequence[Account]) -> None:
        self._accounts: dict[str, list[Account]] = {}
        """By origin, those with the longest path first."""
        for account in sorted(accounts, key=lambda account: -len(account.path)):
            self._accounts.setdefault(account.origin, []).append(account)
        self._spaces: dict[tuple[Account, str], _Space] = {}
        self._withheld: set[str] = set()
        """Origins of which it was said that they get no password."""

    def begin(self, request: FetchRequest) -> Answer | None:
        """What is to be said with a request; None if there is no account for its URL."""
        slash = request.url.find("/", 8)
        there = self._accounts.get(request.url[:slash])
        if there is None:
            return None
        path = request.url[slash:]
        accounts = [account for account in there if path.startswith(account.path)]
        return Answer(request, accounts, self._space_for(accounts, path)) if accounts else None

    def _space_for(self, accounts: list[Account], path: str) -> _Space | None:
        """The realm that a path lies in, as far as is known: the only one, or the one that asked closest above it."""
        spaces = [space for space in self._spaces.values() if space.account in accounts]
        if len(spaces) <= 1:
            return spaces[0] if spaces else None
        reaching = [(max(_reach(space, path)), space) for space in spaces]
        best = max(reaching, key=lambda pair: pair[0])
        return best[1] if best[0] else None

    def learn(self, answer: Answer, exchange: Exchange) -> bool:
        """Take note of what came back; whether asking again with what is known now may do better."""
        if exchange.http_status != 401:
            self._note_success(answer, exchange)
            return False
        chosen = self._choose(answer, parse_challenges(exchange.header_values(b"www-authenticate")))
        if answer.is_withheld:
            if chosen is not None:
                exchange.annotations.append("authWithheld")
                self._tell_withheld(_place(exchange.url))
            return False
        if chosen is None:
            return False
        account, challenge = chosen
        known = self._spaces.get((account, challenge.realm))
        if answer.is_sent and answer.space is known and known is not None:
            return self._is_worth_repeating(known, challenge, answer, exchange)
        if known is not None and known.is_refused:
            return False
        space = known or self._open(account, challenge)
        _add_folder(space, answer, exchange)
        return True

    def _tell_withheld(self, place: str) -> None:
        if place not in self._withheld:
            self._withheld.add(place)
            log.warning("%s asks for a password and cannot prove who it is; it gets none", place)

    def _note_success(self, answer: Answer, exchange: Exchange) -> None:
        space = answer.space
        if space is None or not answer.is_sent or exchange.http_status is None or exchange.http_status >= 400:
            return
        space.is_proven = True
        if space.digest is not None:
            info = exchange.header(b"authentication-info")
            if info is not None and (nonce := parse_parameters(info).get("nextnonce")):
                space.digest.renew(nonce)

    def _is_worth_repeating(self, space: _Space, challenge: Challenge, answer: Answer, exchange: Exchange) -> bool:
        """The server asks again although it was answered: for another nonce, or because it does not believe it."""
        nonce = challenge.parameters.get("nonce", "")
        if space.digest is not None and nonce:
            is_overtaken = space.digest.nonce != answer.nonce
            if not is_overtaken and nonce != answer.nonce:
                space.digest.renew(nonce)
            if is_overtaken or challenge.parameters.get("stale", "").lower() == "true":
                return True
        if not space.is_proven and not space.is_refused:
            space.is_refused = True
            log.warning(
                "%s does not take the login %s for realm %r (login.credentials); it is not offered again",
                _place(exchange.url), printable(space.account.login, 60), printable(space.realm, 60),
            )  # fmt: skip
        return False

    def _choose(self, answer: Answer, challenges: list[Challenge]) -> tuple[Account, Challenge] | None:
        """The strongest challenge that an account can answer."""
        ranked = sorted(challenges, key=_rank, reverse=True)
        for challenge in ranked:
            if _rank(challenge):
                for account in answer.accounts:
                    if account.realm in ("", challenge.realm):
                        return account, challenge
        return None

    def _open(self, account: Account, challenge: Challenge) -> _Space:
        space = _Space(account, challenge.realm)
        if challenge.scheme == "digest":
            space.digest = DigestSession(challenge, account.login, account.password)
        else:
            space.basic = basic(account.login, account.password)
        of_account = [key for key in self._spaces if key[0] == account]
        if len(of_account) >= _MOST_REALMS:
            del self._spaces[of_account[0]]
        self._spaces[account, challenge.realm] = space
        return space


def basic(login: str, password: str) -> str:
    """The value of Authorization, or Proxy-Authorization, for Basic (RFC 7617), in UTF-8."""
    return "Basic " + base64.b64encode(f"{login}:{password}".encode()).decode("ascii")


def _rank(challenge: Challenge) -> int:
    """0 = cannot be answered."""
    return 1 if challenge.scheme == "basic" else strength(challenge) and 1 + strength(challenge)


def _reach(space: _Space, path: str) -> list[int]:
    return [0, *(len(folder) for folder in space.folders if path.startswith(folder))]


def _add_folder(space: _Space, answer: Answer, exchange: Exchange) -> None:
    """RFC 7617 2.2: what lies below the folder that asked, asks, too."""
    if len(space.folders) < _MOST_FOLDERS:
        path = urlsplit(exchange.url).path
        space.folders[path[: path.rfind("/") + 1]] = None


def _target(url: str) -> str:
    return url[url.find("/", 8) :].partition("#")[0]


def _place(url: str) -> str:
    return printable(url[: url.find("/", 8)], 200)
