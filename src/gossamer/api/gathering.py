"""Gathering: seeds and known URLs as a program gives them, before the crawl begins.

What cannot be used is refused at once, in the caller's own line. The doc ids that a program wants must rise.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import BinaryIO, cast

from gossamer.control import Noted
from gossamer.errors import ConfigError
from gossamer.model.crawluri import checked_priority
from gossamer.model.events import SeedRejected
from gossamer.seeds import InvalidSeed, Seed, parse_seed, read_seeds
from gossamer.util.terminal import printable

MAX_DOCID = 2**63 - 1
MAX_TOLD = 10
"""Bad lines of a seed file that are told one by one."""

SeedsSource = str | PathLike[str] | BinaryIO | Iterable[str]
"""A file by its name, an open one (binary), or the seeds themselves."""


class Gathering:
    """What a crawl is to begin with."""

    def __init__(self) -> None:
        self.seeds: dict[str, Seed] = {}
        self.noted: dict[str, Noted] = {}
        self._last_docid = 0

    def add_seed(self, seed: Seed) -> None:
        """Take a seed; one that is known already is left out. Raises ValueError for a doc id that does not rise."""
        if seed.url not in self.seeds:
            self._check_docid(seed.docid)
            self.seeds[seed.url] = seed

    def note_seen(self, noted: Noted) -> None:
        """Take a URL that counts as known. Raises ValueError for a doc id that does not rise."""
        if noted.url not in self.noted:
            self._check_docid(noted.docid)
            self.noted[noted.url] = noted

    def _check_docid(self, docid: int | None) -> None:
        if docid is None:
            return
        if docid <= self._last_docid:
            raise ValueError(f"doc id {docid} does not rise above {self._last_docid}")
        self._last_docid = docid


def seed_of(url: str, docid: int | None, priority: int | None = None) -> Seed:
    """Raises ConfigError for what is no URL that can be crawled, ValueError for what is no doc id or no priority."""
    try:
        seed = _parsed(url)
    except InvalidSeed as error:
        raise ConfigError(str(error)) from None
    if priority is not None:
        checked_priority(priority)
    return Seed(seed.text, seed.url, seed.fallback_url, docid=checked_docid(docid), priority=priority)


def noted_of(url: str, docid: int | None) -> Noted:
    """Raises as `seed_of`."""
    return Noted(seed_of(url, None).url, checked_docid(docid))


def _parsed(url: str) -> Seed:
    """Raises TypeError for what is no text, InvalidSeed for what is no URL."""
    if not isinstance(url, str):
        raise TypeError(f"a URL is a str, not {printable(repr(url), 100)}")
    return parse_seed(url)


def checked_docid(docid: int | None) -> int | None:
    """Raises ValueError."""
    if docid is not None and (isinstance(docid, bool) or not isinstance(docid, int) or not 0 < docid <= MAX_DOCID):
        raise ValueError(f"a doc id is a whole number from 1 to 2**63-1, not {docid!r}")
    return docid


def seeds_of(source: SeedsSource) -> list[Seed]:
    """All seeds of a file or a list. Raises ConfigError, which names what is none, by its line in a file."""
    found = list(_read(source))
    rejected = [one for one in found if isinstance(one, SeedRejected)]
    if rejected:
        told = [_sentence(one) for one in rejected[:MAX_TOLD]]
        if len(rejected) > MAX_TOLD:
            told.append(f"… and {len(rejected) - MAX_TOLD} more")
        raise ConfigError("\n".join(told))
    return [one for one in found if isinstance(one, Seed)]


def _read(source: SeedsSource) -> Iterable[Seed | SeedRejected]:
    if isinstance(source, str) and "://" in source:
        raise ConfigError(f"{source[:200]!r} is a URL; add_seeds takes a file or a list, add_seed takes one URL")
    if isinstance(source, str | os.PathLike):
        try:
            with Path(source).open("rb") as stream:
                return list(read_seeds(stream))
        except OSError as error:
            raise ConfigError(f"the seeds in {os.fspath(source)} cannot be read: {error.strerror or error}") from error
    if hasattr(source, "readline"):
        return read_seeds(cast(BinaryIO, source))
    if not isinstance(source, Iterable):
        raise TypeError(f"seeds are a file or a list of URLs, not {printable(repr(source), 100)}")
    return [_seed_or_rejected(text) for text in source]


def _seed_or_rejected(text: str) -> Seed | SeedRejected:
    try:
        return _parsed(text)
    except InvalidSeed as error:
        return SeedRejected(error.text, error.reason, None)


def _sentence(rejected: SeedRejected) -> str:
    place = f"line {rejected.line}: " if rejected.line is not None else ""
    return f"{place}{rejected.text!r} is not a seed: {rejected.reason}"
