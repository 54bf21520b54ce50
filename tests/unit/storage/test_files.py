from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gossamer.errors import DiskFull, JobInUse, StorageError
from gossamer.storage import FolderLock, free_bytes
from gossamer.storage.files import (
    OWNER_ONLY,
    copy_file,
    remove_durably,
    storage_errors,
    sync_file,
    sync_folder,
    truncate,
    write_atomically,
)

HOLD = """
import sys
from pathlib import Path
from gossamer.errors import JobInUse
from gossamer.storage import FolderLock
try:
    lock = FolderLock(Path(sys.argv[1]))
except JobInUse as refusal:
    print("refused", refusal.pid, flush=True)
else:
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(folder: Path) -> subprocess.Popen[str]:
    """A process that takes the lock, says so, and keeps it until its input ends."""
    return subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_a_second_lock_is_refused_and_names_the_holder(tmp_path: Path) -> None:
    """P14."""
    with FolderLock(tmp_path):
        with pytest.raises(JobInUse) as refusal:
            FolderLock(tmp_path)
        assert refusal.value.pid == os.getpid()
        assert str(os.getpid()) in str(refusal.value)
        assert str(tmp_path) in str(refusal.value)


def test_a_released_lock_can_be_taken_again(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    lock.release()
    lock.release()
    FolderLock(tmp_path).release()


def test_a_lock_held_by_another_process_names_it(tmp_path: Path) -> None:
    """P14."""
    other = holder(tmp_path)
    try:
        assert said(other) == "held"
        with pytest.raises(JobInUse) as refusal:
            FolderLock(tmp_path)
        assert refusal.value.pid == other.pid
    finally:
        end(other)


def test_the_lock_of_a_killed_process_blocks_nobody(tmp_path: Path) -> None:
    """P14."""
    other = holder(tmp_path)
    assert said(other) == "held"
    end(other)
    assert (tmp_path / "lock").read_text().strip() == str(other.pid)
    FolderLock(tmp_path).release()


def test_what_stands_in_a_lock_file_without_a_lock_means_nothing(tmp_path: Path) -> None:
    """P14."""
    for stale in ("1\n", "not a pid", "", f"{os.getpid()}\n"):
        (tmp_path / "lock").write_text(stale)
        FolderLock(tmp_path).release()


def test_of_many_that_race_for_a_lock_one_wins(tmp_path: Path) -> None:
    """P14."""
    for turn in range(3):
        folder = tmp_path / str(turn)
        folder.mkdir()
        racers = [holder(folder) for _ in range(6)]
        try:
            answers = [said(racer).split() for racer in racers]
            winners = [racer.pid for racer, answer in zip(racers, answers, strict=True) if answer[0] == "held"]
            assert len(winners) == 1
            assert all(answer[1] == str(winners[0]) for answer in answers if answer[0] == "refused")
        finally:
            for racer in racers:
                end(racer)


def test_a_folder_that_is_not_there_cannot_be_locked(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="lock"):
        FolderLock(tmp_path / "none")


def test_an_atomic_write_makes_and_replaces(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"one")
    write_atomically(path, b"two" * 100_000)
    assert path.read_bytes() == b"two" * 100_000
    assert list(tmp_path.iterdir()) == [path]


def test_an_atomic_write_that_fails_leaves_the_old_content(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"one")
    (tmp_path / "file.new").mkdir()
    with pytest.raises(StorageError, match="could not write"):
        write_atomically(path, b"two")
    assert path.read_bytes() == b"one"


def test_truncate_cuts_but_never_grows(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    truncate(path, 4)
    assert path.read_bytes() == b"0123"
    truncate(path, 100)
    assert path.read_bytes() == b"0123"
    with pytest.raises(StorageError):
        truncate(tmp_path / "none", 0)


def test_removing_what_is_not_there_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x")
    remove_durably(path)
    remove_durably(path)
    assert not path.exists()


def test_files_and_folders_can_be_synced_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    sync_file(tmp_path / "file")
    sync_folder(tmp_path)
    with pytest.raises(StorageError, match="none"):
        sync_file(tmp_path / "none")
    with pytest.raises(StorageError):
        sync_folder(tmp_path / "file")


@pytest.mark.parametrize(
    ("number", "kind"), [(errno.ENOSPC, DiskFull), (errno.EDQUOT, DiskFull), (errno.EIO, StorageError)]
)
def test_errors_of_the_system_say_what_was_done_to_which_file(number: int, kind: type[StorageError]) -> None:
    with pytest.raises(StorageError) as raised, storage_errors("could not write", Path("/a/file")):
        raise OSError(number, os.strerror(number))
    assert type(raised.value) is kind
    assert str(raised.value) == f"could not write /a/file: {os.strerror(number)}"


def test_free_space_is_what_this_user_may_write(tmp_path: Path) -> None:
    facts = os.statvfs(tmp_path)
    assert 0 <= free_bytes(tmp_path) <= facts.f_blocks * facts.f_frsize
    with pytest.raises(StorageError):
        free_bytes(tmp_path / "none")


def test_a_copy_is_readable_for_no_more_people_than_its_source(tmp_path: Path) -> None:
    write_atomically(tmp_path / "secret", b"x", OWNER_ONLY)
    (tmp_path / "copy").write_bytes(b"an older, longer one, open to all")
    (tmp_path / "copy").chmod(0o644)
    copy_file(tmp_path / "secret", tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b"x"
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("secret", "copy")] == [0o600, 0o600]
