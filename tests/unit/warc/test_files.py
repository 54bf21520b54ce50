"""ArchiveFiles: what recovery and commits ask."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.config import Warc
from gossamer.errors import StorageError
from gossamer.frontier.recovery import ArchiveFiles as RecoveryFiles
from gossamer.model.attempt import Attempt
from gossamer.model.disposition import Span
from gossamer.warc import ArchiveFiles, RecordBuilder
from gossamer.warc.writer import WarcFile

NAME = "warcs/X.warc.gz"
LOG = "logs/crawl.log"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "warcs").mkdir()
    (tmp_path / "logs").mkdir()
    return tmp_path


def test_it_is_what_recovery_asks_for(folder: Path) -> None:
    files: RecoveryFiles = ArchiveFiles(folder)
    assert files.size(NAME) is None


def test_a_file_is_found_under_both_of_its_names(folder: Path) -> None:
    files = ArchiveFiles(folder)
    opened = folder / f"{NAME}.open"
    opened.write_bytes(b"1234")
    assert files.size(NAME) == 4
    assert not files.is_final(NAME)
    files.sync(NAME)
    opened.rename(folder / NAME)
    assert files.size(NAME) == 4
    assert files.is_final(NAME)
    files.sync_all([NAME])


def test_a_log_is_never_final(folder: Path) -> None:
    (folder / LOG).write_bytes(b"line\n")
    assert ArchiveFiles(folder).size(LOG) == 5
    assert not ArchiveFiles(folder).is_final(LOG)


def test_cutting_never_makes_a_file_longer(folder: Path) -> None:
    files = ArchiveFiles(folder)
    (folder / NAME).write_bytes(b"123456")
    files.truncate(NAME, 4)
    files.truncate(NAME, 10)
    assert (folder / NAME).read_bytes() == b"1234"


def test_a_file_that_is_gone_cannot_be_cut_or_synced(folder: Path) -> None:
    files = ArchiveFiles(folder)
    with pytest.raises(StorageError, match="is gone"):
        files.truncate(NAME, 0)
    with pytest.raises(StorageError, match="is gone"):
        files.sync(NAME)
    assert not files.is_whole(Span(NAME, 0, 1, "urn:uuid:x"))


def test_a_file_renamed_while_it_is_synced_is_synced_under_its_new_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = folder / f"{NAME}.open"
    opened.write_bytes(b"x")
    real_open, renamed = os.open, []

    def renaming(path: Path, flags: int, *mode: int) -> int:
        if not renamed:
            renamed.append(opened.rename(folder / NAME))
        return real_open(path, flags, *mode)

    monkeypatch.setattr(os, "open", renaming)
    ArchiveFiles(folder).sync(NAME)
    assert renamed


def test_records_are_whole_under_both_names(folder: Path, attempt: Callable[..., Attempt]) -> None:
    file = WarcFile(folder, NAME, 0, 2, create=True)
    tried = attempt()
    spans = file.append(RecordBuilder(Warc()).capture(tried.exchange, tried).records)
    files = ArchiveFiles(folder)
    assert all(files.is_whole(span) for span in spans)
    file.finish()
    assert all(files.is_whole(span) for span in spans)
    files.truncate(NAME, spans[-1].end - 1)
    assert [files.is_whole(span) for span in spans] == [True, True, False]


def test_a_line_is_whole_when_it_ends_and_holds_no_zeros(folder: Path) -> None:
    files = ArchiveFiles(folder)
    (folder / LOG).write_bytes(b"one\ntwo\nthree")
    assert files.is_whole(Span(LOG, 0, 4))
    assert files.is_whole(Span(LOG, 4, 8))
    assert not files.is_whole(Span(LOG, 8, 13))
    assert not files.is_whole(Span(LOG, 8, 14))
    (folder / LOG).write_bytes(b"one\n\0\0\0\nthree\n")
    assert not files.is_whole(Span(LOG, 4, 8))
