"""JobDirectory: the folder of one job, and what lies where in it.

    gossamer.toml      the settings           logs/crawl.log     one line per settled attempt
    seeds.txt          one seed a line        logs/job.log       what the job itself did
    state/             the store              reports/           written at the end
    warcs/             the archive            spool/             large bodies in flight
    checkpoints/       copies of the store    control.sock       the control API
    lock               who works here

The folder is what a job is: it may be moved, copied when nobody works in it, and gone on with. Nothing in here is ever
deleted by Gossamer: starting over moves the store and the log aside. Its name for a new crawl is made from the host of
the first seed, which a stranger may have chosen, so only harmless characters of it are used.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gossamer.config import FILE_NAME, CrawlConfig, has_secrets, load, render, with_named
from gossamer.control.paths import JobPaths
from gossamer.control.restoring import discard_restored
from gossamer.errors import ConfigError
from gossamer.model.events import SeedRejected
from gossamer.seeds import Seed, read_seeds
from gossamer.storage.files import (
    OWNER_ONLY,
    FolderLock,
    append,
    copy_file,
    ends_with_newline,
    storage_errors,
    sync_file,
    sync_folder,
    write_atomically,
)
from gossamer.url.parse import parse
from gossamer.util.program import program

CRAWLS = Path("crawls")
"""Where `crawl` puts the jobs that were not given a folder."""
LONGEST_NAME = 200
"""Characters of a folder's name; file systems take 255 bytes."""


def default_folder(url: str, base: Path = CRAWLS) -> Path:
    """The job folder of a crawl that begins at `url`: `crawls/example.org`, `crawls/localhost_8080`."""
    parsed = parse(url)
    host = parsed.host.rstrip(".")
    if host.startswith("["):
        host = "ipv6-" + host.strip("[]").replace(":", "-")
    # A host is checked by the parser; that no path can come out of one is worth checking again where it matters.
    name = re.sub(r"[^a-z0-9._-]|^\.", lambda match: f"%{ord(match[0]):02X}", host)
    if parsed.port is not None:
        name += f"_{parsed.port}"
    if len(name) > LONGEST_NAME:
        name = f"{name[: LONGEST_NAME - 17]}-{hashlib.blake2b(name.encode(), digest_size=8).hexdigest()}"
    return base / name


class JobDirectory:
    """The places of one job. Making one touches nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.settings_file = path / FILE_NAME
        self.seeds_file = path / "seeds.txt"
        self.state = path / "state"
        self.warcs = path / "warcs"
        self.logs = path / "logs"
        self.crawl_log = self.logs / "crawl.log"
        self.job_log = self.logs / "job.log"
        self.reports = path / "reports"
        self.spool = path / "spool"
        self.checkpoints = path / "checkpoints"
        self.control_socket = path / "control.sock"
        self.lock = path / FolderLock.NAME
        self._seeds_read: tuple[tuple[int, int, int] | None, set[str]] = (None, set())
        """The version of the seeds file that was read for `add_seeds`, and its URLs."""
        self._has_unsynced_seeds = False

    def paths(self) -> JobPaths:
        """What the crawl itself has to know."""
        return JobPaths(
            folder=self.path,
            state=self.state,
            warcs=self.warcs,
            crawl_log=self.crawl_log,
            spool=self.spool,
            lock=self.lock,
            settings=self.settings_file,
            seeds=self.seeds_file,
            checkpoints=self.checkpoints,
            reports=self.reports,
            logs=self.logs,
        )

    # ---- is it a job?

    def create(self) -> None:
        """Make the folder and those inside it, unless they are there. Raises ConfigError.

        A folder that holds something else than a job is left alone.
        """
        self._check_folder()
        if self.path.exists() and not self.is_job() and (strangers := self._strangers()):
            raise ConfigError(
                f"{self.path} is not a job and not empty (it has {strangers[0]!r}); choose a new folder for the job"
            )
        try:
            for folder in (self.path, self.warcs, self.logs, self.reports, self.spool):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as exc:
            raise ConfigError(f"the job folder {self.path} cannot be made: {exc.strerror or exc}") from exc
        self._check_access()

    def open(self) -> None:
        """Check that a job is here and can be worked on, and make folders that are missing. Raises ConfigError."""
        self._check_folder()
        if not self.path.exists():
            raise ConfigError(
                f"there is no folder {self.path}; `{program()} crawl URL --job {self.path}` makes a job there"
            )
        self._check_access()
        if not self.is_job():
            raise ConfigError(f"{self.path} is not a job: it has neither {FILE_NAME} nor a state folder")
        self.create()

    def is_job(self) -> bool:
        return self.settings_file.exists() or self.has_state()

    def has_state(self) -> bool:
        """Whether a crawl was begun here, so that it can be gone on with."""
        return self.state.is_dir() and any(self.state.iterdir())

    def _check_folder(self) -> None:
        try:
            os.fsencode(self.path).decode()
        except UnicodeError as exc:
            raise ConfigError(
                f"the job folder {str(self.path)!r} has a name that is not UTF-8; choose another"
            ) from exc
        try:
            exists = self.path.exists()
        except OSError as exc:
            raise ConfigError(f"the job folder {self.path} cannot be looked at: {exc.strerror or exc}") from exc
        if exists and not self.path.is_dir():
            raise ConfigError(f"{self.path} is not a folder; a job needs one")

    def _check_access(self) -> None:
        if not os.access(self.path, os.R_OK | os.W_OK | os.X_OK):
            raise ConfigError(f"no permission to read and write in {self.path}; it belongs to another user")

    def _strangers(self) -> list[str]:
        """Names in the folder that are not a job's; a job whose making was interrupted has none."""
        own = {place.name for place in vars(self).values() if isinstance(place, Path)} - {self.path.name}
        return sorted(place.name for place in self.path.iterdir() if place.name not in own)

    # ---- what is in it

    def settings(self) -> CrawlConfig:
        """The stored configuration; the defaults if there is no file. Raises ConfigError."""
        if not self.settings_file.exists():
            return CrawlConfig(folder=self.path)
        return load(self.settings_file)

    def write_settings(self, config: CrawlConfig) -> None:
        """Store a configuration. Raises StorageError."""
        mode = OWNER_ONLY if has_secrets(config) else 0o644
        write_atomically(self.settings_file, render(config, full=True).encode(), mode)

    def seeds(self) -> Iterator[Seed | SeedRejected]:
        """The stored seeds, and lines that are none; nothing if there is no file. Raises ConfigError."""
        try:
            stream = self.seeds_file.open("rb")
        except FileNotFoundError:
            return
        except OSError as exc:
            raise ConfigError(f"{self.seeds_file} cannot be read: {exc.strerror or exc}") from exc
        with stream:
            yield from read_seeds(stream)

    def write_seeds(self, seeds: Iterable[Seed]) -> None:
        """Store the seeds as they were written by the operator. Raises StorageError."""
        write_atomically(self.seeds_file, "".join(f"{seed.text}\n" for seed in seeds).encode())

    # ---- what an operator changes while it runs (control.JobRecord)

    def add_seeds(self, seeds: Sequence[Seed]) -> None:
        """Write further seeds behind those that stand there; durable with `sync`. Raises StorageError, ConfigError.

        A program may add thousands one by one, so the file is neither written anew nor synced for each.
        """
        known = self._known_seeds()
        new = {seed.url: seed.text for seed in seeds if seed.url not in known}
        if not new:
            return
        start = "" if ends_with_newline(self.seeds_file) else "\n"
        append(self.seeds_file, (start + "".join(f"{text}\n" for text in new.values())).encode())
        self._has_unsynced_seeds = True
        known.update(new)
        self._seeds_read = (self._seeds_version(), known)

    def sync(self) -> None:
        """Make durable the seeds that were added; in any thread. Raises StorageError."""
        if self._has_unsynced_seeds:
            self._has_unsynced_seeds = False  # before: what is added meanwhile is left to the next time
            if self.seeds_file.exists():  # an operator may have taken it away
                sync_file(self.seeds_file)
            sync_folder(self.path)

    def _known_seeds(self) -> set[str]:
        """The URLs of the stored seeds, read once for each version of the file: a program may add them one by one."""
        version = self._seeds_version()
        if version is None or version != self._seeds_read[0]:
            self._seeds_read = (version, {one.url for one in self.seeds() if isinstance(one, Seed)})
        return self._seeds_read[1]

    def _seeds_version(self) -> tuple[int, int, int] | None:
        """Another one whenever somebody wrote the file; None if there is none."""
        try:
            found = self.seeds_file.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def change_settings(self, changes: Mapping[str, Any]) -> None:
        """Write some settings anew, by their names; a file with somebody's own comments is copied to `.old` before.

        Raises StorageError, ConfigError.
        """
        stored = self.settings()
        self._keep_handwritten(stored)
        self.write_settings(with_named(stored, changes))

    def store_settings(self, config: CrawlConfig) -> Path | None:
        """Store a configuration unless it is there; where one with somebody's own comments was copied to, if it was.

        Raises StorageError, ConfigError.
        """
        stored = self.settings()
        if config == stored and self.settings_file.exists():
            return None
        copy = self._keep_handwritten(stored)
        self.write_settings(config)
        return copy

    def _keep_handwritten(self, stored: CrawlConfig) -> Path | None:
        if not self.settings_file.exists():
            return None
        with storage_errors("could not copy", self.settings_file):
            written = self.settings_file.read_bytes()
        if written == render(stored, full=True).encode():
            return None
        copy = self.settings_file.with_name(f"{FILE_NAME}.old")
        with storage_errors("could not copy", self.settings_file):
            copy_file(self.settings_file, copy)
        return copy

    def archive_files(self) -> list[Path]:
        """The WARC files, in the order of their names, which begin with the time they were opened."""
        return sorted([*self.warcs.glob("*.warc.gz"), *self.warcs.glob("*.warc.gz.open")])

    # ---- starting over

    def fresh(self, now: float) -> list[Path]:
        """Move the store and the crawl logs aside, at wall time `now`; their new places, none if there was nothing.

        Settings and seeds are copied beside themselves under the same stamp, since they may be written anew. Archive
        files stay where they are. Raises JobInUse, StorageError.
        """
        # The store first: a log without a store can be moved by the next try, a store without its log is damaged.
        places = [place for place in (self.state, *self._crawl_logs()) if place.exists()]
        if not places:
            return []
        with FolderLock(self.path):
            discard_restored(self.paths())
            stamp = self._free_stamp(time.strftime("%Y%m%d%H%M%S", time.gmtime(now)))
            for file in (self.settings_file, self.seeds_file):
                with storage_errors("could not copy", file):
                    if file.exists():
                        copy_file(file, _stamped(file, stamp))
            for place in places:
                with storage_errors("could not move aside", place):
                    place.rename(_stamped(place, stamp))
                sync_folder(place.parent)
        return [_stamped(place, stamp) for place in places]

    def _crawl_logs(self) -> list[Path]:
        """The crawl's log and those with a number."""
        return sorted([*self.logs.glob("crawl.log"), *self.logs.glob("crawl-*.log")])

    def _free_stamp(self, stamp: str) -> str:
        """`stamp`, or the first of `stamp.1`, `stamp.2`, … that was not used yet."""
        number, candidate = 0, stamp
        stamped = (self.state, self.crawl_log, *self._crawl_logs(), self.settings_file, self.seeds_file)
        while any(_stamped(place, candidate).exists() for place in stamped):
            number += 1
            candidate = f"{stamp}.{number}"
        return candidate


def _stamped(path: Path, stamp: str) -> Path:
    return path.with_name(f"{path.name}.{stamp}")
