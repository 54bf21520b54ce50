"""The identity form of a URL: two URLs with one identity form are one URL to the crawl.

What is fetched and archived is always the URL as found; this form is only what the seen test is keyed on. The list is
short on purpose, because a rule too many hides pages: a server may tell apart paths by case, repeated parameters, their
order, `www.` and the scheme, so none of that is folded. Each rule below is one function with its reason, takes and
gives an absolute URL as serialized by `url.parse`, and leaves alone what it does not know. The whole is idempotent.
Nearly every URL has none of the characters that could trigger a rule and is returned as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Rule = Callable[[str], str]


def drop_fragment(href: str) -> str:
    """A fragment never reaches the server."""
    return href.partition("#")[0]


def drop_userinfo(href: str) -> str:
    """Credentials say who asks, not what for."""
    start, end = _authority_span(href)
    at = href.rfind("@", start, end)
    return href if at < 0 else href[:start] + href[at + 1 :]


def drop_trailing_dot(href: str) -> str:
    """`example.org.` is `example.org` without the resolver's search list; one server, one page."""
    start, end = _authority_span(href)
    authority = href[start:end]
    if authority.startswith("["):
        return href
    host, colon, port = authority.partition(":")
    return href[:start] + host.rstrip(".") + colon + port + href[end:] if host.endswith(".") else href


_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid)=[^;/]*", re.IGNORECASE)


def drop_path_session(href: str) -> str:
    """`;jsessionid=…` is how servlet containers track a visitor without cookies: another one on each visit."""
    path, mark, query = href.partition("?")
    return _PATH_SESSION.sub("", path) + mark + query if ";" in path else href


_QUERY_SESSION = re.compile(
    r"(?<=[?&])"
    r"(?:jsessionid=[^&]*|phpsessid=[^&]*|aspsessionid[a-z]{8}=[a-z]*"
    r"|sid=[0-9a-f]{32}|cfid=[0-9]+|cftoken=[0-9a-z-]+)"
    r"(?:&|$)",
    re.IGNORECASE,
)


def drop_query_session(href: str) -> str:
    """The same in the query: Java, PHP, ASP, ColdFusion. `sid` alone is a common name, so only 32 hex digits count."""
    path, mark, query = href.partition("?")
    return path + _QUERY_SESSION.sub("", mark + query) if mark else href


def tidy_query(href: str) -> str:
    """`/a?`, `/a?&b`, `/a?b&&c` and `/a?b&` come from careless templates and from the rule above."""
    path, mark, query = href.partition("?")
    if not mark:
        return href
    kept = "&".join(part for part in query.split("&") if part)
    return f"{path}?{kept}" if kept else path


RULES: tuple[Rule, ...] = (
    drop_fragment,
    drop_userinfo,
    drop_trailing_dot,
    drop_path_session,
    drop_query_session,
    tidy_query,
)


def canonicalize(href: str) -> str:
    """The identity form of an absolute URL as serialized by `url.parse`."""
    if not _is_plain(href):
        for rule in RULES:
            href = rule(href)
    return href


def _is_plain(href: str) -> bool:
    """Whether no rule can have anything to do. Every link of every page comes by: `in` is cheaper than a pattern."""
    if ";" in href or "@" in href or "#" in href or "./" in href or ".:" in href:
        return False
    if "?" not in href:
        return True
    if "?&" in href or "&&" in href or href[-1] in "?&":
        return False
    lower = href.lower()
    return not ("sess" in lower or "sid=" in lower or "cfid=" in lower or "cftoken=" in lower)


def _authority_span(href: str) -> tuple[int, int]:
    start = href.find("//") + 2
    end = href.find("/", start)
    return start, len(href) if end < 0 else end
