"""Restoring: a job's store is replaced by the copy in a checkpoint. Nothing that was there is deleted.

    checkpoint/state --copied, hard links where nothing changes--> state.restoring --its open files closed--> state.restored
    state -> state.STAMP          state.restored -> state

Killed before the last line nothing has happened; killed inside it, the next start does the rest. The archive is not
touched: files that were open at the checkpoint, or came later, stay as they are, and the next run begins new ones (with
serial numbers above all of them) and a new crawl log. Settings and seeds stay those of now; those of then lie in the
checkpoint.
"""

from __future__ import annotations

import logging
import os
import shutil
import time
from pathlib import Path

import msgspec

from gossamer.control.manifest import STATE, Manifest, find_checkpoint
from gossamer.control.paths import JobPaths
from gossamer.errors import StorageError
from gossamer.frontier import FAMILIES, close_files
from gossamer.frontier.journal import SUSPECT_NOTE
from gossamer.storage import FolderLock, RocksKV
from gossamer.storage.files import storage_errors, sync_file, sync_folder

log = logging.getLogger(__name__)

_NEVER_CHANGED = frozenset({".sst", ".blob"})
"""Files that RocksDB writes once: a link is as good as a copy."""


class Restored(msgspec.Struct, frozen=True, kw_only=True):
    """What was done."""

    manifest: Manifest
    moved: Path | None
    """Where the store that was there is now; None if there was none."""
    refused: tuple[str, ...]
    """Newer checkpoints that could not be used, each with its reason."""


def restore(paths: JobPaths, name: str, now: float) -> Restored:
    """Go back to the checkpoint `name`, or `latest`, at wall time `now`; for a thread.

    Raises ConfigError if it cannot be used, JobInUse, StorageError; the store is then as it was.
    """
    with FolderLock(paths.folder):
        finish_restoring(paths)
        listed, refused = find_checkpoint(paths.checkpoints, name)
        assert listed.manifest is not None
        draft = _beside(paths, "restoring")
        shutil.rmtree(draft, ignore_errors=True)
        _copy(listed.path / STATE, draft)
        _settle(draft)
        with storage_errors("could not make ready", draft):
            draft.rename(_restored(paths))
        sync_folder(paths.folder)
        moved = _move_aside(paths, now)
        finish_restoring(paths)
    if moved is not None:
        log.warning("went back to checkpoint %r; the newer state is in %s", listed.name, moved.name)
    else:
        log.warning("went back to checkpoint %r", listed.name)
    return Restored(manifest=listed.manifest, moved=moved, refused=tuple(refused))


def finish_restoring(paths: JobPaths) -> None:
    """Do what is left of a restoring that was interrupted, holding the folder's lock. Raises StorageError."""
    ready = _restored(paths)
    if not ready.exists():
        return
    if paths.state.exists():
        # It never came to the exchange: whoever wanted it was told so, or was killed, and can ask again.
        discard_restored(paths)
        return
    suspect = _beside(paths, SUSPECT_NOTE)
    with storage_errors("could not put in place", ready):
        if suspect.exists():
            suspect.rename(_free(_beside(paths, f"before-restore.{SUSPECT_NOTE}")))
        ready.rename(paths.state)
    sync_folder(paths.folder)


def discard_restored(paths: JobPaths) -> None:
    """Forget a restoring that was prepared and not carried out; what is removed is a copy."""
    with storage_errors("could not remove", _restored(paths)):
        if _restored(paths).exists():
            shutil.rmtree(_restored(paths))


def _restored(paths: JobPaths) -> Path:
    return _beside(paths, "restored")


def _beside(paths: JobPaths, suffix: str) -> Path:
    return paths.state.with_name(f"{paths.state.name}.{suffix}")


def _copy(source: Path, target: Path) -> None:
    with storage_errors("could not copy to", target):
        target.mkdir()
        for file in source.iterdir():
            if file.suffix in _NEVER_CHANGED and _is_linked(file, target / file.name):
                continue
            shutil.copyfile(file, target / file.name)
            sync_file(target / file.name)
    sync_folder(target)


def _is_linked(file: Path, target: Path) -> bool:
    try:
        os.link(file, target)
    except OSError:
        # Another file system, or one without links: a copy does as well.
        return False
    return True


def _settle(draft: Path) -> None:
    """Have the copy name no file as open, which also shows that it can be opened."""
    store = RocksKV(draft, FAMILIES)
    try:
        close_files(store)
    finally:
        store.close()


def _move_aside(paths: JobPaths, now: float) -> Path | None:
    if not paths.state.exists():
        return None
    moved = _free(_beside(paths, time.strftime("%Y%m%d%H%M%S", time.gmtime(now))))
    with storage_errors("could not move aside", paths.state):
        paths.state.rename(moved)
    sync_folder(paths.folder)
    return moved


def _free(path: Path) -> Path:
    """`path`, or the first of `path.1`, `path.2`, … that is not taken."""
    for number in range(10_000):
        candidate = path.with_name(f"{path.name}.{number}") if number else path
        if not candidate.exists():
            return candidate
    raise StorageError(f"there are too many files called like {path}; remove some")
