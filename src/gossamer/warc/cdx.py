"""CDXJ: one line for each capture of a WARC file, the index that pywb and other replay tools read.

    org,example)/page?a=1 20260702101112 {"url": …, "mime": …, "status": …, "digest": …, "length": …, "offset": …}

The key is the URL with its host reversed, everything in lower case, `www.` and the trailing slash left out and the
parameters sorted, so that the usual spellings of one page sort together. For ordinary URLs it is the key that the
`surt` package makes; it does not undo percent-encoding and knows no session ids.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from gossamer.storage.files import storage_errors
from gossamer.url import InvalidUrl, Url, is_ip_host, parse
from gossamer.warc.naming import OPEN_SUFFIX
from gossamer.warc.reader import RecordFacts, WarcReader

_CAPTURES = frozenset({"response", "revisit", "resource"})
_WWW = re.compile(r"^www\d*\.")
_NOT_DIGITS = re.compile(r"\D")
_MIME_END = re.compile(r"[;\s]")


def cdxj_lines(path: Path) -> Iterator[str]:
    """The captures of a file, in its own order, each line without its end.

    Raises DamagedRecord where the file stops being whole, and StorageError if it cannot be read.
    """
    name = path.name.removesuffix(OPEN_SUFFIX)
    with storage_errors("could not read", path), path.open("rb") as file:
        reader = WarcReader(file)
        while not reader.is_at_end():
            facts = reader.read()
            if facts.kind in _CAPTURES:
                yield _line(facts, name)


def _line(facts: RecordFacts, file_name: str) -> str:
    url = facts.headers.get("warc-target-uri", "")
    fields = {
        "url": url,
        "mime": _mime(facts),
        "status": str(facts.http_status) if facts.http_status is not None else "",
        "digest": facts.headers.get("warc-payload-digest", ""),
        "length": str(facts.end - facts.start),
        "offset": str(facts.start),
        "filename": file_name,
    }
    moment = _NOT_DIGITS.sub("", facts.headers.get("warc-date", ""))[:14]
    return f"{url_key(url)} {moment} {json.dumps({name: value for name, value in fields.items() if value})}"


def _mime(facts: RecordFacts) -> str:
    if facts.kind == "revisit":
        return "warc/revisit"
    headers = facts.http_headers if facts.http_status is not None else facts.headers
    return _MIME_END.split(headers.get("content-type", ""), maxsplit=1)[0]


def url_key(url: str) -> str:
    """What a URL is sorted and found by."""
    try:
        parsed = parse(url)
    except InvalidUrl:
        return url
    path = parsed.path.rstrip("/") or "/"
    query = "&".join(sorted(parsed.query[1:].split("&"))) if len(parsed.query) > 1 else ""
    return f"{_reversed_host(parsed)}){path}{'?' if query else ''}{query}".lower()


def _reversed_host(url: Url) -> str:
    port = "" if url.port is None else f":{url.port}"
    if url.host.startswith("["):
        return url.host.strip("[]") + port
    host = url.host if is_ip_host(url.host) else _WWW.sub("", url.host)
    return ",".join(reversed(host.rstrip(".").split("."))) + port
