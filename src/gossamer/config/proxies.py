"""The text of a proxy: `http://user:password@host:port`, `socks5://host:port`, `socks4a://host`. Pure.

It is a secret, since it may hold a password; what is shown of it is `shown_proxy`. `socks5h` and `socks4` are read as
`socks5` and `socks4a`: names always resolve at the proxy.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

from gossamer.config.secrets import is_reference

_DEFAULT_PORTS = {"http": 8080, "socks5": 1080, "socks4a": 1080}
_SPELLINGS = {"socks5h": "socks5", "socks4": "socks4a", "socks": "socks5"}
_PROXY = re.compile(
    r"(?P<scheme>[a-z0-9]+)://(?:(?P<user>[^:@/]*)(?::(?P<password>[^@/]*))?@)?"
    r"(?P<host>[A-Za-z0-9._-]+|\[[0-9a-fA-F:.]+\])(?::(?P<port>[0-9]{1,5}))?/?"
)
_LONGEST = 255
"""Bytes of a user name or a password that SOCKS5 can carry (RFC 1929 2)."""


class ProxyParts(NamedTuple):
    """What the text of a proxy says."""

    scheme: str
    """http, socks5 or socks4a."""
    host: str
    port: int
    user: str
    password: str

    @property
    def name(self) -> str:
        """As it may be shown, without user name and password."""
        return f"{self.scheme}://{self.host}:{self.port}"


def parse_proxy(text: str) -> ProxyParts:
    """Read it. Raises ValueError, with a sentence that repeats nothing of the text."""
    match = _PROXY.fullmatch(text)
    if match is None:
        raise ValueError("must be like http://user:password@host:port or socks5://host:port")
    scheme = _SPELLINGS.get(match["scheme"], match["scheme"])
    if scheme == "https":
        raise ValueError("must be an http, socks5 or socks4a proxy: one that is spoken to over TLS is not supported")
    if scheme not in _DEFAULT_PORTS:
        raise ValueError("must be an http, socks5 or socks4a proxy")
    port = int(match["port"]) if match["port"] else _DEFAULT_PORTS[scheme]
    if not 0 < port < 65536:
        raise ValueError("must have a port from 1 to 65535")
    user, password = unquote(match["user"] or ""), unquote(match["password"] or "")
    if any(len(part.encode()) > _LONGEST or not part.isprintable() for part in (user, password)):
        raise ValueError(f"must have a printable user name and password of at most {_LONGEST} bytes each")
    if scheme == "http" and ":" in user:
        raise ValueError("must have a user name without a colon (RFC 7617 2)")
    if scheme == "socks4a" and password:
        raise ValueError("must have no password: SOCKS4 knows only a user name")
    return ProxyParts(scheme, match["host"].lower(), port, user, password)


def check_proxy(text: str) -> None:
    """Raise ValueError if it is none, and no name of a variable that holds one."""
    if not is_reference(text):
        parse_proxy(text)


def shown_proxy(text: str) -> str:
    """As it may be shown: the password, and with it the user name, left out."""
    if is_reference(text):
        return text
    parts = parse_proxy(text)
    scheme, _, place = parts.name.partition("://")
    return f"{scheme}://[withheld]@{place}" if parts.user or parts.password else parts.name
