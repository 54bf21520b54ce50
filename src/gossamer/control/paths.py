"""JobPaths: where the parts of one job keep their files. What lies where is decided by `jobs.directory`."""

from __future__ import annotations

from pathlib import Path

import msgspec


class JobPaths(msgspec.Struct, frozen=True):
    """Folders and files of one job; all inside `folder`."""

    folder: Path
    state: Path
    """The store."""
    warcs: Path
    crawl_log: Path
    spool: Path
    """For response bodies too large for memory; unlinked while they are open."""
    lock: Path
    settings: Path
    """gossamer.toml."""
    seeds: Path
    checkpoints: Path
    reports: Path
    logs: Path
