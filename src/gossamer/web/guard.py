"""Guard: who may ask. It stands before everything else.

The socket's mode keeps other users out. What is left is a browser of the owner that a hostile page sends here (through
a proxy, or to the loopback port for metrics): such requests carry a foreign Host (DNS rebinding), an Origin or
Sec-Fetch-Site, and are refused whatever they ask. No browser has reason to talk to this API at all.
"""

from __future__ import annotations

from collections.abc import Iterable

HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]", "gossamer"})
"""Names that a client may call the server by, with or without a port."""
_OWN_SITES = frozenset({"none", "same-origin"})


def refusal_of(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """Why a request with these headers (lower-case names) is refused; None if it is not."""
    hosts: list[str] = []
    for name, value in headers:
        text = value.decode("latin-1").strip().lower()
        if name == b"host":
            hosts.append(text)
        elif name == b"origin":
            return "requests from web pages are refused (Origin)"
        elif name == b"sec-fetch-site" and text not in _OWN_SITES:
            return "requests from web pages are refused (Sec-Fetch-Site)"
    if len(hosts) != 1 or _without_port(hosts[0]) not in HOSTS:
        return f"the Host must be one of {', '.join(sorted(HOSTS))}"
    return None


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host
