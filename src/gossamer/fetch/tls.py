"""TLS: verified first; if that fails, recorded as unverified (`open`) or refused (`strict`).

An archiver wants what a server with an expired certificate has to say, but must be able to tell afterwards that it
might not have been that server. So the failure goes into TlsFacts, and who connects unverified to where verification
failed is decided here. The unverified context also speaks to servers too old for today's defaults. A failure is
remembered for an hour, so that not every new connection pays for two handshakes.
"""

from __future__ import annotations

import ssl
from typing import Literal

import certifi

from gossamer.model.exchange import TlsFacts
from gossamer.util.terminal import printable

_REMEMBERED = 10_000
_REMEMBERED_SECONDS = 3600.0


class TlsPolicy:
    """Contexts, and what is known of servers that failed verification."""

    def __init__(self, mode: Literal["open", "strict"]) -> None:
        self.is_strict = mode == "strict"
        self._contexts: tuple[ssl.SSLContext, ssl.SSLContext] | None = None
        self._failures: dict[tuple[str, int], tuple[str, float]] = {}

    def prepare(self) -> tuple[ssl.SSLContext, ssl.SSLContext]:
        """Load the authorities, which takes about a tenth of a second; once, and not while a deadline runs."""
        if self._contexts is None:
            self._contexts = _verified_context(), _unverified_context()
        return self._contexts

    @property
    def verified(self) -> ssl.SSLContext:
        """Checks chain and name against certifi's and the system's authorities."""
        return self.prepare()[0]

    @property
    def unverified(self) -> ssl.SSLContext:
        """Takes any certificate, and protocol versions and ciphers long out of use."""
        return self.prepare()[1]

    def known_failure(self, host: str, port: int, now: float) -> str:
        """Why verification failed there lately; empty = it did not."""
        failure, until = self._failures.get((host, port), ("", 0.0))
        return failure if now < until else ""

    def note_failure(self, host: str, port: int, failure: str, now: float) -> None:
        """Remember that verification failed, though an unverified connection could be made."""
        if len(self._failures) >= _REMEMBERED:
            del self._failures[next(iter(self._failures))]
        self._failures[host, port] = (failure, now + _REMEMBERED_SECONDS)


def facts(stream: ssl.SSLObject, failure: str) -> TlsFacts:
    """What the handshake gave; `failure` is why an earlier, verified one did not succeed."""
    cipher = stream.cipher()
    return TlsFacts(stream.version() or "", cipher[0] if cipher else "", not failure, failure)


def describe(exc: Exception) -> str:
    """One line about a handshake that failed."""
    if isinstance(exc, ssl.SSLCertVerificationError):
        return printable(f"certificate not verified: {exc.verify_message}", 200)
    if isinstance(exc, ssl.SSLError) and exc.reason:
        return printable(exc.reason.lower().replace("_", " "), 200)
    if isinstance(exc, ConnectionError):
        return "the connection broke in the TLS handshake"
    return printable(str(exc) or type(exc).__name__, 200)


def _verified_context() -> ssl.SSLContext:
    context = _client_context()
    context.load_verify_locations(cafile=certifi.where())
    context.load_default_certs()
    return context


def _unverified_context() -> ssl.SSLContext:
    context = _client_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.options |= getattr(ssl, "OP_LEGACY_SERVER_CONNECT", 0x4)
    return context


def _client_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(["http/1.1"])
    return context
