"""The kinds of value that settings have beyond plain numbers and texts, and what each may be.

A value is checked once, here, when a group of settings is made; behind that everybody may rely on it. Text that goes
into a request or an archive file cannot smuggle a second header line, an address exception is one, a pattern compiles.
The functions raise ValueError with a sentence that goes on after the setting's name ("must be …").
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar, get_args

from gossamer.config.kinds import After, Before, Bounds
from gossamer.config.problems import shown
from gossamer.config.proxies import check_proxy
from gossamer.config.secrets import SecretText
from gossamer.url import InvalidUrl, parse
from gossamer.util.sizes import parse_duration, parse_size

LONGEST_DURATION = 100 * 365.25 * 86400
LARGEST_SIZE = 2**63 - 1


class Unit(Enum):
    """Marks a number whose text may carry a unit."""

    DURATION = "duration"
    SIZE = "size"


def unit_of(annotation: Any) -> Unit | None:
    """The unit of a setting that is annotated so, or of the items of a list of them; None if it has none."""
    if isinstance(annotation, Unit):
        return annotation
    return next((unit for part in get_args(annotation) if (unit := unit_of(part)) is not None), None)


def _read_duration(value: object) -> object:
    if isinstance(value, str):
        try:
            value = parse_duration(value)
        except ValueError as exc:
            raise ValueError(f"must be a duration: {exc}") from None
    if isinstance(value, int | float) and value > LONGEST_DURATION:
        raise ValueError(f"must be at most 100 years, not {shown(value)}")
    return value


def _read_size(value: object) -> object:
    if isinstance(value, str):
        try:
            value = parse_size(value)
        except ValueError as exc:
            raise ValueError(f"must be a size: {exc}") from None
    if isinstance(value, int) and value > LARGEST_SIZE:
        raise ValueError(f"must be less than 2**63 bytes, not {shown(value)}")
    return value


def _check_line(value: str) -> str:
    """One line that HTTP and WARC headers can carry (RFC 9110 5.5, ISO-8859-1)."""
    if any(ord(c) < 32 or 127 <= ord(c) < 160 for c in value):
        raise ValueError(f"must not contain control characters, as {shown(value)} does")
    if any(ord(c) > 255 for c in value):
        raise ValueError(f"must be ISO-8859-1, which {shown(value)} is not")
    if value != value.strip():
        raise ValueError(f"must not begin or end with white space, as {shown(value)} does")
    return value


def _check_text(value: str) -> str:
    """One line in any script."""
    if not value.isprintable():
        raise ValueError(f"must be one line of printable text, which {shown(value)} is not")
    return value


def _check_contact(value: str) -> str:
    if value and not re.fullmatch(r"https?://[^\s()<>]+|[^\s()<>@]+@[^\s()<>@]+", value):
        raise ValueError(f"must be a URL or an e-mail address, which {shown(value)} is not")
    return value


def _check_token(value: str) -> str:
    """RFC 9309 2.2: a product token is made of letters, `_` and `-`."""
    if not re.fullmatch(r"[A-Za-z_-]{1,100}", value):
        raise ValueError(f"must be letters, '_' and '-' only (RFC 9309 2.2.1), which {shown(value)} is not")
    return value


def _check_file_prefix(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", value):
        raise ValueError(
            f"must be 1 to 64 letters, digits, '.', '_', '-', no sign in front, which {shown(value)} is not"
        )
    return value


_CODINGS = {"gzip", "deflate", "br", "zstd", "identity"}


def _check_codings(value: str) -> str:
    unknown = {coding.strip() for coding in value.split(",") if value} - _CODINGS
    if unknown:
        raise ValueError(f"must be a list of {', '.join(sorted(_CODINGS))}; {shown(min(unknown))} is none of them")
    return value


def _check_pattern(value: str) -> str:
    try:
        re.compile(value)
    except (re.error, RecursionError, OverflowError) as exc:
        raise ValueError(f"must be a regular expression, which {shown(value)} is not: {exc}") from None
    return value


# What the fetcher sets itself, or what would change where a message ends.
_RESERVED_HEADERS = {
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
}
# A header goes to every host of the crawl: what is meant for one would be given away to all.
_SECRET_HEADERS = {
    "authorization": "login.credentials",
    "proxy-authorization": "fetching.proxy",
}


def _check_header(header: tuple[str, str]) -> tuple[str, str]:
    name, value = header
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
        raise ValueError(f"must have header names of letters, digits and '-' (RFC 9110 5.6.2), not {shown(name)}")
    if name.lower() in _RESERVED_HEADERS:
        raise ValueError(f"must not contain {name}: Gossamer sets it itself")
    if name.lower() in _SECRET_HEADERS:
        raise ValueError(f"must not contain {name}, which every host would get: use {_SECRET_HEADERS[name.lower()]}")
    _check_line(value)
    return header


def _read_headers(value: object) -> object:
    return tuple(value.items()) if isinstance(value, Mapping) else value


def _check_private(value: str) -> str:
    """`host:port`, or an address or network; in lower case, as URLs have it."""
    value = value.lower()
    try:
        ipaddress.ip_network(value)
    except ValueError:
        host, _, port = value.rpartition(":")
        if _is_host(host) and _is_port(port):
            return value
        raise ValueError(
            f"must be host:port, an address or a network (10.0.0.0/8, host bits zero), which {shown(value)} is not"
        ) from None
    return value


def _is_host(host: str) -> bool:
    if host.startswith("["):
        return host.endswith("]") and _is_address(host[1:-1], ipaddress.IPv6Address)
    return re.fullmatch(r"[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?", host) is not None


def _is_port(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,5}", text) is not None and 0 < int(text) < 65536


def _is_address(text: str, kind: Any = ipaddress.ip_address) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True


def _check_nameserver(value: str) -> str:
    host, _, port = value.rpartition(":")
    if _is_address(value) or (_is_port(port) and _is_address(host.removeprefix("[").removesuffix("]"))):
        return value
    raise ValueError(f"must be addresses, with a port or without, which {shown(value)} is not")


def _check_loopback(value: str) -> str:
    host, colon, port = value.rpartition(":")
    is_bracketed = host.startswith("[") and host.endswith("]")
    bare, kind = (host[1:-1], ipaddress.IPv6Address) if is_bracketed else (host, ipaddress.IPv4Address)
    is_good = colon and _is_port(port) and _is_address(bare, kind) and kind(bare).is_loopback
    if value and not is_good:
        raise ValueError(f"must be an address and port of this machine, like 127.0.0.1:9464, not {shown(value)}")
    return value


def _read_folder(value: object) -> object:
    if isinstance(value, str):
        if not value.strip() or "\0" in value:
            raise ValueError(f"must be the path of a folder, which {shown(value)} is not")
        return Path(value)
    return value


def _read_file(value: object) -> object:
    if isinstance(value, str):
        if not value.strip() or "\0" in value or value.endswith("/"):
            raise ValueError(f"must be the path of a file, which {shown(value)} is not")
        return Path(value)
    return value


def _check_web_url(value: str) -> str:
    """An absolute URL of http or https, as a browser writes it. What is wrong is not repeated: it may be secret."""
    try:
        url = parse(value)
    except InvalidUrl:
        raise ValueError("must be a URL such as https://example.org/login") from None
    if url.scheme not in ("http", "https"):
        raise ValueError("must be a URL of http or https")
    if "@" in url.href.partition("//")[2].partition("/")[0]:
        raise ValueError("must be a URL without user name and password: those have settings of their own")
    return url.href


def _check_web_prefix(value: str) -> str:
    url = parse(_check_web_url(value))
    if url.query:
        raise ValueError("must be the beginning of URLs, without a query")
    return url.href


def _check_media_type(value: str) -> str:
    value = value.lower()
    if not re.fullmatch(r"\*/\*|[a-z0-9!#$&^_.+-]+/(?:\*|[a-z0-9!#$&^_.+-]+)", value):
        raise ValueError(f"must be media types such as text/html, image/* or */*, which {shown(value)} is not")
    return value


def _check_secret_line(value: SecretText) -> SecretText:
    if any(ord(c) < 32 or ord(c) == 127 for c in value.reveal()):
        raise ValueError("must not contain control characters")
    return value


def _check_fields(value: dict[str, SecretText]) -> dict[str, SecretText]:
    if not value:
        raise ValueError("must name at least one field of the form")
    return value


def _check_proxy(value: SecretText) -> SecretText:
    check_proxy(value.reveal())
    return value


def _check_no_proxy(value: str) -> str:
    value = value.lower()
    if value == "*" or _is_host(value.removeprefix("*").removeprefix(".")):
        return value
    try:
        return _check_private(value)
    except ValueError:
        raise ValueError(
            f"must be hosts, domains (.example.org), host:port, addresses or networks, which {shown(value)} is not"
        ) from None


def _read_static_hosts(value: object) -> object:
    """A table of TOML or a dict, with one address or a list of them for each name."""
    if isinstance(value, Mapping):
        return tuple(
            (name, (found,) if isinstance(found, str) else tuple(found) if isinstance(found, list) else found)
            for name, found in value.items()
        )
    return value


def _check_static_host(entry: tuple[str, tuple[str, ...]]) -> tuple[str, tuple[str, ...]]:
    host, addresses = entry
    if not _is_host(host.lower()) or host.startswith("["):
        raise ValueError(f"must be host names with addresses, and {shown(host)} is no host name")
    bad = [address for address in addresses if not _is_address(address)]
    if bad or not addresses:
        raise ValueError(f"must give addresses for {host}, which {shown(bad[0] if bad else '')} is not")
    return host.lower(), tuple(str(ipaddress.ip_address(address)) for address in addresses)


Line = Annotated[str, After(_check_line)]
"""One line of ISO-8859-1, for a header."""
Text = Annotated[str, After(_check_text)]
Contact = Annotated[str, After(_check_line), After(_check_contact)]
ProductToken = Annotated[str, After(_check_token)]
FilePrefix = Annotated[str, After(_check_file_prefix)]
Codings = Annotated[str, After(_check_codings)]
Pattern = Annotated[str, After(_check_text), After(_check_pattern)]
Header = Annotated[tuple[str, str], After(_check_header)]
PrivateAddress = Annotated[str, After(_check_private)]
Nameserver = Annotated[str, After(_check_nameserver)]
WebUrl = Annotated[str, After(_check_web_url)]
WebPrefix = Annotated[str, After(_check_web_prefix)]
MediaType = Annotated[str, After(_check_media_type)]
NoProxy = Annotated[str, After(_check_no_proxy)]
StaticHost = Annotated[tuple[str, tuple[str, ...]], After(_check_static_host)]
Loopback = Annotated[str, After(_check_loopback)]

if TYPE_CHECKING:
    Read = TypeVar("Read", covariant=True)
    Given = TypeVar("Given", contravariant=True)

    class Setting(Generic[Read, Given]):
        """What a type checker knows of a setting: as what it is read, and as what it may be given (typing spec,
        Dataclasses, "Descriptor-typed fields").
        """

        def __get__(self, instance: object, owner: object = None) -> Read: ...

        def __set__(self, instance: object, value: Given) -> None: ...

    Duration = Setting[float, float | str]
    OptionalDuration = Setting[float | None, float | str | None]
    Durations = Setting[tuple[float, ...], Sequence[float | str]]
    OptionalDurations = Setting[tuple[float, ...] | None, Sequence[float | str] | None]
    Size = Setting[int, int | str]
    OptionalSize = Setting[int | None, int | str | None]
    OptionalFolder = Setting[Path | None, Path | str | None]
    OptionalFile = Setting[Path | None, Path | str | None]
    Headers = Setting[tuple[tuple[str, str], ...], Mapping[str, str] | Sequence[tuple[str, str]]]
    Patterns = Setting[tuple[str, ...], Sequence[str]]
    PrivateAddresses = Setting[tuple[str, ...], Sequence[str]]
    Nameservers = Setting[tuple[str, ...], Sequence[str]]
    WebPrefixes = Setting[tuple[str, ...], Sequence[str]]
    MediaTypes = Setting[tuple[str, ...], Sequence[str]]
    NoProxies = Setting[tuple[str, ...], Sequence[str]]
    StaticHosts = Setting[
        tuple[tuple[str, tuple[str, ...]], ...],
        Mapping[str, str | Sequence[str]] | Sequence[tuple[str, Sequence[str]]],
    ]
    Secret = str | SecretText
    OptionalProxyUrl = str | SecretText | None
    FormFields = Mapping[str, str | SecretText] | Mapping[str, str]
else:
    Duration = Annotated[float, Before(_read_duration), Bounds(ge=0), Unit.DURATION]
    """Seconds; as text with units, "1h30m"."""
    OptionalDuration = Duration | None
    Size = Annotated[int, Before(_read_size), Bounds(ge=0), Unit.SIZE]
    """Bytes; as text with units, "1 GiB"."""
    OptionalSize = Size | None
    OptionalFolder = Annotated[Path, Before(_read_folder)] | None
    OptionalFile = Annotated[Path, Before(_read_file)] | None
    Secret = Annotated[SecretText, After(_check_secret_line)]
    """A text that is never shown; `secret_text` gives it to who needs it."""
    OptionalProxyUrl = Annotated[SecretText, After(_check_proxy)] | None
    FormFields = Annotated[dict[str, SecretText], After(_check_fields)]
    # A list of TOML becomes a tuple; nothing else is converted.
    Durations = tuple[Duration, ...]
    OptionalDurations = Durations | None
    Headers = Annotated[tuple[Header, ...], Before(_read_headers)]
    Patterns = tuple[Pattern, ...]
    PrivateAddresses = tuple[PrivateAddress, ...]
    Nameservers = tuple[Nameserver, ...]
    WebPrefixes = tuple[WebPrefix, ...]
    MediaTypes = tuple[MediaType, ...]
    NoProxies = tuple[NoProxy, ...]
    StaticHosts = Annotated[tuple[StaticHost, ...], Before(_read_static_hosts)]
