"""From what the operator asked for to a job that can be run: seeds, settings, and the folder that holds them.

A new folder is made and given `gossamer.toml` and `seeds.txt`. One that is there already goes on: what was asked for
must fit it (the same seeds, the same scope), and settings that may change are changed in its file. Whatever cannot be
is a ConfigError, before anything was written.
"""

from __future__ import annotations

import ipaddress
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gossamer.config import CrawlConfig, check_changes, check_seeds, with_named
from gossamer.errors import ConfigError
from gossamer.jobs import JobDirectory, default_folder, for_foreground
from gossamer.model.events import SeedRejected
from gossamer.seeds import InvalidSeed, Seed, parse_seed, read_seeds
from gossamer.storage import FolderLock
from gossamer.url import parse
from gossamer.util.program import program

STDIN = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the operator asked for."""

    urls: Sequence[str] = ()
    seeds_file: str | None = None
    """A path, or `-` for standard input."""
    folder: Path | None = None
    """The job folder; None = named after the first seed's host."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """By `group.key`."""
    is_fresh: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A job, ready to be run."""

    directory: JobDirectory
    config: CrawlConfig
    seeds: tuple[Seed, ...]
    rejected: tuple[SeedRejected, ...]
    """What was given as a seed and is none."""
    moved: tuple[Path, ...] = ()
    """Where the store and the log of a crawl before were moved to."""
    kept_settings: Path | None = None
    """Where a gossamer.toml written by hand was copied to before it was changed."""


def prepare(request: Request, on_rejected: Callable[[SeedRejected], None] = lambda rejected: None) -> Prepared:
    """Make or check the job folder. Raises ConfigError, JobInUse, StorageError.

    `on_rejected` hears of each seed that is none, at once: if there is no other, a ConfigError follows.
    """
    given, rejected = _sorted_out(_given_seeds(request), on_rejected)
    if given:
        directory = JobDirectory(request.folder or default_folder(given[0].url))
    elif request.folder is not None and not rejected:
        directory = JobDirectory(request.folder)
        directory.open()
        given, rejected = _sorted_out(directory.seeds(), on_rejected)
    else:
        directory = None
    if directory is None or not given:
        raise ConfigError(_no_seed(request, rejected))
    with_named(directory.settings(), request.settings)  # what is wrong is told before anything moves
    moved = directory.fresh(time.time()) if request.is_fresh else []
    directory.create()
    with FolderLock(directory.path):
        config, kept = _store(directory, given, request)
    return Prepared(
        directory=directory,
        config=for_foreground(config),
        seeds=given,
        rejected=rejected,
        moved=tuple(moved),
        kept_settings=kept,
    )


def needs_contact(config: CrawlConfig, seeds: Iterable[Seed]) -> bool:
    """Whether a stranger's server is asked by a crawler that does not say whose it is."""
    if config.fetching.contact or config.fetching.user_agent:
        return False
    return not all(_is_loopback(parse(seed.url).host) for seed in seeds)


def _given_seeds(request: Request) -> Iterator[Seed | SeedRejected]:
    for text in request.urls:
        try:
            yield parse_seed(text)
        except InvalidSeed as error:
            yield SeedRejected(error.text, error.reason)
    if request.seeds_file == STDIN:
        yield from read_seeds(sys.stdin.buffer)
    elif request.seeds_file is not None:
        try:
            with Path(request.seeds_file).open("rb") as stream:
                yield from read_seeds(stream)
        except OSError as error:
            raise ConfigError(f"the seeds in {request.seeds_file} cannot be read: {error.strerror or error}") from error


def _sorted_out(
    found: Iterable[Seed | SeedRejected], on_rejected: Callable[[SeedRejected], None]
) -> tuple[tuple[Seed, ...], tuple[SeedRejected, ...]]:
    seeds: dict[str, Seed] = {}
    rejected = []
    for one in found:
        if isinstance(one, Seed):
            seeds.setdefault(one.url, one)
        else:
            rejected.append(one)
            on_rejected(one)
    return tuple(seeds.values()), tuple(rejected)


def _no_seed(request: Request, rejected: Sequence[SeedRejected]) -> str:
    if rejected:
        return "none of the seeds can be used"
    if request.seeds_file is not None:
        return f"there is no seed in {'standard input' if request.seeds_file == STDIN else request.seeds_file}"
    if request.folder is not None:
        return f"there is no seed in {request.folder}/seeds.txt; give one: {program()} crawl URL --job {request.folder}"
    return f"no seed was given; name a URL to begin at: {program()} crawl https://example.org/"


def _store(directory: JobDirectory, seeds: tuple[Seed, ...], request: Request) -> tuple[CrawlConfig, Path | None]:
    """Check what was asked for against the folder, then write what is new in it; the settings, and where they were
    kept.
    """
    stored = directory.settings()
    wanted = with_named(stored, request.settings).replace(folder=directory.path)
    known = [one.url for one in directory.seeds() if isinstance(one, Seed)]
    has_same_seeds = set(known) == {seed.url for seed in seeds}
    if known and not request.is_fresh and not has_same_seeds:
        check_seeds(known, [seed.url for seed in seeds])
    if directory.has_state():
        check_changes(stored, wanted)
    if not has_same_seeds:
        directory.write_seeds(seeds)
    return wanted, directory.store_settings(wanted)


def _is_loopback(host: str) -> bool:
    if host.rstrip(".") == "localhost" or host.rstrip(".").endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
