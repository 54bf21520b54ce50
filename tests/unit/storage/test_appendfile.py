"""AppendFile: all or nothing, whatever the system does to a write."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from gossamer.errors import DiskFull, StorageError
from gossamer.storage import appendfile
from gossamer.storage.appendfile import AppendFile


@pytest.fixture
def file(tmp_path: Path):
    opened = AppendFile(tmp_path / "log", create=True)
    yield opened
    opened.close()


def test_appends_stand_one_behind_the_other(file: AppendFile) -> None:
    assert file.append(b"one") == (0, 3)
    assert file.append(b"four") == (3, 7)
    assert file.position == 7
    assert file.path.read_bytes() == b"onefour"


def test_an_append_is_one_write(file: AppendFile, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def counting(descriptor: int, data: bytes, offset: int) -> int:
        sizes.append(len(data))
        return os.pwrite(descriptor, data, offset)

    monkeypatch.setattr(appendfile, "write_at", counting)
    file.append(b"x" * 100_000)
    assert sizes == [100_000]


def test_short_writes_are_gone_on_with(file: AppendFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(appendfile, "write_at", lambda fd, data, offset: os.pwrite(fd, data[:7], offset))
    data = bytes(range(256))
    assert file.append(data) == (0, 256)
    assert file.path.read_bytes() == data


def test_a_write_that_writes_nothing_is_an_error_and_no_endless_loop(
    file: AppendFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(appendfile, "write_at", lambda fd, data, offset: 0)
    with pytest.raises(StorageError):
        file.append(b"data")
    assert file.position == 0


@pytest.mark.parametrize(
    ("code", "kind"), [(errno.ENOSPC, DiskFull), (errno.EDQUOT, DiskFull), (errno.EIO, StorageError)]
)
def test_a_failed_write_leaves_nothing_behind(
    file: AppendFile, monkeypatch: pytest.MonkeyPatch, code: int, kind: type[StorageError]
) -> None:
    file.append(b"before")

    def half_then_fail(descriptor: int, data: bytes, offset: int) -> int:
        if offset > 6:
            raise OSError(code, os.strerror(code))
        return os.pwrite(descriptor, data[:2], offset)

    with monkeypatch.context() as patched:
        patched.setattr(appendfile, "write_at", half_then_fail)
        with pytest.raises(kind, match="log") as raised:
            file.append(b"torn")
    assert type(raised.value) is kind
    assert file.path.read_bytes() == b"before"
    assert file.append(b"after") == (6, 11)
    assert file.path.read_bytes() == b"beforeafter"


def test_what_could_not_be_cut_is_cut_before_the_next_append(file: AppendFile, monkeypatch: pytest.MonkeyPatch) -> None:
    file.append(b"before")

    def fails(descriptor: int, size: int) -> None:
        raise OSError(errno.EIO, "no")

    with monkeypatch.context() as patched:
        patched.setattr(os, "ftruncate", fails)
        with pytest.raises(StorageError, match="cut"):
            file.rollback(3)
        with pytest.raises(StorageError):
            file.append(b"x")
    assert file.position == 3
    file.append(b"X")
    assert file.path.read_bytes() == b"befX"


def test_an_exception_in_the_making_of_a_piece_undoes_the_pieces_before(file: AppendFile) -> None:
    file.append(b"before")

    def pieces():
        yield b"first"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        file.append_all(pieces())
    assert file.path.read_bytes() == b"before"
    assert file.position == 6


def test_opening_cuts_what_lies_behind_the_stores_tail(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"settled" + b"unsettled")
    file = AppendFile(path, 7)
    assert path.read_bytes() == b"settled"
    assert file.append(b"!") == (7, 8)
    file.close()


def test_a_file_that_lost_what_the_store_has_recorded_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"short")
    with pytest.raises(StorageError, match="ends at 5"):
        AppendFile(path, 6)
    assert path.read_bytes() == b"short"


def test_a_new_file_never_takes_the_place_of_an_old_one(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"old")
    with pytest.raises(StorageError, match="could not open"):
        AppendFile(path, create=True)
    assert path.read_bytes() == b"old"


def test_positions_beyond_four_gigabytes_work(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.touch()
    start = 5 * 1024**3
    os.truncate(path, start)
    file = AppendFile(path, start)
    assert file.append(b"end") == (start, start + 3)
    file.rollback(start)
    assert path.stat().st_size == start
    file.close()


def test_closing_twice_is_harmless(file: AppendFile) -> None:
    file.sync()
    file.close()
    file.close()
