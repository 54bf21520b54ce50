"""Where a crawl from Python keeps its things: the folder that its configuration names, or a temporary one.

A folder is a job like that of the command line: it has settings, seeds, archive, logs and a control socket, and the
next crawl in it goes on where this one was. Its settings become those of the program; seeds that the program adds are
added. A temporary folder holds the frontier only, and is removed.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from gossamer.config import CrawlConfig, check_changes, with_named
from gossamer.errors import ConfigError
from gossamer.jobs import JobDirectory, for_foreground
from gossamer.seeds import Seed
from gossamer.storage import FolderLock
from gossamer.storage.files import storage_errors

REMEDY = "start over with fresh=True (what there is moves aside), or use another folder"


class Place(NamedTuple):
    """A folder that is ready to be crawled in."""

    directory: JobDirectory
    config: CrawlConfig
    seeds: tuple[Seed, ...]


def new_temporary() -> Path:
    """A new temporary folder. Raises StorageError."""
    with storage_errors("could not make a folder in", Path(tempfile.gettempdir())):
        return Path(tempfile.mkdtemp(prefix="gossamer-"))


def remove_temporary(folder: Path) -> None:
    """Remove it; what cannot be removed is left to the system."""
    shutil.rmtree(folder, ignore_errors=True)


def prepare_temporary(folder: Path, config: CrawlConfig, seeds: Iterable[Seed]) -> Place:
    """Make a folder ready that `new_temporary` made. Raises ConfigError, StorageError."""
    given = tuple(seeds)
    _check(given)
    directory = JobDirectory(folder)
    directory.create()
    settings: dict[str, object] = {"warc.enabled": False}
    if config.limits.min_free_space is None:
        # What lies there is small, and /tmp often lies in memory.
        settings["limits.min_free_space"] = 4 * config.durability.log_cap
    for name, path in (
        ("cookies.load", config.cookies.load),
        ("cookies.save", config.cookies.save),
        ("scope.public_suffixes", config.scope.public_suffixes),
    ):
        if path is not None:
            # Nobody can mean the temporary folder, in which a job's relative paths are looked for.
            settings[name] = path.absolute()
    return Place(directory, for_foreground(with_named(config.replace(folder=folder), settings)), given)


def prepare_lasting(folder: Path, config: CrawlConfig, seeds: Iterable[Seed], *, is_fresh: bool) -> Place:
    """Make or check a job's folder. Raises ConfigError, JobInUse, StorageError."""
    given = tuple(seeds)
    directory = JobDirectory(folder)
    if is_fresh and directory.is_job():
        directory.fresh(time.time())
    directory.create()
    with FolderLock(directory.path):
        stored = directory.settings()
        wanted = config.replace(folder=directory.path)
        if directory.has_state():
            check_changes(stored, wanted, REMEDY)
        known = () if is_fresh else tuple(one for one in directory.seeds() if isinstance(one, Seed))
        all_seeds = tuple({seed.url: seed for seed in (*known, *given)}.values())
        _check(all_seeds)
        if is_fresh:
            directory.write_seeds(all_seeds)
        else:
            directory.add_seeds(given)
            directory.sync()
        directory.store_settings(wanted)
    return Place(directory, for_foreground(wanted), all_seeds)


def _check(seeds: tuple[Seed, ...]) -> None:
    if not seeds:
        raise ConfigError("no seed was given; name a URL to begin at: add_seed('https://example.org/')")
