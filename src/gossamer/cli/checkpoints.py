"""The checkpoints of a job on its disk: `gossamer checkpoint --list` and `--remove`; the job may run meanwhile."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from gossamer.cli.client import check_is_job, running_pid
from gossamer.cli.exitcodes import ExitCode
from gossamer.cli.output import Output
from gossamer.cli.tables import Table
from gossamer.control import Listed, list_checkpoints
from gossamer.control import remove as remove_checkpoint
from gossamer.errors import ConfigError
from gossamer.jobs import JobDirectory


def show(folder: Path, is_json: bool) -> int:
    """Which there are, newest first, and what is wrong with those that cannot be used."""
    found = list_checkpoints(_folder_of(folder))
    output = Output(sys.stdout)
    if is_json:
        output.line(json.dumps({"checkpoints": [_as_object(one) for one in found]}))
        return ExitCode.FINISHED
    rows = [(one.name, _taken(one), _succeeded(one), _queued(one), one.problem) for one in found]
    table = Table(("name", "taken (UTC)", "succeeded", "queued", "problem"), rows, empty="There is no checkpoint.")
    output.line(table.to_text(output))
    return ExitCode.FINISHED


def remove(folder: Path, name: str, is_json: bool) -> int:
    """Delete one. Raises ConfigError if there is none of that name, StorageError."""
    found = {one.name: one for one in list_checkpoints(_folder_of(folder))}
    chosen = found.get(name)
    if chosen is None:
        raise ConfigError(f"there is no checkpoint {name!r}; there are: {', '.join(found) or 'none'}")
    if chosen.manifest is None and running_pid(folder) is not None:
        raise ConfigError(f"the checkpoint {name} may just be being taken; remove it when the job has ended")
    remove_checkpoint(chosen.path)
    output = Output(sys.stdout)
    output.line(json.dumps({"removed": name}) if is_json else f"{name} removed")
    return ExitCode.FINISHED


def _folder_of(folder: Path) -> Path:
    check_is_job(folder)
    return JobDirectory(folder).checkpoints


def _as_object(one: Listed) -> dict[str, object]:
    return {
        "name": one.name,
        "taken": one.manifest.taken if one.manifest else None,
        "version": one.manifest.version if one.manifest else "",
        "queued": _queued(one),
        "succeeded": _succeeded(one),
        "problem": one.problem,
    }


def _taken(one: Listed) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(one.manifest.taken)) if one.manifest else "-"


def _succeeded(one: Listed) -> int:
    return one.manifest.counts.succeeded if one.manifest else 0


def _queued(one: Listed) -> int:
    return one.manifest.counts.queued if one.manifest else 0
