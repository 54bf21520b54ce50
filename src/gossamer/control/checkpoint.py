"""Checkpoints: named copies of a crawl's state, taken while it runs.

    commit -> every WARC file closed, none leased -> commit -> the store copied by hard links -> the crawl goes on
           -> settings, seeds and statistics copied -> everything synced and read for its digest -> the manifest, last
           -> older ones removed, where only so many are to be kept

Only what stands between the arrows of the first line holds the toes up, and only those that want to write. Crash
safety does not depend on checkpoints: they are for going back. An interrupted one has no manifest and is refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import msgspec

from gossamer.control.committer import Committer
from gossamer.control.manifest import MANIFEST, STATE, Manifest, facts_of, is_name, next_name, remove, surplus
from gossamer.control.paths import JobPaths
from gossamer.errors import ConfigError, StateError, StorageError
from gossamer.frontier import FrontierCounts, LocalFrontier
from gossamer.storage.files import copy_file, storage_errors, sync_file, sync_folder, write_atomically
from gossamer.util.clock import Clock
from gossamer.util.tasks import blocking
from gossamer.version import __version__
from gossamer.warc import WarcPool

log = logging.getLogger(__name__)


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One that was taken."""

    name: str
    path: Path
    counts: FrontierCounts
    stall_seconds: float
    """How long no toe could write."""
    seconds: float
    """From the request to the manifest."""


class Checkpointer:
    """Takes the checkpoints of one open crawl, one at a time."""

    def __init__(
        self,
        paths: JobPaths,
        frontier: LocalFrontier,
        pool: WarcPool | None,
        committer: Committer,
        clock: Clock,
        on_error: Callable[[StorageError], None],
        keep: int | None = None,
    ) -> None:
        """`on_error` hears of failures that are the archive's or the store's, not those of the copy alone.

        `keep` is how many numbered checkpoints stay; None = all.
        """
        self._paths = paths
        self._frontier = frontier
        self._pool = pool
        self._committer = committer
        self._clock = clock
        self._on_error = on_error
        self._keep = keep
        self._lock = asyncio.Lock()
        self._last_seen = (0, 0)

    async def take(self, name: str | None, statistics: Callable[[], bytes]) -> Checkpoint:
        """Take one, called `name` or by its number and time; `statistics` is asked at the moment it shows.

        Raises ConfigError for a name that cannot be used, StateError while another is taken, StorageError.
        """
        if self._lock.locked():
            raise StateError("another checkpoint is being taken")
        async with self._lock:
            began = self._clock.monotonic()
            folder = self._new_folder(name)
            try:
                taken = await self._fill(folder, statistics, began)
            except BaseException as error:
                # Cancelled in its last moment it may be whole already; else nobody could use it, and it holds copies.
                if not (isinstance(error, asyncio.CancelledError) and (folder / MANIFEST).exists()):
                    await blocking(shutil.rmtree, folder, ignore_errors=True)
                raise
            await blocking(self._remove_surplus)
            return taken

    async def run(self, interval_seconds: float | None, take: Callable[[], Awaitable[object]]) -> None:
        """Have one taken at each interval in which something was settled, until cancelled; never if None."""
        if interval_seconds is None:
            return
        self._last_seen = self._progress()
        while True:
            await self._clock.sleep(interval_seconds)
            if self._progress() != self._last_seen:
                self._last_seen = self._progress()
                try:
                    await take()
                except (StateError, StorageError) as error:
                    log.error("no checkpoint was taken: %s", error)

    async def wait_idle(self) -> None:
        """Wait until no checkpoint is being taken."""
        async with self._lock:
            pass

    def _progress(self) -> tuple[int, int]:
        counts = self._frontier.counts()
        return counts.discovered - counts.queued, counts.discovered

    def _new_folder(self, name: str | None) -> Path:
        stamp = time.strftime("%Y%m%d%H%M%S", time.gmtime(self._clock.wall()))
        if name is not None and not is_name(name):
            raise ConfigError(
                f"a checkpoint cannot be called {name[:100]!r}: letters, digits, '.', '_' and '-', at most 100, not 'latest'"
            )
        folder = self._paths.checkpoints / (name or next_name(self._paths.checkpoints, stamp))
        with storage_errors("could not make", folder):
            self._paths.checkpoints.mkdir(exist_ok=True)
            try:
                folder.mkdir()
            except FileExistsError as error:
                raise ConfigError(f"there is a checkpoint {folder.name} already") from error
        return folder

    async def _fill(self, folder: Path, statistics: Callable[[], bytes], began: float) -> Checkpoint:
        await self._commit()
        async with self._standstill() as stopped:
            await self._commit()
            counts = self._frontier.checkpoint(folder / STATE)
            shown, archive = statistics(), tuple(self._frontier.known_files())
        stalled = self._clock.monotonic() - stopped
        taken = self._clock.wall()
        await blocking(self._complete, folder, shown, counts, archive, taken)
        seconds = self._clock.monotonic() - began
        log.info("checkpoint %s taken in %.2f s, %.3f s of it at a standstill", folder.name, seconds, stalled)
        return Checkpoint(name=folder.name, path=folder, counts=counts, stall_seconds=stalled, seconds=seconds)

    def _remove_surplus(self) -> None:
        """Keep the newest; for a thread. What cannot be removed is no reason to fail."""
        if self._keep is None:
            return
        for old in surplus(self._paths.checkpoints, self._keep):
            try:
                remove(old.path)
            except StorageError as error:
                log.warning("%s", error)

    async def _commit(self) -> None:
        try:
            await self._committer.commit()
        except StorageError as error:
            self._on_error(error)
            raise

    @contextlib.asynccontextmanager
    async def _standstill(self) -> AsyncIterator[float]:
        if self._pool is None:
            yield self._clock.monotonic()
            return
        standstill = self._pool.standstill()
        try:
            began = await standstill.__aenter__()
        except StorageError as error:
            self._on_error(error)
            raise
        try:
            yield began
        finally:
            await standstill.__aexit__(None, None, None)

    def _complete(
        self, folder: Path, statistics: bytes, counts: FrontierCounts, archive: tuple[str, ...], taken: float
    ) -> None:
        """All that needs no standstill; for a thread."""
        write_atomically(folder / "statistics.json", statistics)
        for source in (self._paths.settings, self._paths.seeds):
            if source.exists():
                with storage_errors("could not copy", source):
                    copy_file(source, folder / source.name)
        for path in folder.rglob("*"):
            if path.is_file():
                sync_file(path)
        sync_folder(folder / STATE)
        sync_folder(folder)
        manifest = Manifest(
            name=folder.name,
            taken=taken,
            version=__version__,
            counts=counts,
            archive=archive,
            files=facts_of(folder),
        )
        write_atomically(folder / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))
        sync_folder(folder.parent)
