"""The checkpoints of a job on disk: which there are, and which can be relied on.

    checkpoints/cp00001-20260702101112/
        state/            the store, mostly hard links
        gossamer.toml, seeds.txt, statistics.json
        manifest.json     every file with size and digest; written last, so without it the checkpoint is not one

The links are shared with the store and with other checkpoints: that is what makes them cheap, and why they are no
backup. For that, copy a checkpoint to another disk. Nothing here opens a store; a checkpoint that is damaged or was
interrupted is refused with its reason, whatever the others are like. One is removed manifest first, so that it is no
checkpoint from the first moment on.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from gossamer.errors import ConfigError
from gossamer.frontier import FrontierCounts
from gossamer.storage.files import storage_errors

MANIFEST = "manifest.json"
STATE = "state"
LATEST = "latest"
"""What stands for the newest checkpoint that can be relied on."""
FORMAT = 1

_NUMBER = re.compile(r"cp(\d{5,9})-\d{14}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class FileFacts(msgspec.Struct, frozen=True):
    """What a file must be."""

    size: int
    digest: str
    """BLAKE2b, 128 bits, hexadecimal."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a checkpoint says of itself."""

    format: int = FORMAT
    name: str
    taken: float
    """Wall time."""
    version: str
    """Of the program that took it."""
    counts: FrontierCounts
    """Of that moment; what was in process counts as queued."""
    archive: tuple[str, ...]
    """Files of the job that the store named; nothing was ever appended to them afterwards, but to the crawl log."""
    files: dict[str, FileFacts]
    """By their path inside the checkpoint."""


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the list of checkpoints."""

    name: str
    path: Path
    manifest: Manifest | None
    problem: str = ""
    """Why it cannot be used; files are not looked into for the list."""


def is_name(text: str) -> bool:
    """Whether a checkpoint may be called so."""
    return _NAME.fullmatch(text) is not None and text != LATEST


def next_name(folder: Path, stamp: str) -> str:
    """The name of the next checkpoint; `stamp` is the time as 14 digits."""
    numbers = [int(match[1]) for path in _folders(folder) if (match := _NUMBER.fullmatch(path.name))]
    return f"cp{max(numbers, default=0) + 1:05}-{stamp}"


def list_checkpoints(folder: Path) -> list[Listed]:
    """Those in a job's checkpoints folder, newest first; what was interrupted comes last."""
    found = [_listed(path) for path in _folders(folder)]
    return sorted(found, key=lambda one: (-(one.manifest.taken if one.manifest else 0.0), one.name))


def find_checkpoint(folder: Path, name: str) -> tuple[Listed, list[str]]:
    """The checkpoint `name`, or for `latest` the newest that can be relied on, and why newer ones cannot.

    Every file of it is read. Raises ConfigError with the reason if there is none.
    """
    if name != LATEST:
        if not is_name(name) or not (folder / name).is_dir():
            raise ConfigError(f"there is no checkpoint {name!r} in {folder}; there are: {_names(folder)}")
        listed = _listed(folder / name)
        if problem := listed.problem or _damage(listed):
            raise ConfigError(f"the checkpoint {name} cannot be used: {problem}; there are: {_names(folder)}")
        return listed, []
    refused: list[str] = []
    for listed in list_checkpoints(folder):
        problem = listed.problem or _damage(listed)
        if not problem:
            return listed, refused
        refused.append(f"the checkpoint {listed.name} cannot be used: {problem}")
    raise ConfigError("\n".join([*refused, f"there is no checkpoint in {folder} that can be used"]))


def surplus(folder: Path, keep: int) -> list[Listed]:
    """The numbered checkpoints behind the newest `keep`, and those that were interrupted.

    One that somebody gave a name is kept until somebody removes it.
    """
    numbered = [one for one in list_checkpoints(folder) if _NUMBER.fullmatch(one.name)]
    whole = [one for one in numbered if one.manifest is not None]
    interrupted = [one for one in numbered if one.manifest is None and not (one.path / MANIFEST).exists()]
    return whole[keep:] + interrupted


def remove(checkpoint: Path) -> None:
    """Delete a checkpoint; the store and other checkpoints keep what they share with it. Raises StorageError."""
    with storage_errors("could not remove", checkpoint):
        (checkpoint / MANIFEST).unlink(missing_ok=True)
        shutil.rmtree(checkpoint)


def facts_of(folder: Path) -> dict[str, FileFacts]:
    """Every file below `folder` but the manifest, read; for a thread."""
    facts = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path != folder / MANIFEST:
            facts[path.relative_to(folder).as_posix()] = _facts(path)
    return facts


def _facts(path: Path) -> FileFacts:
    with storage_errors("could not read", path), path.open("rb") as file:
        digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16))
        return FileFacts(file.tell(), digest.hexdigest())


def _folders(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (path for path in sorted(folder.iterdir()) if path.is_dir() and is_name(path.name))


def _names(folder: Path) -> str:
    usable = [one.name for one in list_checkpoints(folder) if one.manifest is not None]
    return ", ".join(usable) or "none"


def _listed(path: Path) -> Listed:
    try:
        raw = (path / MANIFEST).read_bytes()
    except FileNotFoundError:
        return Listed(name=path.name, path=path, manifest=None, problem="it is incomplete: it has no manifest")
    except OSError as error:
        return Listed(name=path.name, path=path, manifest=None, problem=f"its manifest cannot be read: {error}")
    try:
        manifest = msgspec.json.decode(raw, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Listed(name=path.name, path=path, manifest=None, problem="its manifest is damaged")
    if manifest.format != FORMAT:
        problem = f"its format is {manifest.format}, this program knows {FORMAT}"
        return Listed(name=path.name, path=path, manifest=None, problem=problem)
    return Listed(name=path.name, path=path, manifest=manifest)


def _damage(listed: Listed) -> str:
    """The first file that is not what the manifest says; empty if all are."""
    assert listed.manifest is not None
    for name, expected in listed.manifest.files.items():
        path = listed.path / name
        if ".." in Path(name).parts or Path(name).is_absolute():
            return f"its manifest names {name!r}, which lies outside"
        if not path.is_file():
            return f"{name} is missing"
        if path.stat().st_size != expected.size:
            return f"{name} has {path.stat().st_size} bytes instead of {expected.size}"
        if _facts(path) != expected:
            return f"{name} is damaged: its digest differs"
    return ""
