"""May this address be connected to? Asked at connect time, about the address that is about to be connected to.

Whatever a link, a redirect or a name server leads to, only addresses of the public internet are let through; the tables
are those of the IANA special-purpose registries (RFC 6890). IPv6 is a list of what is allowed: 2000::/3 less its
special blocks, so that IPv4 in disguise (mapped, compatible, NAT64, 6to4, Teredo), ULA and link-local fall out
together.

Exempt are only what the operator named: `allow_private` (host:port, address or CIDR), an address given for a name in
`dns.hosts`, and a seed whose host is
literally a private address in its canonical spelling, or `localhost`, for exactly that host and port. A name that
merely resolves to a private address is never exempt. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from gossamer.errors import ConfigError

_FORBIDDEN_IPV4 = tuple(
    (IPv4Network(network), name)
    for network, name in (
        ("0.0.0.0/8", "unspecified"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "carrier-grade NAT"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "IETF protocol assignments"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
)
_GLOBAL_IPV6 = IPv6Network("2000::/3")
_FORBIDDEN_IPV6 = tuple(
    (IPv6Network(network), name)
    for network, name in (
        ("2001::/23", "IETF protocol assignments or Teredo"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("3fff::/20", "documentation"),
    )
)
_UNROUTED_IPV6 = tuple(
    (IPv6Network(network), name)
    for network, name in (
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("::ffff:0:0/96", "IPv4-mapped"),
        ("::/96", "IPv4-compatible"),
        ("64:ff9b::/96", "NAT64"),
        ("64:ff9b:1::/48", "NAT64"),
        ("fc00::/7", "unique local"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    )
)
_SEED = re.compile(r"(https?)://(localhost|[0-9.]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?(?:[/?#]|$)")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class AddressRules:
    """What may be connected to; grows by the seeds' exemptions."""

    def __init__(self, allow_private: Iterable[str] = ()) -> None:
        """Raises ConfigError for an entry that is neither host:port nor an address or CIDR."""
        self._networks: list[IPv4Network | IPv6Network] = []
        self._exempt: set[tuple[str, int]] = set()
        self._given: set[tuple[str, str]] = set()
        for entry in allow_private:
            self._allow(entry.strip())

    def _allow(self, entry: str) -> None:
        try:
            self._networks.append(ip_network(entry))
            return
        except ValueError:
            host, _, port = entry.rpartition(":")
        if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536 or "/" in host:
            raise ConfigError(
                f"allow_private: {entry!r} is neither host:port nor an address or network such as 10.0.0.0/8"
            )
        self._exempt.add((host.lower(), int(port)))

    def exempt_given(self, host: str, addresses: Iterable[str]) -> None:
        """Exempt the addresses that the operator gave for a name (`dns.hosts`), for exactly that name."""
        self._given.update((host, address) for address in addresses)

    def exempt_seed(self, text: str) -> bool:
        """Exempt the host and port of a seed, if its text as the operator wrote it names a private address literally.

        True if `text` is such a seed. Any other spelling of the address (octal, hex, short, mapped) is none.
        """
        match = _SEED.match(text)
        if match is None:
            return False
        scheme, host, port = match.groups()
        if host != "localhost" and not _is_private_literal(host):
            return False
        self._exempt.add((host, int(port) if port else _DEFAULT_PORTS[scheme]))
        return True

    def refusal(self, address: str, host: str, port: int) -> str | None:
        """Why `address` must not be connected to for `host` (as in a parsed URL) and `port`; None = it may be."""
        if (host, port) in self._exempt or (self._given and (host.rstrip("."), address) in self._given):
            return None
        try:
            parsed = ip_address(address)
        except ValueError:
            return "not an address"
        reason = forbidden_kind(parsed)
        if reason is None or any(parsed in network for network in self._networks):
            return None
        return reason


def forbidden_kind(address: IPv4Address | IPv6Address) -> str | None:
    """The kind of special address this is, e.g. `loopback`; None for one of the public internet."""
    if isinstance(address, IPv4Address):
        return next((name for network, name in _FORBIDDEN_IPV4 if address in network), None)
    if address.scope_id is not None:
        return "scoped"
    if address in _GLOBAL_IPV6:
        return next((name for network, name in _FORBIDDEN_IPV6 if address in network), None)
    return next((name for network, name in _UNROUTED_IPV6 if address in network), "not a global address")


def _is_private_literal(host: str) -> bool:
    """Is this host of a URL a forbidden address in canonical spelling (RFC 5952 for IPv6, in brackets)?"""
    literal = host[1:-1] if host.startswith("[") else host
    try:
        address = ip_address(literal)
    except ValueError:
        return False
    if host.startswith("[") != isinstance(address, IPv6Address):
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return False
    return str(address) == literal and forbidden_kind(address) is not None
