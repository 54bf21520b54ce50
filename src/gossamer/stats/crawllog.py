"""crawl.log: one line for each attempt that was answered or came to its end, in the columns of Heritrix 3.

    2026-07-02T10:11:12.345Z   200      31000 https://example.org/a LL https://example.org/ text/html #007
        20260702101112221+123 sha1:IFBMMJ75VLBYUGHEEQTDGJE4JCH2Z3H7 https://example.org/ 2t,lenTrunc      (one line)

When it was logged; status; bytes of the body as transferred; URI; hop path; via; media type; toe; when the request was
sent and how many milliseconds it took; payload digest; seed; annotations. `-` stands for what there is not. Fields are
single words whatever a server or a page puts into them, so a line is always twelve words.

The lines of an attempt are appended in the same step that settles it, and are spans of the store like WARC records:
after a crash the log is cut where the store says. Therefore nobody but Gossamer may rotate it.

It does so by size. No file is renamed: crawl.log is followed by crawl-2.log, and so on, the highest number being the
one that is written. Those before it are closed in the store and durable; they may be compressed or moved away.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from gossamer.model.attempt import Attempt
from gossamer.model.disposition import Span
from gossamer.model.exchange import Truncation
from gossamer.model.fetchstatus import FetchStatus
from gossamer.storage.appendfile import AppendFile
from gossamer.storage.files import storage_errors, sync_folder
from gossamer.util.percent import one_word

FOLDER = "logs"
MAX_SIZE = 1024**3
"""As for a WARC file: some four million lines."""
MAX_HOPS = 50
"""Of a longer hop path the last so many are shown, and how many stood before, as Heritrix does."""
MAX_WORD = 200
"""Characters of a media type or an annotation; URLs are bounded by the scope."""

_LINE = "%s.%03dZ %5d %10s %s"
_SECOND = "%Y-%m-%dT%H:%M:%S"
_SECOND_IN_DIGITS = "%Y%m%d%H%M%S"

DNS_SUCCEEDED = 1
"""Heritrix's status for a look-up that gave an answer."""

_TRUNCATIONS = {
    Truncation.LENGTH: "lenTrunc",
    Truncation.TIME: "timeTrunc",
    Truncation.DISCONNECT: "midFetchAbort",
}


def crawl_log_line(attempt: Attempt, now_wall: float) -> str:
    """The line about an attempt whose records are written, without its end."""
    curi, exchange = attempt.curi, attempt.exchange
    hops = curi.hops
    words = (
        curi.target,
        (hops if len(hops) <= MAX_HOPS else _last_hops(hops)) or "-",
        curi.via or "-",
        attempt.content_type[:MAX_WORD] or "-",
        f"#{attempt.toe:03d}",
        _begun(exchange.started_wall, exchange.duration_seconds) if exchange and exchange.started_wall else "-",
        attempt.digest or "-",
        curi.seed or "-",
        _annotations(attempt),
    )
    text = " ".join(words)
    # Nearly always all of them are words already, and one look at the whole tells.
    if not (text.isascii() and text.isprintable() and text.count(" ") == len(words) - 1):
        text = " ".join([one_word(word) for word in words])
    size = "-" if exchange is None or exchange.raw is None else max(0, len(exchange.raw) - exchange.body_start)
    millis = int(now_wall * 1000)
    return _LINE % (_formatted(_SECOND, millis // 1000), millis % 1000, attempt.status, size, text)


def dns_log_line(host: str, when_wall: float, seconds: float, toe: int, *, is_found: bool = True) -> str:
    """The line about one look-up on the network, without its end."""
    status = DNS_SUCCEEDED if is_found else FetchStatus.DNS_FAILED.code
    text = f"{one_word(f'dns:{host}')} P - text/dns #{toe:03d} {_begun(when_wall - seconds, seconds)} - - -"
    millis = int(when_wall * 1000)
    return _LINE % (_formatted(_SECOND, millis // 1000), millis % 1000, status, "-", text)


def _last_hops(hops: str) -> str:
    return f"{len(hops) - MAX_HOPS}+{hops[-MAX_HOPS:]}"


def _begun(wall_seconds: float, seconds: float) -> str:
    """17 digits, to the millisecond, and how many of those it took."""
    millis = int(wall_seconds * 1000)
    return f"{_formatted(_SECOND_IN_DIGITS, millis // 1000)}{millis % 1000:03d}+{max(0, round(seconds * 1000))}"


def _annotations(attempt: Attempt) -> str:
    found: list[str] = []
    exchange = attempt.exchange
    if attempt.curi.attempts:
        found.append(f"{attempt.curi.attempts + 1}t")
    if exchange is not None:
        if exchange.truncated is not None:
            found.append(_TRUNCATIONS[exchange.truncated])
        if exchange.failure is not None:
            if exchange.failure is FetchStatus.HEADERS_TOO_LARGE:
                found.append("headerTrunc")
            if exchange.detail:
                found.append(exchange.detail.replace(" ", "_"))
        found += exchange.annotations
    if attempt.dropped_outlinks:
        found.append(f"dol:{attempt.dropped_outlinks}")
    found += attempt.annotations
    if not found:
        return "-"
    return ",".join([one_word(word[:MAX_WORD]).replace(",", "%2C") for word in found if word]) or "-"


@lru_cache(maxsize=64)
def _formatted(pattern: str, seconds: int) -> str:
    return time.strftime(pattern, time.gmtime(seconds))


class LogLedger(Protocol):
    """Where the store keeps its record of files."""

    def register_file(self, file: str) -> None:
        """Name a file in the store with tail 0, before it exists."""

    def mark_closed(self, file: str) -> None:
        """Note that nothing is appended to a file any more, and that it was synced."""

    def known_files(self) -> Iterable[str]:
        """Every file that the store names, closed ones included."""


class CrawlLog:
    """The log while it is written. Errors of the system come out as DiskFull or StorageError."""

    def __init__(
        self, job_folder: Path, open_files: Mapping[str, int], ledger: LogLedger, max_size: int = MAX_SIZE
    ) -> None:
        """Go on with the log that the store names among `open_files` (name -> tail), or begin one.

        A crawl.log that the store does not name is left alone: after the restore of an older store it holds lines that
        this store knows nothing of. The new one then has the next number. From `max_size` bytes on it is full.
        """
        self._job_folder = job_folder
        self._ledger = ledger
        self._max_size = max_size
        self._following = ""
        """The file after this one, once it is named in the store."""
        folder = job_folder / FOLDER
        with storage_errors("could not make the folder", folder):
            folder.mkdir(parents=True, exist_ok=True)
        *before, self.file = sorted((name for name in open_files if _number_of(name)), key=_number_of) or [""]
        """Its path relative to the job folder, as it stands in the store."""
        if not self.file:
            self.file = self._next_name()
            ledger.register_file(self.file)
        path = job_folder / self.file
        self._file = AppendFile(path, open_files.get(self.file, 0), create=not path.exists())
        sync_folder(folder)
        sync_folder(job_folder)
        for file in before:  # recovery has cut and synced them
            ledger.mark_closed(file)

    def _next_name(self) -> str:
        on_disk = (f"{FOLDER}/{path.name}" for path in (self._job_folder / FOLDER).iterdir())
        return _name(1 + max(map(_number_of, (*self._ledger.known_files(), *on_disk)), default=0))

    def turn_over(self) -> None:
        """Go on in a new file if this one is full; not between lines that may be rolled back together.

        Raises DiskFull or StorageError; the log then goes on in the old one.
        """
        if self._file.position < self._max_size:
            return
        self._file.sync()
        if not self._following:
            self._following = self._next_name()
            self._ledger.register_file(self._following)
        path = self._job_folder / self._following
        file = AppendFile(path, create=not path.exists())
        try:
            sync_folder(path.parent)
            self._ledger.mark_closed(self.file)
        except BaseException:
            file.close()
            raise
        self._file.close()
        self._file, self.file, self._following = file, self._following, ""

    @property
    def position(self) -> int:
        """Where the next line begins."""
        return self._file.position

    def append(self, line: str) -> Span:
        """Write one line, given without its end. Raises DiskFull or StorageError, after which the log is as before."""
        return self.append_all((line,))[0]

    def append_all(self, lines: Sequence[str]) -> tuple[Span, ...]:
        """Write several lines at once, all of them or none; raises as `append`."""
        data = "\n".join((*lines, "")).encode("ascii", "backslashreplace")
        if data.count(b"\n") != len(lines):
            raise ValueError("a line of the log holds no line feed")
        start, end = self._file.append(data)
        if len(lines) == 1:
            return (Span(self.file, start, end),)
        spans = []
        for line in data.split(b"\n")[:-1]:
            end = start + len(line) + 1
            spans.append(Span(self.file, start, end))
            start = end
        return tuple(spans)

    def rollback(self, position: int) -> None:
        """Forget the lines after `position`, none of which may be settled."""
        self._file.rollback(position)

    def sync(self) -> None:
        """Make the lines so far durable."""
        self._file.sync()

    def close(self) -> None:
        """Give the file back; idempotent."""
        self._file.close()


def _name(number: int) -> str:
    return f"{FOLDER}/crawl.log" if number == 1 else f"{FOLDER}/crawl-{number}.log"


def _number_of(name: str) -> int:
    """0 for a file that is no crawl log."""
    if name == _name(1):
        return 1
    digits = name.removeprefix(f"{FOLDER}/crawl-").removesuffix(".log")
    return int(digits) if digits.isdecimal() and name == _name(int(digits)) else 0
