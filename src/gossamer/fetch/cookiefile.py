"""cookies.txt: Netscape's format, as curl, wget, yt-dlp and browsers' add-ons read and write it. Pure.

    domain  TAB  TRUE = hosts below it, too  TAB  path  TAB  TRUE = Secure  TAB  end, 0 = session  TAB  name  TAB  value

`#HttpOnly_` before the domain marks a cookie that scripts may not see; other lines that begin with `#` are comments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gossamer.errors import ConfigError
from gossamer.fetch.cookies import Cookie, is_storable
from gossamer.url import InvalidUrl, is_ip_host, is_public_suffix, parse
from gossamer.util.terminal import printable

_HEAD = "# Netscape HTTP Cookie File\n# Cookies of a crawl: whoever has them is logged in where it was.\n\n"
_HTTP_ONLY = "#HttpOnly_"


def read_cookies(
    raw: bytes, name: str, created: float, is_suffix: Callable[[str], bool] = is_public_suffix
) -> list[Cookie]:
    """The cookies of a file that messages call `name`, said to be `created` then (wall time).

    Raises ConfigError with the line that cannot be read. A value is never repeated in it.
    """
    cookies = []
    for number, line in enumerate(raw.removeprefix(b"\xef\xbb\xbf").splitlines(), start=1):
        text = line.decode("latin-1")
        if not text.strip() or (text.startswith("#") and not text.startswith(_HTTP_ONLY)):
            continue
        try:
            cookies.append(_read_line(text, created, is_suffix))
        except ValueError as exc:
            raise ConfigError(f"{name}:{number}: {exc}") from None
    return cookies


def write_cookies(cookies: Iterable[Cookie]) -> bytes:
    """The file, sorted by domain, path and name."""
    return (_HEAD + "".join(map(_line, sorted(cookies, key=lambda cookie: cookie.key)))).encode("latin-1")


def _read_line(text: str, created: float, is_suffix: Callable[[str], bool]) -> Cookie:
    is_http_only = text.startswith(_HTTP_ONLY)
    parts = text.removeprefix(_HTTP_ONLY).split("\t")
    if len(parts) == 6:
        parts.append("")  # some programs leave an empty value out
    if len(parts) != 7:
        raise ValueError(f"not in Netscape's cookies.txt format: {len(parts)} parts between tabs instead of 7")
    domain, below, path, secure, end, name, value = parts
    if any(flag.upper() not in ("TRUE", "FALSE") for flag in (below, secure)):
        raise ValueError("not a cookie: the second and the fourth part must be TRUE or FALSE")
    if not path.startswith("/"):
        raise ValueError("not a cookie: the third part must be a path")
    try:
        expires = float(end)
    except ValueError:
        raise ValueError("not a cookie: the fifth part must be a time in seconds since 1970, or 0") from None
    host = _host(domain)
    is_host_only = below.upper() == "FALSE" or is_ip_host(host)
    if not is_host_only and is_suffix(host):
        raise ValueError(f"{printable(host, 100)} is a public suffix: no cookie can be for all of it")
    cookie = Cookie(
        domain=host,
        path=path,
        name=name,
        value=value,
        is_host_only=is_host_only,
        is_secure=secure.upper() == "TRUE",
        is_http_only=is_http_only,
        is_trusted=True,
        expires=expires if expires > 0 else None,
        created=created,
    )
    if not is_storable(cookie):
        raise ValueError("not a cookie: its name or value cannot be sent, or is longer than 4 KiB")
    return cookie


def _host(domain: str) -> str:
    """As URLs have it."""
    try:
        host = parse(f"http://{domain.removeprefix('.')}/").host
    except InvalidUrl:
        host = ""
    if not host or (any(c in domain for c in "/:@?#") and not domain.startswith("[")):
        raise ValueError(f"{printable(domain, 100)} is no host name")
    return host


def _line(cookie: Cookie) -> str:
    mark = _HTTP_ONLY if cookie.is_http_only else ""
    domain = cookie.domain if cookie.is_host_only else f".{cookie.domain}"
    flags = ["TRUE" if flag else "FALSE" for flag in (not cookie.is_host_only, cookie.is_secure)]
    end = 0 if cookie.expires is None else int(cookie.expires)
    # A tab in a value cannot be told from the end of a part.
    value = cookie.value.replace("\t", " ")
    return f"{mark}{domain}\t{flags[0]}\t{cookie.path}\t{flags[1]}\t{end}\t{cookie.name}\t{value}\n"
