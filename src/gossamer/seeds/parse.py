"""Seeds: where a crawl begins, as an operator writes them down.

A seed file, or standard input, has one URL a line; empty lines, and what follows a `#` at the beginning or after white
space, are left out. It may be of any size: it is read line by line in bounded memory. Each line becomes a `Seed` or,
if it cannot be one, a `SeedRejected` with its number and the reason; nothing is lost without a word. Repeats are left
out, the first stays; in a very long file only those near each other are noticed, and the frontier drops the rest.

A bare `example.com/path` means https, and http where no secure connection can be made: the second URL travels as
`fallback_url`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from gossamer.errors import ConfigError
from gossamer.model.events import SeedRejected
from gossamer.url.parse import InvalidUrl, parse
from gossamer.util.terminal import printable

MAX_LINE = 65_536
"""Bytes; a longer line is refused without being kept. No longer than the longest URL that can be parsed."""
REMEMBERED = 100_000
"""Distinct seeds among which repeats are noticed; about 12 MB."""

_SHOWN = 200
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_HTTP = re.compile(r"https?:", re.IGNORECASE)
# `example.com:8080/path` begins like a scheme, but what follows the colon is a port.
_HOST_AND_PORT = re.compile(r"[^/?@]+:[0-9]+(?:[/?]|$)")
_COMMENT = re.compile(r"(?:^|\s)#.*")


class Seed(msgspec.Struct, frozen=True):
    """One place to begin at."""

    text: str
    """As the operator wrote it, without white space around; printable."""
    url: str
    """Parsed and serialized, without fragment."""
    fallback_url: str | None = None
    """To be tried if no connection to `url` can be made; None = none."""
    line: int | None = None
    """Its line in the file it came from."""
    docid: int | None = None
    """The doc id that the operator wants it to have; None = the next one."""
    priority: int | None = None
    """When its turn comes among the URLs of its host, 0 first, 255 last; None = as a seed."""


class InvalidSeed(ConfigError):
    """A seed cannot be used."""

    def __init__(self, text: str, reason: str) -> None:
        self.text = printable(text, _SHOWN)
        self.reason = printable(reason, _SHOWN)
        super().__init__(f"{self.text!r} is not a seed: {self.reason}")

    def __reduce__(self) -> tuple[type[InvalidSeed], tuple[str, str]]:
        return type(self), (self.text, self.reason)


def parse_seed(text: str, line: int | None = None) -> Seed:
    """The seed in one text, comments excluded. Raises InvalidSeed."""
    text = text.strip()
    try:
        url, fallback_url = _urls(text)
    except ValueError as exc:
        raise InvalidSeed(text, str(exc)) from exc
    return Seed(text, url, fallback_url, line)


def _urls(text: str) -> tuple[str, str | None]:
    """The URL to try and its fallback. Raises ValueError with the reason."""
    _check_characters(text)
    if _HTTP.match(text):
        return _http_url(text), None
    if (scheme := _SCHEME.match(text)) and not _HOST_AND_PORT.match(text):
        raise ValueError(f"only http and https can be crawled, not {scheme[1].lower()[:20]}")
    bare = text.removeprefix("//")
    if bare.startswith("/"):
        raise ValueError("a path without a host; write the whole URL")
    return _http_url(f"https://{bare}"), _http_url(f"http://{bare}")


def _check_characters(text: str) -> None:
    if not text:
        raise ValueError("empty")
    # A browser's parser drops tabs and line breaks inside a URL, which would join two seeds into one.
    if any(c.isspace() for c in text):
        raise ValueError("white space inside; one URL a line, and %20 for a space in it")
    if not text.isprintable():
        raise ValueError("control characters or invisible ones inside")


def _http_url(text: str) -> str:
    try:
        url = parse(text)
    except InvalidUrl as exc:
        # It repeats the text, as whoever reports a bad seed does.
        raise ValueError(str(exc).partition(": ")[0]) from exc
    # The URL goes into the archive and the log: a password in it would be published.
    if "@" in url.href.split("/", 3)[2]:
        raise ValueError("a user name in front of the host; credentials are not taken from URLs")
    return url.href


def read_seeds(stream: BinaryIO) -> Iterator[Seed | SeedRejected]:
    """Each seed of a file, and each line that cannot be one, in order. Memory is bounded whatever the file holds."""
    known: dict[bytes, None] = {}
    for number, raw in _numbered_lines(stream):
        if number == 1 and raw is not None and raw.startswith(_UTF16_MARKS):
            yield SeedRejected("", "the file is UTF-16; save it as UTF-8", 1)
            return
        found = _read_line(number, raw)
        if found is None:
            continue
        if isinstance(found, Seed) and _is_repeat(found.url, known):
            continue
        yield found


def _read_line(number: int, raw: bytes | None) -> Seed | SeedRejected | None:
    """What one line holds; None for nothing. `raw` None stands for a line that is too long."""
    if raw is None:
        return SeedRejected("", f"longer than {MAX_LINE} bytes", number)
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as exc:
        shown = printable(raw.decode("utf-8", "replace").strip(), _SHOWN)
        return SeedRejected(shown, f"not UTF-8 text (byte 0x{raw[exc.start]:02x})", number)
    text = _COMMENT.sub("", text.strip()).strip()
    if not text:
        return None
    try:
        return parse_seed(text, number)
    except InvalidSeed as exc:
        return SeedRejected(exc.text, exc.reason, number)


def _is_repeat(url: str, known: dict[bytes, None]) -> bool:
    """Whether `url` is among `known`, which then holds it, and forgets its oldest beyond REMEMBERED."""
    digest = hashlib.blake2b(url.encode(), digest_size=16).digest()
    if digest in known:
        return True
    known[digest] = None
    if len(known) > REMEMBERED:
        del known[next(iter(known))]
    return False


def _numbered_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """(number, line without its end), None for a line longer than MAX_LINE, which is read past piece by piece."""
    number = 0
    while raw := stream.readline(MAX_LINE + 2):
        number += 1
        is_too_long = len(raw.rstrip(b"\r\n")) > MAX_LINE
        while raw and not raw.endswith(b"\n") and len(raw) == MAX_LINE + 2:
            is_too_long = True
            raw = stream.readline(MAX_LINE + 2)
        yield number, None if is_too_long else raw.rstrip(b"\r\n")
