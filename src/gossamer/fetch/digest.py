"""Digest access authentication: the answer to one challenge (RFC 7616; RFC 2069 where a server is that old). Pure.

A nonce is used again and counted, as `nc` wants it. What is not supported is no challenge: an unknown algorithm, or a
protection that covers bodies only (`auth-int`).
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable

from gossamer.fetch.challenge import Challenge

_HASHES: dict[str, Callable[[bytes], str]] = {
    "md5": lambda data: hashlib.md5(data, usedforsecurity=False).hexdigest(),
    "sha-256": lambda data: hashlib.sha256(data).hexdigest(),
}
_STRENGTHS = {"md5": 1, "sha-256": 2}


class DigestSession:
    """One user in one realm, with the nonce of now."""

    def __init__(self, challenge: Challenge, login: str, password: str) -> None:
        """For a challenge that `strength` says more than 0 of."""
        said = challenge.parameters
        name = said.get("algorithm", "MD5")
        self._algorithm = name
        self._hash = _HASHES[name.lower().removesuffix("-sess")]
        self._is_session = name.lower().endswith("-sess")
        self._says_algorithm = "algorithm" in said
        self._realm = challenge.realm
        self._opaque = said.get("opaque")
        self._has_qop = "qop" in said
        self._login = login
        self._hides_login = said.get("userhash", "").lower() == "true"
        # The user's own words are UTF-8 (RFC 7616 4), what the server said are its bytes as they came.
        self._secret = self._hash(login.encode() + b":" + _raw(self._realm) + b":" + password.encode())
        self._count = 0
        self._session_nonces = ("", "")
        self.nonce = said.get("nonce", "")

    def renew(self, nonce: str) -> None:
        """Go on with another nonce of the same realm."""
        self.nonce = nonce
        self._count = 0

    def header(self, method: str, target: str, cnonce: str | None = None) -> str:
        """The value of Authorization for a request of `target`, as it stands in the request line."""
        cnonce = cnonce or secrets.token_hex(8)
        self._count += 1
        count = f"{self._count:08x}"
        secret = self._secret
        if self._is_session:
            # RFC 7616 3.4.2: the first nonces of the session stay in A1; a new nonce is a new session.
            if self._session_nonces[0] != self.nonce:
                self._session_nonces = (self.nonce, cnonce)
            secret = self._hash(_raw(":".join((secret, *self._session_nonces))))
        request = self._hash(_raw(f"{method}:{target}"))
        if self._has_qop:
            response = self._hash(_raw(f"{secret}:{self.nonce}:{count}:{cnonce}:auth:{request}"))
        else:
            response = self._hash(_raw(f"{secret}:{self.nonce}:{request}"))
        parts = [*self._names(), ("realm", self._realm), ("nonce", self.nonce), ("uri", target), ("response", response)]
        text = ", ".join(f'{name}="{_quotable(value)}"' for name, value in parts)
        if self._says_algorithm:
            text += f", algorithm={self._algorithm}"
        if self._opaque is not None:
            text += f', opaque="{_quotable(self._opaque)}"'
        if self._has_qop:
            text += f', qop=auth, nc={count}, cnonce="{cnonce}"'
        if self._hides_login:
            text += ", userhash=true"
        return f"Digest {text}"

    def _names(self) -> list[tuple[str, str]]:
        if self._hides_login:
            return [("username", self._hash(self._login.encode() + b":" + _raw(self._realm)))]
        return [("username", self._login.encode().decode("latin-1"))]


def strength(challenge: Challenge) -> int:
    """How good a Digest challenge is; 0 = it cannot be answered."""
    said = challenge.parameters
    qop = [part.strip().lower() for part in said["qop"].split(",")] if "qop" in said else ["auth"]
    if challenge.scheme != "digest" or not said.get("nonce") or "auth" not in qop:
        return 0
    return _STRENGTHS.get(said.get("algorithm", "md5").lower().removesuffix("-sess"), 0)


def _raw(text: str) -> bytes:
    return text.encode("latin-1")


def _quotable(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
