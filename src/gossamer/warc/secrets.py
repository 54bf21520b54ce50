"""What a request record must not keep: credentials always, cookies' values if so configured.

The values are replaced, names and lines stay; the block of such a request record is then not byte for byte what was
sent. Everything else about a request is archived exactly.
"""

from __future__ import annotations

import re

_WITHHELD = b"[withheld]"
_FOLDED_VALUE = rb"[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*"
_CREDENTIALS = re.compile(rb"^((?:proxy-)?authorization[ \t]*:[ \t]*)" + _FOLDED_VALUE, re.IGNORECASE | re.MULTILINE)
_COOKIES = re.compile(rb"^(cookie[ \t]*:[ \t]*)(" + _FOLDED_VALUE + rb")", re.IGNORECASE | re.MULTILINE)


def without_secrets(request: bytes, *, hide_cookies: bool) -> bytes:
    """A request as it may be archived."""
    lowered = request.lower()
    if b"authorization" in lowered:
        request = _CREDENTIALS.sub(rb"\g<1>" + _WITHHELD, request)
    if hide_cookies and b"cookie" in lowered:
        request = _COOKIES.sub(_hide_values, request)
    return request


def _hide_values(match: re.Match[bytes]) -> bytes:
    # A cookie without a name is all value (RFC 6265bis 5.7), so it goes as a whole.
    cookies = [cookie.partition(b"=") for cookie in match[2].split(b";")]
    return match[1] + b";".join(name + b"=" + _WITHHELD if equals else b" " + _WITHHELD for name, equals, _ in cookies)
