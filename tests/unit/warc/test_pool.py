"""WarcPool: who may append, what stays, and what the store knows at every moment."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from gossamer.config import Warc
from gossamer.errors import DiskFull, StateError, StorageError
from gossamer.model.attempt import Attempt
from gossamer.model.disposition import Span
from gossamer.storage import appendfile
from gossamer.util.clock import SystemClock
from gossamer.warc import RecordBuilder, WarcPool, check_file, check_folder
from gossamer.warc.reader import WarcReader
from gossamer.warc.records import STREAM_ABOVE
from gossamer.warc.writer import WarcFile

BUILDER = RecordBuilder(Warc())

MakeAttempt = Callable[..., Attempt]


class Ledger:
    """A store in memory: what would survive a kill."""

    def __init__(self, tails: dict[str, int] | None = None, calls: list[tuple[str, Any]] | None = None) -> None:
        self.tails = dict(tails or {})
        self.closed: set[str] = set()
        self.calls = calls if calls is not None else []
        self.fails_next: Exception | None = None

    def register_file(self, file: str) -> None:
        self._fail()
        assert file not in self.tails
        self.tails[file] = 0
        self.calls.append(("register", file))

    def mark_closed(self, file: str) -> None:
        del self.tails[file]
        self.closed.add(file)
        self.calls.append(("closed", file))

    def note_capture(self, spans: Sequence[Span]) -> None:
        self._fail()
        self.settle(spans)
        self.calls.append(("note", [span.start for span in spans]))

    def settle(self, spans: Sequence[Span]) -> None:
        for span in spans:
            assert span.start >= self.tails[span.file]
            self.tails[span.file] = span.end

    def _fail(self) -> None:
        if self.fails_next is not None:
            error, self.fails_next = self.fails_next, None
            raise error


def new_pool(folder: Path, ledger: Ledger, known: dict[str, int] | None = None, **settings: Any) -> WarcPool:
    pool = WarcPool(
        Warc(**settings), folder, ledger, BUILDER, SystemClock(), hostname="box", facts={"software": "gossamer"}
    )
    pool.start(ledger.tails if known is None else known)
    return pool


async def archive(pool: WarcPool, ledger: Ledger, tried: Attempt) -> list[Span]:
    async with pool.lease() as lease:
        spans = await lease.append_exchange(BUILDER, tried.exchange, tried)
        ledger.settle(spans)
        lease.keep()
    return spans


async def archive_and_raise(
    pool: WarcPool, tried: Attempt, error: type[BaseException], before: Callable[[], None] = lambda: None
) -> None:
    """Append, and fail before the store has settled it."""
    async with pool.lease() as lease:
        await lease.append_exchange(BUILDER, tried.exchange, tried)
        before()
        raise error


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "warcs").iterdir())


async def test_the_store_names_a_file_before_it_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, Any]] = []
    ledger = Ledger(calls=calls)
    real_open, real_fsync = os.open, os.fsync

    def opening(path: Any, flags: int, *mode: int) -> int:
        if flags & os.O_CREAT:
            calls.append(("create", Path(path).name))
        return real_open(path, flags, *mode)

    def syncing(descriptor: int) -> None:
        calls.append(("fsync folder", None))
        real_fsync(descriptor)

    pool = new_pool(tmp_path, ledger)
    monkeypatch.setattr(os, "open", opening)
    monkeypatch.setattr(os, "fsync", syncing)
    async with pool.lease():
        pass
    assert [call for call, _ in calls] == ["register", "create", "fsync folder", "note"]
    assert calls[1][1] == f"{Path(calls[0][1]).name}.open"
    pool.drop()


async def test_small_exchanges_share_one_file_that_begins_with_warcinfo(tmp_path: Path, attempt: MakeAttempt) -> None:
    ledger = Ledger()
    pool = new_pool(tmp_path, ledger, pool_size=3)
    for number in range(5):
        tried = attempt(f"page {number}".encode())
        await archive(pool, ledger, tried)
        assert tried.digest.startswith("sha1:")
    await pool.close_all()
    (name,) = names(tmp_path)
    report = check_file(tmp_path / "warcs" / name)
    assert report.is_good
    assert report.records == {"warcinfo": 1, "response": 5, "request": 5, "metadata": 5}
    assert ledger.closed == {f"warcs/{name}"}


async def test_an_exchange_without_an_answer_writes_nothing(tmp_path: Path, attempt: MakeAttempt) -> None:
    ledger = Ledger()
    pool = new_pool(tmp_path, ledger)
    tried = attempt(raw=None, http_status=None)
    assert await archive(pool, ledger, tried) == []
    assert tried.digest == ""
    await pool.close_all()


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, asyncio.CancelledError])
async def test_leaving_by_an_exception_cuts_away_what_was_appended(
    tmp_path: Path, attempt: MakeAttempt, error: type[BaseException]
) -> None:
    ledger = Ledger()
    pool = new_pool(tmp_path, ledger)
    await archive(pool, ledger, attempt())
    (tail,) = ledger.tails.values()
    with pytest.raises(error):
        await archive_and_raise(pool, attempt(), error)
    assert os.path.getsize(tmp_path / "warcs" / names(tmp_path)[0]) == tail
    await archive(pool, ledger, attempt())
    await pool.close_all()
    assert check_file(tmp_path / "warcs" / names(tmp_path)[0]).is_good


async def test_what_was_kept_stays_whatever_is_raised_after_it(tmp_path: Path, attempt: MakeAttempt) -> None:
    ledger = Ledger()
    pool = new_pool(tmp_path, ledger)

    async def keep_one_of_two() -> None:
        async with pool.lease() as lease:
            ledger.settle(await lease.append_exchange(BUILDER, attempt().exchange, attempt()))
            lease.keep()
            await lease.append_exchange(BUILDER, attempt().exchange, attempt())
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await keep_one_of_two()
    (tail,) = ledger.tails.values()
    assert os.path.getsize(tmp_path / "warcs" / names(tmp_path)[0]) == tail
    await pool.close_all()


async def test_a_lease_works_only_inside_its_with_block(tmp_path: Path, attempt: MakeAttempt) -> None:
    pool = new_pool(tmp_path, Ledger())
    lease = pool.lease()
    with pytest.raises(StateError):
        lease.append([])
    async with lease:
        with pytest.raises(StateError):
            await lease.__aenter__()
    with pytest.raises(StateError):
        await lease.append_exchange(BUILDER, attempt().exchange, attempt())
    with pytest.raises(StateError):
        lease.keep()
    await pool.close_all()


async def test_files_are_leased_in_the_order_of_asking(tmp_path: Path) -> None:
    pool = new_pool(tmp_path, Ledger(), pool_size=1)
    order: list[int] = []

    async def toe(number: int) -> None:
        async with pool.lease():
            order.append(number)
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as tasks:
        for number in range(10):
            tasks.create_task(toe(number))
    assert order == list(range(10))
    await pool.close_all()


async def test_whoever_comes_while_a_file_is_free_need_not_wait_for_those_who_were_told_of_it(tmp_path: Path) -> None:
    """Else each would wait for the one before, and the queue would never end."""
    pool = new_pool(tmp_path, Ledger(), pool_size=1)
    holder = pool.lease()
    await holder.__aenter__()
    waiter = asyncio.create_task(pool.lease().__aenter__())
    await asyncio.sleep(0)
    await holder.__aexit__(None, None, None)
    coming = pool.lease().__aenter__()
    with pytest.raises(StopIteration) as leased:
        coming.send(None)  # without one tick of the loop
    await leased.value.value.__aexit__(None, None, None)
    await (await waiter).__aexit__(None, None, None)
    await pool.close_all()


async def test_nobody_is_passed_over_twice(tmp_path: Path) -> None:
    pool = new_pool(tmp_path, Ledger(), pool_size=1)
    holder = pool.lease()
    await holder.__aenter__()
    waiter = asyncio.create_task(pool.lease().__aenter__())
    await asyncio.sleep(0)
    await holder.__aexit__(None, None, None)
    quicker = pool.lease()
    await quicker.__aenter__()
    await asyncio.sleep(0)
    assert not waiter.done()
    await quicker.__aexit__(None, None, None)
    late = asyncio.create_task(pool.lease().__aenter__())
    await (await waiter).__aexit__(None, None, None)
    await (await late).__aexit__(None, None, None)
    await pool.close_all()


async def test_a_waiter_cancelled_when_it_was_told_tells_the_next(tmp_path: Path) -> None:
    pool = new_pool(tmp_path, Ledger(), pool_size=1)
    holder = pool.lease()
    await holder.__aenter__()
    first, second = (asyncio.create_task(pool.lease().__aenter__()) for _ in range(2))
    await asyncio.sleep(0)
    await holder.__aexit__(None, None, None)
    first.cancel()
    async with asyncio.timeout(5):
        await (await second).__aexit__(None, None, None)
    assert first.cancelled()
    await pool.close_all()


async def test_while_one_file_is_busy_others_are_used_and_never_more_than_allowed(tmp_path: Path) -> None:
    pool = new_pool(tmp_path, Ledger(), pool_size=3)
    async with pool.lease(), pool.lease(), pool.lease():
        assert len(names(tmp_path)) == 3
        fourth = asyncio.create_task(pool.lease().__aenter__())
        await asyncio.sleep(0)
        assert not fourth.done()
        fourth.cancel()
        with pytest.raises(asyncio.CancelledError):
            await fourth
    await pool.close_all()
    assert len(names(tmp_path)) == 3


@pytest.mark.parametrize("is_handed_over_first", [False, True])
async def test_a_waiter_that_is_cancelled_loses_no_file(tmp_path: Path, is_handed_over_first: bool) -> None:
    pool = new_pool(tmp_path, Ledger(), pool_size=1)
    holder = pool.lease()
    await holder.__aenter__()

    async def wait() -> None:
        async with pool.lease():
            pass

    first, second = asyncio.create_task(wait()), asyncio.create_task(wait())
    await asyncio.sleep(0)
    if is_handed_over_first:
        await holder.__aexit__(None, None, None)
        first.cancel()
    else:
        first.cancel()
        await asyncio.sleep(0)
        await holder.__aexit__(None, None, None)
    await second
    assert first.cancelled() or first.done()
    async with asyncio.timeout(5), pool.lease():
        pass
    await pool.close_all()


async def test_a_file_beyond_its_size_is_closed_and_the_next_one_begun(tmp_path: Path, attempt: MakeAttempt) -> None:
    ledger = Ledger()
    pool = new_pool(tmp_path, ledger, max_size=2000)
    for _ in range(6):
        await archive(pool, ledger, attempt(os.urandom(1500)))
    assert [name.split("-")[2] for name in names(tmp_path)] == ["00001", "00002", "00003", "00004", "00005", "00006"]
    assert [name.endswith(".open") for name in names(tmp_path)] == [False] * 5 + [True]
    await pool.close_all()
    for name in names(tmp_path):
        report = check_file(tmp_path / "warcs" / name)
        assert report.is_good
        assert report.records == {"warcinfo": 1, "response": 1, "request": 1, "metadata": 1}
    assert not ledger.tails
    assert ledger.closed == {f"warcs/{name}" for name in names(tmp_path)}


async def test_a_large_response_is_written_while_others_go_on(tmp_path: Path, attempt: MakeAttempt) -> None:
    ledger = Ledger()
    pool = new_pool(tmp_path, ledger)
    large = attempt(os.urandom(20 * STREAM_ABOVE))
    async with asyncio.TaskGroup() as tasks:
        written = tasks.create_task(archive(pool, ledger, large))
        await asyncio.sleep(0)
        for _ in range(5):
            await archive(pool, ledger, attempt())
    assert len(written.result()) == 3
    await pool.close_all()
    reports = [check_file(tmp_path / "warcs" / name) for name in names(tmp_path)]
    assert all(report.is_good for report in reports)
    assert sum(report.records["response"] for report in reports) == 6


async def test_cancelling_a_large_write_waits_for_its_thread_and_leaves_nothing(
    tmp_path: Path, attempt: MakeAttempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger()
    pool = new_pool(tmp_path, ledger, pool_size=1)
    await archive(pool, ledger, attempt())
    (tail,) = ledger.tails.values()
    is_writing, may_go_on = threading.Event(), threading.Event()

    def slow(descriptor: int, data: bytes, offset: int) -> int:
        is_writing.set()
        may_go_on.wait(10)
        return os.pwrite(descriptor, data, offset)

    monkeypatch.setattr(appendfile, "write_at", slow)
    task = asyncio.create_task(archive(pool, ledger, attempt(os.urandom(4 * STREAM_ABOVE))))
    await asyncio.get_running_loop().run_in_executor(None, is_writing.wait, 10)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    may_go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert os.path.getsize(tmp_path / "warcs" / names(tmp_path)[0]) == tail
    await archive(pool, ledger, attempt())
    await pool.close_all()
    assert check_file(tmp_path / "warcs" / names(tmp_path)[0]).is_good


async def test_a_full_disk_leaves_the_earlier_records_and_the_pool_goes_on_later(
    tmp_path: Path, attempt: MakeAttempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger()
    pool = new_pool(tmp_path, ledger)
    await archive(pool, ledger, attempt())
    path = tmp_path / "warcs" / names(tmp_path)[0]
    before = path.read_bytes()

    def full(descriptor: int, data: bytes, offset: int) -> int:
        if len(data) > 10:
            return os.pwrite(descriptor, data[:10], offset)
        raise OSError(errno.ENOSPC, "No space left on device")

    for body in (b"small", os.urandom(3 * STREAM_ABOVE)):
        with monkeypatch.context() as patched:
            patched.setattr(appendfile, "write_at", full)
            with pytest.raises(DiskFull):
                await archive(pool, ledger, attempt(body))
        assert path.read_bytes() == before
    await archive(pool, ledger, attempt())
    await pool.close_all()
    assert check_file(tmp_path / "warcs" / names(tmp_path)[0]).is_good


async def test_a_store_that_fails_while_a_file_is_begun_is_asked_again(tmp_path: Path, attempt: MakeAttempt) -> None:
    ledger = Ledger()
    pool = new_pool(tmp_path, ledger)
    ledger.fails_next = StorageError("no store")
    with pytest.raises(StorageError):
        await archive(pool, ledger, attempt())
    assert names(tmp_path) == []
    real_register = ledger.register_file

    def register_then_fail(file: str) -> None:
        real_register(file)
        ledger.fails_next = DiskFull("no room")

    ledger.register_file = register_then_fail  # type: ignore[method-assign]
    with pytest.raises(DiskFull):
        await archive(pool, ledger, attempt())
    assert set(ledger.tails.values()) == {0}
    await archive(pool, ledger, attempt())
    await pool.close_all()
    (name,) = names(tmp_path)
    assert check_file(tmp_path / "warcs" / name).records["warcinfo"] == 1


async def test_a_killed_pool_goes_on_where_the_store_says(tmp_path: Path, attempt: MakeAttempt) -> None:
    ledger = Ledger()
    pool = new_pool(tmp_path, ledger)
    first = await archive(pool, ledger, attempt())
    unsettled = pool.lease()
    await unsettled.__aenter__()
    await unsettled.append_exchange(BUILDER, attempt().exchange, attempt())
    (name,) = names(tmp_path)

    again = new_pool(tmp_path, Ledger(ledger.tails))
    spans = await archive(again, ledger, attempt())
    assert spans[0].file == first[0].file
    assert spans[0].start == first[-1].end
    await again.close_all()
    report = check_file(tmp_path / "warcs" / name.removesuffix(".open"))
    assert report.is_good
    assert report.records["warcinfo"] == 1
    await unsettled.__aexit__(None, None, None)
    pool.drop()


async def test_records_after_a_restart_name_the_warcinfo_of_their_file(tmp_path: Path, attempt: MakeAttempt) -> None:
    ledger = Ledger()
    pool = new_pool(tmp_path, ledger)
    await archive(pool, ledger, attempt())
    pool.drop()
    again = new_pool(tmp_path, ledger)
    spans = await archive(again, ledger, attempt())
    again.drop()
    with (tmp_path / "warcs" / names(tmp_path)[0]).open("rb") as file:
        warcinfo = WarcReader(file).read()
        response = WarcReader(file, spans[0].start).read()
    assert warcinfo.kind == "warcinfo"
    assert response.headers["warc-warcinfo-id"] == f"<{warcinfo.record_id}>"


async def test_a_file_renamed_just_before_the_kill_counts_as_closed(tmp_path: Path, attempt: MakeAttempt) -> None:
    ledger = Ledger()
    pool = new_pool(tmp_path, ledger)
    await archive(pool, ledger, attempt())
    tails = dict(ledger.tails)
    await pool.close_all()
    (name,) = names(tmp_path)
    before = (tmp_path / "warcs" / name).read_bytes()

    after = Ledger(tails)
    again = new_pool(tmp_path, after)
    assert after.closed == {f"warcs/{name}"}
    await archive(again, after, attempt())
    await again.close_all()
    assert (tmp_path / "warcs" / name).read_bytes() == before
    assert [n.split("-")[2] for n in names(tmp_path)] == ["00001", "00002"]


async def test_a_file_named_in_the_store_but_not_made_is_made(tmp_path: Path, attempt: MakeAttempt) -> None:
    name = "warcs/GOSSAMER-20260101000000000-00004-box.warc.gz"
    ledger = Ledger({name: 0})
    pool = new_pool(tmp_path, ledger)
    await archive(pool, ledger, attempt())
    await pool.close_all()
    assert names(tmp_path) == [Path(name).name]
    assert check_file(tmp_path / name).records["warcinfo"] == 1


async def test_a_file_made_but_without_a_settled_byte_gets_its_warcinfo(tmp_path: Path, attempt: MakeAttempt) -> None:
    name = "warcs/GOSSAMER-20260101000000000-00004-box.warc.gz"
    (tmp_path / "warcs").mkdir()
    (tmp_path / f"{name}.open").write_bytes(b"half a warcinfo")
    ledger = Ledger({name: 0})
    pool = new_pool(tmp_path, ledger)
    await archive(pool, ledger, attempt())
    await pool.close_all()
    assert check_file(tmp_path / name).is_good


async def test_a_lost_file_is_not_passed_over(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"X\.warc\.gz is gone"):
        new_pool(tmp_path, Ledger({"warcs/X.warc.gz": 100}))


async def test_a_file_the_store_does_not_name_is_left_alone(tmp_path: Path, attempt: MakeAttempt) -> None:
    (tmp_path / "warcs").mkdir()
    stranger = tmp_path / "warcs" / "GOSSAMER-20260101000000000-00041-box.warc.gz.open"
    stranger.write_bytes(b"not ours")
    ledger = Ledger()
    pool = new_pool(tmp_path, ledger)
    assert pool.unknown_files == (f"warcs/{stranger.name}",)
    await archive(pool, ledger, attempt())
    await pool.close_all()
    assert stranger.read_bytes() == b"not ours"
    assert [name.split("-")[2] for name in names(tmp_path)] == ["00041", "00042"]


async def test_files_of_others_in_the_store_are_none_of_its_business(tmp_path: Path, attempt: MakeAttempt) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "crawl.log").write_text("line\n")
    ledger = Ledger({"logs/crawl.log": 5})
    pool = new_pool(tmp_path, ledger)
    await archive(pool, ledger, attempt())
    await pool.close_all()
    assert ledger.tails == {"logs/crawl.log": 5}


async def test_closing_waits_for_leases_and_refuses_new_ones(tmp_path: Path, attempt: MakeAttempt) -> None:
    ledger = Ledger()
    pool = new_pool(tmp_path, ledger)
    lease = pool.lease()
    await lease.__aenter__()
    closing = asyncio.create_task(pool.close_all())
    await asyncio.sleep(0)
    assert not closing.done()
    with pytest.raises(StateError, match="closed"):
        async with pool.lease():
            pass
    ledger.settle(await lease.append_exchange(BUILDER, attempt().exchange, attempt()))
    await lease.__aexit__(None, None, None)
    await closing
    assert [name.endswith(".open") for name in names(tmp_path)] == [False]
    await pool.close_all()
    pool.drop()


async def test_a_failed_sync_ends_the_closing_and_marks_nothing_closed(
    tmp_path: Path, attempt: MakeAttempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger()
    pool = new_pool(tmp_path, ledger)
    await archive(pool, ledger, attempt())

    def fails(descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fdatasync", fails)
        with pytest.raises(StorageError, match="Input/output error"):
            await pool.close_all()
    assert not ledger.closed
    assert names(tmp_path)[0].endswith(".open")
    pool.drop()


class Killed(BaseException):
    """The process ends here: nothing more is written or cut by it."""


class Mortal:
    """Stands at the seam to the system; dies in the middle of a write, or after it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.writes_left = 1_000_000
        self.is_dead = False
        self._cut = os.ftruncate
        monkeypatch.setattr(appendfile, "write_at", self.write)
        monkeypatch.setattr(os, "ftruncate", self.cut)

    def die(self) -> None:
        self.is_dead = True

    def write(self, descriptor: int, data: bytes, offset: int) -> int:
        if self.is_dead:
            raise Killed
        self.writes_left -= 1
        if self.writes_left < 0:
            self.is_dead = True
            os.pwrite(descriptor, data[: len(data) // 2], offset)
            raise Killed
        return os.pwrite(descriptor, data, offset)

    def cut(self, descriptor: int, size: int) -> None:
        if self.is_dead:
            raise Killed
        self._cut(descriptor, size)


async def test_a_kill_at_any_write_loses_nothing_that_was_settled(
    tmp_path: Path, attempt: MakeAttempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    mortal = Mortal(monkeypatch)
    ledger = Ledger()
    settled = 0
    for kill in range(15):
        mortal.is_dead = False
        mortal.writes_left = kill % 5
        pool = new_pool(tmp_path, ledger, max_size=4000)
        with contextlib.suppress(Killed):
            for _ in range(6):
                settled += len(await archive(pool, ledger, attempt(os.urandom(700))))
        assert mortal.is_dead
        pool.drop()
    mortal.is_dead = False
    mortal.writes_left = 1_000_000
    pool = new_pool(tmp_path, ledger, max_size=4000)
    await pool.close_all()
    reports = [check_file(tmp_path / "warcs" / name) for name in names(tmp_path)]
    assert all(report.is_good for report in reports)
    assert sum(report.records["response"] for report in reports) * 3 == settled > 0


async def test_a_kill_between_the_append_and_the_batch_leaves_no_record_behind(
    tmp_path: Path, attempt: MakeAttempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    mortal = Mortal(monkeypatch)
    ledger = Ledger()
    for _ in range(3):
        mortal.is_dead = False
        pool = new_pool(tmp_path, ledger)
        await archive(pool, ledger, attempt())
        with pytest.raises(Killed):
            await archive_and_raise(pool, attempt(), Killed, mortal.die)
        pool.drop()
    mortal.is_dead = False
    pool = new_pool(tmp_path, ledger)
    await pool.close_all()
    report = check_file(tmp_path / "warcs" / names(tmp_path)[0])
    assert report.is_good
    assert report.records == {"warcinfo": 1, "response": 3, "request": 3, "metadata": 3}


async def test_at_a_standstill_every_file_is_closed_and_none_leased_and_then_it_goes_on(
    tmp_path: Path, attempt: MakeAttempt
) -> None:
    ledger = Ledger()
    pool = new_pool(tmp_path, ledger, pool_size=2)
    await archive(pool, ledger, attempt())
    order: list[str] = []

    async def toe(name: str) -> None:
        async with pool.lease():
            order.append(name)
            await asyncio.sleep(0)

    busy = [asyncio.create_task(toe(f"before {number}")) for number in range(3)]
    await asyncio.sleep(0)
    async with pool.standstill():
        late = asyncio.create_task(toe("after"))
        for _ in range(10):
            await asyncio.sleep(0)
        assert order[:2] == ["before 0", "before 1"]
        assert "after" not in order
        assert not [name for name in names(tmp_path) if name.endswith(".open")]
    await asyncio.gather(*busy, late)
    assert sorted(order) == ["after", "before 0", "before 1", "before 2"]
    await archive(pool, ledger, attempt())
    await pool.close_all()
    assert check_folder(tmp_path / "warcs").is_good


async def test_a_file_that_cannot_be_closed_ends_the_standstill_and_the_pool_goes_on(
    tmp_path: Path, attempt: MakeAttempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger()
    pool = new_pool(tmp_path, ledger, pool_size=2)
    await archive(pool, ledger, attempt())
    finish = WarcFile.finish

    def fail(file: WarcFile) -> None:
        monkeypatch.setattr(WarcFile, "finish", finish)
        raise StorageError("I/O error")

    monkeypatch.setattr(WarcFile, "finish", fail)
    with pytest.raises(StorageError):
        async with pool.standstill():
            raise AssertionError("never at a standstill")
    await archive(pool, ledger, attempt())
    await pool.close_all()
    assert check_folder(tmp_path / "warcs").is_good
