"""Which addresses may be connected to."""

from __future__ import annotations

import pytest

from gossamer.errors import ConfigError
from gossamer.fetch.address import AddressRules

FORBIDDEN = {
    "0.0.0.0": "unspecified",
    "0.1.2.3": "unspecified",
    "10.0.0.1": "private",
    "100.64.0.1": "carrier-grade NAT",
    "100.127.255.255": "carrier-grade NAT",
    "127.0.0.1": "loopback",
    "127.255.255.254": "loopback",
    "169.254.169.254": "link-local",
    "172.16.0.1": "private",
    "172.31.255.255": "private",
    "192.0.0.8": "IETF protocol assignments",
    "192.0.2.1": "documentation",
    "192.88.99.1": "6to4 relay",
    "192.168.0.1": "private",
    "198.18.0.1": "benchmarking",
    "203.0.113.9": "documentation",
    "224.0.0.1": "multicast",
    "239.255.255.250": "multicast",
    "240.0.0.1": "reserved",
    "255.255.255.255": "reserved",
    "::": "unspecified",
    "::1": "loopback",
    "::7f00:1": "IPv4-compatible",
    "::ffff:127.0.0.1": "IPv4-mapped",
    "::ffff:93.184.216.34": "IPv4-mapped",
    "64:ff9b::7f00:1": "NAT64",
    "64:ff9b:1::1": "NAT64",
    "100::1": "not a global address",
    "2001::1": "IETF protocol assignments or Teredo",
    "2001:db8::1": "documentation",
    "2002:7f00:1::": "6to4",
    "3fff::1": "documentation",
    "5f00::1": "not a global address",
    "fc00::1": "unique local",
    "fd12::1": "unique local",
    "fe80::1": "link-local",
    "fe80::1%eth0": "scoped",
    "fec0::1": "site-local",
    "ff02::1": "multicast",
    "not an address": "not an address",
    "": "not an address",
}


@pytest.mark.parametrize(("address", "kind"), FORBIDDEN.items())
def test_special_addresses_are_refused_and_named(address: str, kind: str) -> None:
    assert AddressRules().refusal(address, "site.test", 80) == kind


@pytest.mark.parametrize(
    "address",
    ["1.1.1.1", "93.184.216.34", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.0.1.1",
     "198.17.255.255", "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::1", "2001:200::1"],
)  # fmt: skip
def test_addresses_of_the_public_internet_are_let_through(address: str) -> None:
    assert AddressRules().refusal(address, "site.test", 80) is None


def test_a_network_or_an_address_can_be_allowed() -> None:
    rules = AddressRules(["10.1.0.0/16", "::1", "127.0.0.5"])
    assert rules.refusal("10.1.2.3", "intranet.test", 80) is None
    assert rules.refusal("10.2.2.3", "intranet.test", 80) == "private"
    assert rules.refusal("::1", "x.test", 1) is None
    assert rules.refusal("127.0.0.5", "x.test", 1) is None
    assert rules.refusal("::ffff:10.1.2.3", "x.test", 1) == "IPv4-mapped"


def test_a_host_and_port_can_be_allowed() -> None:
    rules = AddressRules(["intranet.test:8080", "[::1]:81", "127.0.0.1:82"])
    assert rules.refusal("10.0.0.1", "intranet.test", 8080) is None
    assert rules.refusal("10.0.0.1", "intranet.test", 80) == "private"
    assert rules.refusal("10.0.0.1", "other.test", 8080) == "private"
    assert rules.refusal("::1", "[::1]", 81) is None
    assert rules.refusal("127.0.0.1", "127.0.0.1", 82) is None
    assert rules.refusal("127.0.0.1", "evil.test", 82) == "loopback"


@pytest.mark.parametrize(
    "entry", ["intranet.test", "host:0", "host:99999", "host:x", ":80", "10.0.0.1/8", "http://h:80", ""]
)
def test_an_entry_that_says_neither_is_refused_with_its_text(entry: str) -> None:
    with pytest.raises(ConfigError, match="allow_private"):
        AddressRules([entry])


@pytest.mark.parametrize(
    ("seed", "host", "port"),
    [
        ("http://127.0.0.1/", "127.0.0.1", 80),
        ("http://127.0.0.1:8080/docs/", "127.0.0.1", 8080),
        ("https://10.0.0.7", "10.0.0.7", 443),
        ("http://localhost:3000?x", "localhost", 3000),
        ("http://[::1]:8080/", "[::1]", 8080),
        ("http://[fd12::1]/", "[fd12::1]", 80),
    ],
)
def test_a_seed_that_is_literally_private_is_exempt_for_its_host_and_port(seed: str, host: str, port: int) -> None:
    rules = AddressRules()
    assert rules.exempt_seed(seed)
    address = {"localhost": "127.0.0.1"}.get(host, host.strip("[]"))
    assert rules.refusal(address, host, port) is None
    assert rules.refusal(address, host, port + 1) is not None
    assert rules.refusal(address, "evil.test", port) is not None


@pytest.mark.parametrize(
    "seed",
    [
        "http://0x7f.1/", "http://0x7f000001/", "http://2130706433/", "http://017700000001/", "http://0177.0.0.1/",
        "http://127.1/", "http://127.0.1/", "http://127.000.000.001/", "http://127.0.0.1./", "http://①②⑦.0.0.1/",
        "http://１２７.0.0.1/", "http://127。0。0。1/", "http://user@127.0.0.1/", "http://127.0.0.1\\@evil.test/",
        "http://127.0.0.1@evil.test/", "http://evil.test/127.0.0.1", "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::0001]/", "http://[::1%25eth0]/",
        "http://[127.0.0.1]/", "http://::1/", "http://localhost./", "http://LOCALHOST/", "http://localhost.test/",
        "http:127.0.0.1/", "http:///127.0.0.1/", "HTTP://127.0.0.1/", " http://127.0.0.1/", "http://127.0.0.1:/",
        "http://127.0.0.1:080808/", "http://%31%32%37.0.0.1/", "http://127.0.0.1%00/", "ftp://127.0.0.1/",
        "http://intranet/", "http://93.184.216.34/", "http://1.1.1.1/", "",
    ],
)  # fmt: skip
def test_any_other_spelling_or_a_name_makes_no_exemption(seed: str) -> None:
    rules = AddressRules()
    assert not rules.exempt_seed(seed)
    for host in ("127.0.0.1", "[::1]", "localhost", "intranet", "evil.test"):
        for port in (80, 443, 8080):
            assert rules.refusal("127.0.0.1", host, port) == "loopback"
