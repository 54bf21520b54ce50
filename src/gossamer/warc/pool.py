"""WarcPool: the few files that records are appended to, and who may append to which.

A toe leases one file, appends all records of its URI, has the store settle them, and gives the file back. While a large
record keeps one file busy, others use the next. A file exists only when it is needed: with small records one is enough.

Small records are written without waiting, so whoever finds a file free takes it, though others may have begun to wait:
a file that always went to the one who waits longest would lie idle until his turn in the loop, and whoever came
meanwhile would have to wait, too; once begun, such a queue never ends. Nobody is passed over twice.

    async with pool.lease() as lease:
        spans = await lease.append_exchange(builder, exchange, attempt)
        frontier.finish(…, spans)         # settles them
        lease.keep()                      # from here on nothing is cut away, whatever is raised below

A lease that is left by an exception, CancelledError included, cuts away what it appended and has not kept; one that is
left normally keeps everything. Leaving never waits.

The life of a file, so that the store always names every file that may hold records:

    ledger.register_file (tail 0 in the store) -> created as .open -> folder synced -> warcinfo -> records
    beyond max_size, before its next lease, or at the end: synced -> renamed -> folder synced -> ledger.mark_closed

A file that the store does not name is never touched, only reported.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Protocol

from gossamer.config import Warc
from gossamer.errors import StateError, StorageError
from gossamer.model.attempt import Attempt
from gossamer.model.disposition import Span
from gossamer.model.exchange import Exchange
from gossamer.storage.files import storage_errors, sync_folder
from gossamer.util.clock import Clock
from gossamer.util.tasks import blocking_in
from gossamer.warc.naming import FOLDER, OPEN_SUFFIX, highest_serial, warc_name
from gossamer.warc.records import STREAM_ABOVE, Capture, Record, RecordBuilder
from gossamer.warc.verify import first_record_id
from gossamer.warc.writer import WarcFile

log = logging.getLogger(__name__)


class WarcLedger(Protocol):
    """Where the store keeps its record of files. Each call is settled when it returns, or raises StorageError."""

    def register_file(self, file: str) -> None:
        """Name a file in the store with tail 0, before it exists."""

    def mark_closed(self, file: str) -> None:
        """The file is whole, durable and under its final name; nothing is appended to it any more."""

    def note_capture(self, spans: Sequence[Span]) -> None:
        """Store the spans of records that belong to no URI, and the file's new tail with them."""


class Lease:
    """The right to append to one file, for the length of one `async with`."""

    _file: WarcFile | None = None
    _start = 0
    """Where that begins which an exception takes back."""

    def __init__(self, pool: WarcPool) -> None:
        self._pool = pool

    async def __aenter__(self) -> Lease:
        await self.begin()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end(is_kept=kind is None)

    async def begin(self) -> None:
        """Wait for a file; whoever calls this calls `end`, whatever happens between."""
        if self._file is not None:
            raise StateError("This lease is in use already.")
        file = self._pool._take_ready()
        if file is None:
            file = await self._pool._acquire()
        self._file = file
        self._start = file.position

    def end(self, *, is_kept: bool) -> None:
        """Give the file back, and unless `is_kept` cut away what was appended since `keep`."""
        file, self._file = self._leased(), None
        try:
            if not is_kept:
                file.rollback(self._start)
        finally:
            self._pool._give_back(file)

    @property
    def warcinfo_id(self) -> str:
        """What records of this file name as its warcinfo."""
        return self._leased().warcinfo_id

    def append(self, records: Sequence[Record]) -> list[Span]:
        """Write small records. Raises DiskFull or StorageError, after which none of them is in the file."""
        return self._leased().append(records)

    async def append_exchange(self, builder: RecordBuilder, exchange: Exchange, attempt: Attempt) -> list[Span]:
        """Write the records of one exchange, none if nothing came back, and set `attempt.digest`.

        Does not wait unless the response is large; then it is hashed and compressed in a thread, which is waited for
        even when the caller is cancelled. Raises as `append`.
        """
        file = self._leased()
        if exchange.wire_bytes <= STREAM_ABOVE:
            capture = builder.capture(exchange, attempt, file.warcinfo_id)
            spans = file.append(capture.records) if capture.records else []
        else:
            capture, spans = await blocking_in(self._pool._threads, _write_large, file, builder, exchange, attempt)
        attempt.digest = capture.payload_digest
        return spans

    def keep(self) -> None:
        """What was appended so far is settled: an exception after this leaves it where it is."""
        self._start = self._leased().position

    def _leased(self) -> WarcFile:
        if self._file is None:
            raise StateError("This lease is not in use: append inside its `async with`.")
        return self._file


def _write_large(
    file: WarcFile, builder: RecordBuilder, exchange: Exchange, attempt: Attempt
) -> tuple[Capture, list[Span]]:
    start = file.position
    capture = builder.capture(exchange, attempt, file.warcinfo_id)
    response, *others = capture.records
    try:
        return capture, [file.append_large(response), *file.append(others)]
    except BaseException:
        file.rollback(start)
        raise


class WarcPool:
    """At most `pool_size` files of one job, leased in the order of asking."""

    def __init__(
        self,
        settings: Warc,
        job_folder: Path,
        ledger: WarcLedger,
        builder: RecordBuilder,
        clock: Clock,
        *,
        hostname: str,
        facts: Mapping[str, str],
    ) -> None:
        """`facts` are further fields of each warcinfo record, e.g. software, robots, http-header-user-agent."""
        self.unknown_files: tuple[str, ...] = ()
        """`.open` files that the store does not name, found at the start and left alone."""
        self._settings = settings
        self._max_size = settings.max_size
        self._job_folder = job_folder
        self._ledger = ledger
        self._builder = builder
        self._clock = clock
        self._hostname = hostname
        self._facts = {"hostname": hostname, **facts}
        self._serial = 0
        self._threads = ThreadPoolExecutor(settings.pool_size, thread_name_prefix="gossamer-warc")
        self._idle: list[WarcFile | None] = [None] * settings.pool_size
        """One entry for each file that nobody leases; None = not opened yet. Taken from the end."""
        self._count = settings.pool_size
        """Entries in all, leased ones included."""
        self._waiting: deque[asyncio.Future[None]] = deque()
        """Those who look again when they are told that there is an idle entry."""
        self._owed: deque[asyncio.Future[WarcFile | None]] = deque()
        """Those who get the next entry that is given back: they looked again, and others had been quicker."""
        self._unmade: list[str] = []
        """Names in the store whose file could not be created yet."""
        self._is_closing = False

    def start(self, open_files: Mapping[str, int], known_files: Iterable[str] = ()) -> None:
        """Go on with the files that the store names as open, each with its tail; those of others are passed over.

        `known_files` are further names in the store: serials start above them and above those on disk. Raises
        StorageError if a file has lost bytes that the store counts on.
        """
        open_files = {name: tail for name, tail in open_files.items() if name.startswith(f"{FOLDER}/")}
        folder = self._job_folder / FOLDER
        with storage_errors("could not make the folder", folder):
            folder.mkdir(parents=True, exist_ok=True)
            on_disk = sorted(entry.name for entry in folder.iterdir())
        sync_folder(self._job_folder)
        self._serial = highest_serial([*on_disk, *open_files, *known_files])
        self._report_unknown(on_disk, open_files)
        for name, tail in sorted(open_files.items()):
            self._go_on_with(name, tail)

    def _report_unknown(self, on_disk: Iterable[str], open_files: Mapping[str, int]) -> None:
        opened = (f"{FOLDER}/{name}" for name in on_disk if name.endswith(OPEN_SUFFIX))
        self.unknown_files = tuple(name for name in opened if name.removesuffix(OPEN_SUFFIX) not in open_files)
        for name in self.unknown_files:
            log.warning("%s is not named in the store; it is left alone", name)

    def _go_on_with(self, name: str, tail: int) -> None:
        path = self._job_folder / name
        if path.with_name(path.name + OPEN_SUFFIX).exists():
            file = WarcFile(self._job_folder, name, tail, self._settings.level, create=False)
            if tail:
                file.warcinfo_id = first_record_id(path.with_name(path.name + OPEN_SUFFIX)) or ""
            self._adopt(file)
        elif path.exists():
            # It was renamed, and then the process died before it could say so.
            self._ledger.mark_closed(name)
        elif tail == 0:
            self._unmade.append(name)
        else:
            raise StorageError(f"{path} is gone, but the store has recorded {tail} bytes of it; put it back")

    def _adopt(self, file: WarcFile) -> None:
        if None in self._idle:
            self._idle.remove(None)
        else:
            self._count += 1
        self._idle.append(file)

    def lease(self) -> Lease:
        """For `async with`: waits until a file is free, first come first served."""
        return Lease(self)

    @asynccontextmanager
    async def standstill(self) -> AsyncIterator[float]:
        """Wait until every lease is back, close every file for good, and lease none for the length of the block.

        Gives the monotonic moment from which files were held back. For one caller at a time. Raises StorageError; the
        archive then goes on as before.
        """
        held: list[WarcFile | None] = []
        try:
            held.append(await self._take(is_first=True))
            began = self._clock.monotonic()
            while len(held) < self._count:
                held.append(await self._take(is_first=True))
            results = await asyncio.gather(
                *(self._retire(file) for file in held if file is not None), return_exceptions=True
            )
            for result in results:
                if isinstance(result, BaseException):
                    raise result
            yield began
        finally:
            for file in held:
                self._give_back(_still_open(file))

    async def close_all(self) -> None:
        """Wait until every lease is back, and close every file for good. Nothing can be leased any more.

        Raises StorageError; then `drop` is what is left to do.
        """
        self._is_closing = True
        while self._count > 0:
            slot = await self._take()
            try:
                if slot is not None:
                    await self._retire(slot)
            except BaseException:
                self._give_back(_still_open(slot))
                raise
            self._count -= 1
        self._threads.shutdown()

    def drop(self) -> None:
        """Give back every descriptor and thread, leave the files as they are; idempotent. All leases must be back."""
        self._is_closing = True
        for file in self._idle:
            if file is not None:
                file.drop()
        self._idle.clear()
        self._count = 0
        self._threads.shutdown()

    def _take_ready(self) -> WarcFile | None:
        """A file that can be appended to at once; None if that takes a wait, or more than taking it."""
        if self._is_closing or not self._idle:
            return None
        slot = self._idle[-1]
        if slot is None or not 0 < slot.position <= self._max_size:
            return None
        return self._idle.pop()

    async def _acquire(self) -> WarcFile:
        if self._is_closing:
            raise StateError("The archive is closed.")
        slot = await self._take()
        try:
            if slot is not None and slot.position > self._max_size:
                await self._retire(slot)
                slot = None
            if slot is None:
                slot = self._create()
            if slot.position == 0:
                await self._begin(slot)
        except BaseException:
            self._give_back(_still_open(slot))
            raise
        return slot

    async def _take(self, *, is_first: bool = False) -> WarcFile | None:
        """A file, or the right to open one; `is_first` before those who wait already."""
        # While it is being closed, those who still wait come first.
        if self._idle and not (self._is_closing and self._waiting):
            return self._idle.pop()
        if not is_first:
            await self._until_told()
            if self._idle:
                return self._idle.pop()
        turn: asyncio.Future[WarcFile | None] = asyncio.get_running_loop().create_future()
        if is_first:
            self._owed.appendleft(turn)
        else:
            self._owed.append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._owed.remove(turn)
            else:
                # Cancelled in the very tick in which the file was handed over.
                self._give_back(turn.result())
            raise

    async def _until_told(self) -> None:
        """Wait for one's turn to look for an idle entry."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled() and self._idle:
                self._tell_next()
            raise
        finally:
            self._waiting.remove(turn)

    def _tell_next(self) -> None:
        turn = next((turn for turn in self._waiting if not turn.done()), None)
        if turn is not None:
            turn.set_result(None)

    def _give_back(self, slot: WarcFile | None) -> None:
        while self._owed:
            turn = self._owed.popleft()
            if not turn.done():
                turn.set_result(slot)
                return
        if slot is None:
            self._idle.insert(0, slot)
        else:
            self._idle.append(slot)
        if self._waiting:
            self._tell_next()

    def _create(self) -> WarcFile:
        """A new file, named in the store before it exists."""
        if not self._unmade:
            self._serial += 1
            name = warc_name(self._settings.prefix, self._clock.wall(), self._serial, self._hostname)
            self._ledger.register_file(name)
            self._unmade.append(name)
        file = WarcFile(self._job_folder, self._unmade[-1], 0, self._settings.level, create=True)
        self._unmade.pop()
        return file

    async def _begin(self, file: WarcFile) -> None:
        """Make its name durable and write its warcinfo record."""
        await blocking_in(self._threads, sync_folder, self._job_folder / FOLDER)
        record = self._builder.warcinfo(Path(file.name).name, self._clock.wall(), self._facts)
        spans = file.append([record])
        try:
            self._ledger.note_capture(spans)
        except BaseException:
            file.rollback(0)
            raise
        file.warcinfo_id = record.record_id

    async def _retire(self, file: WarcFile) -> None:
        try:
            await blocking_in(self._threads, file.finish)
        finally:
            if file.is_finished:
                self._ledger.mark_closed(file.name)


def _still_open(slot: WarcFile | None) -> WarcFile | None:
    return None if slot is None or slot.is_finished else slot
