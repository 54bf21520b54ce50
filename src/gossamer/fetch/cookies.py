"""CookieJar: what servers asked to be told again, and whom it may be told to (RFC 6265; 6265bis where it says more).

    Set-Cookie of a response ─► receive ─► kept if its server may set it ─► header for the next request it matches

A cookie goes back to the host that set it, or to the hosts below the domain it was set for, never to a public suffix
as a whole. A Secure one needs https. One that came over TLS that was verified, or from the operator's file, is not
given to a server whose certificate could not be verified: it might be another. `SameSite` means nothing here: a crawler
has no page from which another site's could be forged.

Bounded whatever comes: `setcookie` bounds a cookie, this a domain (50), the whole (`capacity`) and a request's header;
those used least recently go first. What changed since last asked is known, for whoever stores it. No clock, no I/O:
`now` is wall time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable

import msgspec

from gossamer.fetch.setcookie import LONGEST_COOKIE, SetCookie, parse_set_cookie
from gossamer.url import Url, host_of, is_ip_host, is_public_suffix, parse

PER_DOMAIN = 50
"""RFC 6265 6.1."""
LONGEST_HEADER = 8190
"""Bytes of a Cookie line; curl's limit, and about what servers take."""
_REACHES_KEPT = 4096

Key = tuple[str, str, str]
"""Domain, path, name."""


class Cookie(msgspec.Struct, frozen=True, kw_only=True):
    """One cookie as it is kept and stored. Times are wall time."""

    domain: str
    """The host that set it, or the domain that it is for."""
    path: str
    name: str
    value: str
    is_host_only: bool = True
    """Only for `domain` itself, not for hosts below it."""
    is_secure: bool = False
    is_http_only: bool = False
    is_trusted: bool = False
    """It came over verified TLS or from the operator: not to be told to a server that cannot prove who it is."""
    expires: float | None = None
    """None = with the session, and a job is one session."""
    created: float = 0.0

    @property
    def key(self) -> Key:
        return self.domain, self.path, self.name


class CookieJar:
    """All cookies of one job."""

    def __init__(self, capacity: int = 3000, is_suffix: Callable[[str], bool] = is_public_suffix) -> None:
        """`is_suffix` tells a public suffix, `co.uk`, from a domain that somebody registered."""
        self._capacity = capacity
        self._is_suffix = is_suffix
        self._all: OrderedDict[Key, Cookie] = OrderedDict()
        """Used least recently first."""
        self._domains: dict[str, OrderedDict[Key, None]] = {}
        """The same by domain, in the same order."""
        self._below: dict[str, set[str]] = {}
        """Domain -> those that lie below it and have cookies."""
        self._reaches: dict[str, tuple[str, ...]] = {}
        """Host -> those of the domains above that its requests may match; forgotten when the domains change."""
        self._changed: dict[Key, Cookie | None] = {}

    def __len__(self) -> int:
        return len(self._all)

    def all(self) -> list[Cookie]:
        """Every cookie, used least recently first."""
        return list(self._all.values())

    # ---- out

    def reaches(self, url: str) -> bool:
        """May there be cookies for the host of a URL? Quick; asked before every request."""
        return bool(self._domains) and bool(self._domains_of(host_of(url)))

    def header(self, url: str, now: float, *, is_verified: bool = True) -> str:
        """The value of the Cookie header of a request; empty if there is none to send.

        `is_verified` = the server has proved who it is, or the connection is plain http.
        """
        parsed = parse(url)
        found = [
            cookie
            for domain in self._domains_of(parsed.host)
            for cookie in self._of(domain, now)
            if _matches(cookie, parsed, is_verified)
        ]
        # RFC 6265 5.4: longer paths first, then those set earlier.
        found.sort(key=lambda cookie: (-len(cookie.path), cookie.created))
        header, length = [], 0
        for cookie in found:
            text = f"{cookie.name}={cookie.value}" if cookie.name else cookie.value
            length += len(text) + 2
            if length > LONGEST_HEADER:
                break
            header.append(text)
            self._use(cookie.key)
        return "; ".join(header)

    def has(self, url: str, name: str, now: float) -> bool:
        """Would a cookie of this name be sent with a request?"""
        parsed = parse(url)
        return any(
            cookie.name == name and _matches(cookie, parsed, is_verified=True)
            for domain in self._domains_of(parsed.host)
            for cookie in self._of(domain, now)
        )

    # ---- in

    def receive(self, url: str, lines: Iterable[bytes], now: float, *, is_verified: bool) -> None:
        """Take the Set-Cookie values of a response. `is_verified` = it came over verified TLS."""
        parsed = parse(url)
        for line in lines:
            said = parse_set_cookie(line, now)
            if said is None:
                continue
            cookie = self._judge(said, parsed, now, is_verified)
            if cookie is not None:
                self._set(cookie, now)

    def load(self, cookies: Iterable[Cookie], now: float) -> None:
        """Take cookies that were stored, as they are; those that are over are forgotten there, too."""
        for cookie in cookies:
            if cookie.expires is not None and cookie.expires <= now:
                self._changed[cookie.key] = None
            else:
                self._insert(cookie)

    def give(self, cookies: Iterable[Cookie], now: float) -> None:
        """Take the operator's cookies, unless one of the jar is newer."""
        for cookie in cookies:
            known = self._all.get(cookie.key)
            if known is None or known.created < cookie.created:
                self._set(cookie, now)

    def take_changes(self) -> dict[Key, Cookie | None]:
        """What was set (or, None, forgotten) since the last call."""
        changed, self._changed = self._changed, {}
        return changed

    # ---- who may set what

    def _judge(self, said: SetCookie, url: Url, now: float, is_verified: bool) -> Cookie | None:
        """RFC 6265bis 5.7: the cookie as it is kept; None if this server may not set it."""
        is_https = url.scheme == "https"
        domain, is_host_only = url.host, True
        if said.domain and said.domain != url.host:
            if self._is_suffix(said.domain) or not _domain_matches(url.host, said.domain):
                return None
            domain, is_host_only = said.domain, False
        elif said.domain:
            is_host_only = is_ip_host(url.host) or self._is_suffix(said.domain)
        if said.is_secure and not is_https:
            return None
        path = said.path or _default_path(url.path)
        cookie = Cookie(
            domain=domain,
            path=path,
            name=said.name,
            value=said.value,
            is_host_only=is_host_only,
            is_secure=said.is_secure,
            is_http_only=said.is_http_only,
            is_trusted=is_https and is_verified,
            expires=said.expires,
            created=now,
        )
        if not _keeps_its_prefix(cookie, said) or self._would_hide_better(cookie, now, is_https=is_https):
            return None
        known = self._all.get(cookie.key)
        return cookie if known is None else msgspec.structs.replace(cookie, created=known.created)

    def _would_hide_better(self, cookie: Cookie, now: float, *, is_https: bool) -> bool:
        """Would it hide or replace a Secure one that came over a better connection (6265bis 5.7, step 15)?"""
        if cookie.is_trusted or not self._domains:
            return False
        domains = {*self._below.get(cookie.domain, ()), *self._domains_of(cookie.domain)}
        return any(
            other.is_secure
            and (other.is_trusted or not is_https)
            and other.name == cookie.name
            and _path_matches(cookie.path, other.path)
            for domain in domains
            for other in self._of(domain, now)
        )

    # ---- the tables

    def _domains_of(self, host: str) -> tuple[str, ...]:
        known = self._reaches.get(host)
        if known is None:
            known = tuple(name for name in (host, *_above(host)) if name in self._domains)
            if len(self._reaches) >= _REACHES_KEPT:
                self._reaches.clear()
            self._reaches[host] = known
        return known

    def _of(self, domain: str, now: float) -> list[Cookie]:
        """The cookies of a domain; those that are over are forgotten."""
        found = []
        for key in list(self._domains.get(domain, ())):
            cookie = self._all[key]
            if cookie.expires is not None and cookie.expires <= now:
                self._forget(key)
            else:
                found.append(cookie)
        return found

    def _set(self, cookie: Cookie, now: float) -> None:
        if cookie.expires is not None and cookie.expires <= now:
            if cookie.key in self._all:
                self._forget(cookie.key)
            return
        if self._all.get(cookie.key) != cookie:
            self._changed[cookie.key] = cookie
        self._insert(cookie)

    def _insert(self, cookie: Cookie) -> None:
        key = cookie.key
        of_domain = self._domains.get(cookie.domain)
        if of_domain is None:
            of_domain = self._domains[cookie.domain] = OrderedDict()
            self._reaches.clear()
            for name in _above(cookie.domain):
                self._below.setdefault(name, set()).add(cookie.domain)
        self._all[key] = cookie
        of_domain[key] = None
        self._use(key)
        if len(of_domain) > PER_DOMAIN:
            self._forget(next(iter(of_domain)))
        elif len(self._all) > self._capacity:
            self._forget(next(iter(self._all)))

    def _use(self, key: Key) -> None:
        self._all.move_to_end(key)
        self._domains[key[0]].move_to_end(key)

    def _forget(self, key: Key) -> None:
        del self._all[key]
        of_domain = self._domains[key[0]]
        del of_domain[key]
        if not of_domain:
            self._drop_domain(key[0])
        self._changed[key] = None

    def _drop_domain(self, domain: str) -> None:
        del self._domains[domain]
        self._reaches.clear()
        for name in _above(domain):
            self._below[name].discard(domain)
            if not self._below[name]:
                del self._below[name]


def is_storable(cookie: Cookie) -> bool:
    """May it stand in a request as it is? For cookies that no server sent."""
    text = cookie.name + cookie.value
    is_clean = all(c == "\t" or " " <= c <= "~" or "\x80" <= c <= "\xff" for c in text) and ";" not in text
    return is_clean and "=" not in cookie.name and 0 < len(text) <= LONGEST_COOKIE


def _matches(cookie: Cookie, url: Url, is_verified: bool) -> bool:
    """RFC 6265 5.4, for a host that the cookie's domain is, or lies above."""
    if cookie.is_host_only and cookie.domain != url.host:
        return False
    if cookie.is_secure and url.scheme != "https":
        return False
    if cookie.is_trusted and not is_verified:
        return False
    return _path_matches(url.path, cookie.path)


def _above(host: str) -> list[str]:
    """The domains that a host lies in; an address lies in none."""
    if is_ip_host(host):
        return []
    labels = host.split(".")
    return [".".join(labels[start:]) for start in range(1, len(labels))]


def _domain_matches(host: str, domain: str) -> bool:
    """RFC 6265 5.1.3; an address has nothing below it."""
    return host == domain or (host.endswith(f".{domain}") and not is_ip_host(host))


def _path_matches(path: str, of_cookie: str) -> bool:
    """RFC 6265 5.1.4."""
    if not path.startswith(of_cookie):
        return False
    return len(path) == len(of_cookie) or of_cookie.endswith("/") or path[len(of_cookie)] == "/"


def _default_path(path: str) -> str:
    """RFC 6265 5.1.4: the folder of the request's path."""
    return path.rpartition("/")[0] or "/"


def _keeps_its_prefix(cookie: Cookie, said: SetCookie) -> bool:
    """RFC 6265bis 4.1.3: what a name promises must be so, and a nameless cookie must not look like such a name."""
    name = cookie.name.lower()
    if not name:
        return not cookie.value.lower().startswith(("__secure-", "__host-"))
    if name.startswith("__secure-"):
        return cookie.is_secure
    if name.startswith("__host-"):
        return cookie.is_secure and cookie.is_host_only and not said.domain and said.path == "/"
    return True
