"""What came over the wire, in memory and in a spool file."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import DiskFull, StorageError
from gossamer.fetch.recording import SpooledRecording


@given(
    st.lists(st.binary(max_size=300), max_size=20),
    st.integers(0, 2000),
    st.integers(0, 3000),
    st.integers(0, 3000),
)
def test_reading_is_the_same_from_memory_and_from_a_file(
    pieces: list[bytes], spool_above: int, start: int, end: int
) -> None:
    recording = SpooledRecording(spool_above)
    whole = b"".join(pieces)
    for piece in pieces:
        recording.append(piece)
    assert len(recording) == len(whole)
    assert recording.is_spooled == (len(whole) > spool_above)
    assert recording.read() == whole
    assert recording.read(start, end) == whole[start:end]
    assert b"".join(recording.chunks(start, 7)) == whole[start:]
    assert isinstance(recording.read(), bytes)
    recording.close()


def test_reading_and_appending_may_alternate() -> None:
    recording = SpooledRecording(10)
    for number in range(50):
        recording.append(b"%03d" % number)
        assert recording.read(3 * number) == b"%03d" % number
    assert recording.read() == b"".join(b"%03d" % n for n in range(50))
    recording.close()


def test_a_spool_file_has_no_name_and_little_of_it_is_in_memory(tmp_path: Path) -> None:
    recording = SpooledRecording(1000, tmp_path)
    for _ in range(1000):
        recording.append(b"x" * 1000)
        assert len(recording._tail) <= 300_000
    assert recording.is_spooled and list(tmp_path.iterdir()) == []
    recording.close()


def test_closing_gives_the_descriptor_back_and_may_be_repeated(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    recording = SpooledRecording(0, tmp_path)
    recording.append(b"x")
    assert len(os.listdir("/proc/self/fd")) == before + 1
    recording.close()
    recording.close()
    assert len(os.listdir("/proc/self/fd")) == before
    with pytest.raises(ValueError, match="closed"):
        recording.read()


@pytest.mark.parametrize(
    ("number", "error"), [(errno.ENOSPC, DiskFull), (errno.EDQUOT, DiskFull), (errno.EIO, StorageError)]
)
def test_what_the_file_system_refuses_is_a_storage_error(
    number: int, error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "pwrite", refuse)
    recording = SpooledRecording(10, tmp_path)
    with pytest.raises(error) as caught:
        recording.append(b"x" * 11)
    assert type(caught.value) is error and str(tmp_path) in str(caught.value)
    recording.close()


def test_a_missing_spool_folder_is_a_storage_error(tmp_path: Path) -> None:
    recording = SpooledRecording(0, tmp_path / "gone")
    with pytest.raises(StorageError):
        recording.append(b"x")
