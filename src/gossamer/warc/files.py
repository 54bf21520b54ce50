"""ArchiveFiles: the files of a job as recovery and commits see them: by the name that stands in the store.

A name has no `.open`; the file is looked for under both names, so that one renamed a moment before a crash, or during
a sync, is found. WARC files and crawl.log are treated alike, but for what makes a stretch of them whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gossamer.errors import StorageError
from gossamer.model.disposition import Span
from gossamer.storage.files import storage_errors, sync_file, truncate
from gossamer.warc.naming import OPEN_SUFFIX, SUFFIX
from gossamer.warc.verify import is_whole


class ArchiveFiles:
    """Looks after files it does not hold open. Every method may be called from any thread."""

    def __init__(self, job_folder: Path) -> None:
        self._job_folder = job_folder

    def size(self, file: str) -> int | None:
        """Bytes on disk; None if it is under neither of its names."""
        path = self._find(file)
        if path is None:
            return None
        with storage_errors("could not look at", path):
            return path.stat().st_size

    def is_final(self, file: str) -> bool:
        """Whether a WARC file stands under its final name, so that nothing is appended to it any more.

        A log has one name all its life; False for it.
        """
        return file.endswith(SUFFIX) and self._find(file) == self._job_folder / file

    def truncate(self, file: str, size: int) -> None:
        """Cut it to `size` and sync it; a shorter one stays as it is. Raises StorageError, also if it is not there."""
        truncate(self._found(file), size)

    def is_whole(self, span: Span) -> bool:
        """Whether what `span` names is there, whole: a record, or a line of a log."""
        path = self._find(span.file)
        if path is None or path.stat().st_size < span.end:
            return False
        return is_whole(path, span) if span.record_id else _is_line(path, span)

    def sync(self, file: str) -> None:
        """Make durable whatever was written to it. Raises DiskFull or StorageError."""
        path = self._found(file)
        try:
            sync_file(path)
        except StorageError:
            if path.exists():
                raise
            # Renamed between being found and being opened.
            sync_file(self._found(file))

    def sync_all(self, files: Iterable[str]) -> None:
        """The same for many."""
        for file in files:
            self.sync(file)

    def _found(self, file: str) -> Path:
        path = self._find(file)
        if path is None:
            raise StorageError(f"{self._job_folder / file} is gone; something other than Gossamer removed it")
        return path

    def _find(self, file: str) -> Path | None:
        final = self._job_folder / file
        opened = final.with_name(final.name + OPEN_SUFFIX)
        # Renamed between the two looks it has its final name, so that comes second.
        return next((path for path in (opened, final) if path.exists()), None)


def _is_line(path: Path, span: Span) -> bool:
    """A line has no NUL in it: those are what a power loss leaves where data were not yet written."""
    with storage_errors("could not read", path), path.open("rb") as file:
        file.seek(span.start)
        line = file.read(span.end - span.start)
    return line.endswith(b"\n") and b"\0" not in line
