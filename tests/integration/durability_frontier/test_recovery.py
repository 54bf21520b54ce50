"""What the next start makes of what the last run left."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

import pytest

from gossamer.config import Politeness
from gossamer.errors import DiskFull, StateError, StorageError
from gossamer.frontier import FAMILIES, FrontierCounts, LocalFrontier, RobotsRecord
from gossamer.model.disposition import Charge, Disposition, Fate, Span
from gossamer.storage import scan_all
from gossamer.storage.memory import MemoryKV
from gossamer.testing import FakeClock

from .conftest import DiskModel, Rig


async def test_a_kill_loses_nothing_and_undoes_nothing(rig: Rig) -> None:
    """P1."""
    rig.schedule("/1", "/2", "/3")
    rig.finish(rig.must_take(), rig.uri("/4"), is_page=True)
    held = rig.must_take()
    counts = rig.frontier.counts()
    rig.kill()
    rig.check()
    after = rig.frontier.counts()
    assert (after.discovered, after.queued, after.succeeded) == (counts.discovered, counts.queued, counts.succeeded)
    assert after.in_process == 0
    assert rig.frontier.recovery.undone == 0
    assert rig.frontier.recovery.kept == 1
    assert rig.must_take() == held


async def test_what_was_appended_and_not_settled_is_cut_away(rig: Rig) -> None:
    """P1: killed between the append and the batch."""
    rig.schedule("/1", "/2")
    rig.finish(rig.must_take())
    curi = rig.must_take()
    rig.append(curi)
    rig.kill()
    rig.check()
    assert rig.frontier.recovery.cut[rig.file] > 0
    assert rig.must_take() == curi


async def test_a_torn_tail_undoes_its_step_and_all_later_ones(rig: Rig) -> None:
    """P2."""
    rig.schedule("/1", "/2", "/3", "/4")
    rig.finish(rig.must_take())
    await rig.commit()
    rig.finish(rig.must_take(), is_page=True)
    span = rig.finish(rig.must_take(), rig.uri("/found"), is_page=True)
    rig.finish(rig.must_take())
    del rig.disk.content[rig.file][span.start + 5 :]
    rig.kill()
    rig.check()
    counts = rig.frontier.counts()
    assert (counts.succeeded, counts.pages, counts.queued, counts.discovered) == (2, 1, 3, 5)
    assert rig.frontier.recovery.undone == 2
    assert [rig.must_take().url[-2:] for _ in range(1)] == ["/3"]


async def test_a_zero_filled_tail_is_no_record(rig: Rig) -> None:
    """P2."""
    rig.schedule("/1", "/2")
    rig.finish(rig.must_take())
    span = rig.finish(rig.must_take())
    rig.disk.content[rig.file][span.start :] = bytes(span.end - span.start)
    rig.kill()
    rig.check()
    assert rig.frontier.recovery.undone == 1
    assert rig.must_take().url.endswith("/2")


async def test_a_record_of_another_step_does_not_count(rig: Rig) -> None:
    rig.schedule("/1", "/2")
    span = rig.finish(rig.must_take())
    content = rig.disk.content[rig.file]
    body = bytes(content).replace(span.record_id.encode(), b"urn:uuid:99999999")
    rig.disk.content[rig.file] = bytearray(body)
    rig.kill()
    assert rig.frontier.recovery.undone == 1


async def test_the_first_bad_record_in_one_file_undoes_later_steps_in_another(rig: Rig) -> None:
    """P2."""
    rig.schedule("/1", "/2", "/3", "/4")
    first = rig.new_file()
    rig.finish(rig.must_take())
    bad = rig.finish(rig.must_take())
    second = rig.new_file()
    rig.finish(rig.must_take())
    rig.file = first
    rig.finish(rig.must_take())
    rig.disk.content[first][bad.start] ^= 0xFF
    rig.kill()
    rig.check()
    assert rig.frontier.recovery.undone == 3
    assert rig.frontier.open_files() == {first: bad.start, second: 0}
    assert rig.frontier.counts().queued == 3


async def test_a_finish_whose_record_is_missing_is_undone(rig: Rig) -> None:
    """P2: the store kept the finish, the archive lost the record."""
    rig.schedule("/1")
    curi = rig.must_take()
    rig.finish(curi)
    rig.disk.content[rig.file].clear()
    rig.kill()
    rig.check()
    assert rig.frontier.seen(curi.identity) is not None
    assert rig.must_take() == curi


async def test_what_a_commit_covered_is_never_looked_at_again(rig: Rig) -> None:
    rig.schedule("/1", "/2")
    rig.finish(rig.must_take())
    await rig.commit()
    asked: list[Span] = []
    rig.disk.is_whole = lambda span: asked.append(span) is None  # type: ignore[method-assign]
    rig.kill()
    assert asked == []
    assert rig.frontier.recovery.kept == 0


async def test_several_steps_of_one_uri_are_undone_to_the_first(rig: Rig) -> None:
    """P2: undone last first, so that it stands where it stood before the first of them."""
    rig.schedule("/1", "/2")
    rig.new_file()
    first = rig.must_take()
    start = len(rig.disk.content[rig.file])
    rig.finish(first, fate=Fate.RETRY, charge=Charge.URI, status=500)
    other = rig.must_take()
    rig.finish(other, fate=Fate.RETRY, charge=Charge.THROTTLED, status=503)
    rig.clock.advance(7000)
    for _ in range(2):
        curi = rig.must_take()
        assert curi.attempts == 1
        rig.finish(curi, is_page=True)
    rig.disk.content[rig.file][start] ^= 1
    rig.kill()
    rig.check()
    assert rig.frontier.recovery.undone == 4
    again = rig.must_take()
    assert (again, again.attempts) == (first, 0)
    report = rig.frontier.why(first.class_key)
    assert report is not None and report.failures == 0


async def test_a_host_given_up_in_an_undone_step_is_not_given_up(make_schedule: Politeness) -> None:
    rig = Rig(make_schedule)
    rig.schedule("/1")
    curi = rig.must_take()
    span = rig.finish(curi, fate=Fate.RETRY, charge=Charge.HOST, status=-2, requested=False)
    assert rig.frontier.unreachable(curi.class_key)
    rig.disk.content[rig.file][span.start] ^= 1
    rig.kill()
    assert not rig.frontier.unreachable(curi.class_key)
    rig.check()


@pytest.fixture
def make_schedule() -> Politeness:
    return Politeness(delay=0, delay_factor=0, host_schedule=())


async def test_an_undone_failure_is_no_longer_among_the_failed(rig: Rig) -> None:
    rig.schedule("/1")
    curi = rig.must_take()
    span = rig.finish(curi, fate=Fate.FAILED, status=-5, reason="CRASHED")
    rig.disk.content[rig.file][span.start] ^= 1
    rig.kill()
    rig.check()
    counts = rig.frontier.counts()
    assert (counts.failed, counts.queued, counts.reasons) == (0, 1, {})
    assert rig.frontier.revive(curi.class_key) == 0


async def test_an_undone_robots_txt_is_forgotten(rig: Rig) -> None:
    """P2."""
    rig.schedule("/1")
    curi = rig.must_take()
    rig.frontier.begin_robots("http://a.example", curi.class_key)
    span = rig.append(curi, Fate.DISREGARDED)
    told = Disposition(fate=Fate.SUCCEEDED, status=200, spans=(span,), wire_bytes=50)
    noted = RobotsRecord(authority="http://a.example", fetched=1.0, outcome="rules")
    rig.frontier.note_robots(noted, curi.class_key, told)
    rig.kill()
    assert rig.frontier.robots("http://a.example") == noted
    assert rig.frontier.begin_robots("http://a.example", curi.class_key), "a claim dies with its process"
    rig.frontier.abandon_robots("http://a.example", curi.class_key)
    rig.schedule("/2")
    again = rig.must_take()
    rig.frontier.begin_robots("https://a.example", again.class_key)
    span = rig.append(again, Fate.DISREGARDED)
    noted = RobotsRecord(authority="https://a.example", fetched=1.0, outcome="rules")
    rig.frontier.note_robots(noted, again.class_key, Disposition(fate=Fate.SUCCEEDED, status=200, spans=(span,)))
    rig.disk.content[rig.file][span.start] ^= 1
    rig.kill()
    assert rig.frontier.robots("http://a.example") is not None
    assert rig.frontier.robots("https://a.example") is None


async def test_an_undone_capture_is_cut_away(rig: Rig) -> None:
    rig.schedule("/1")
    span = rig.append(rig.uri("/dns"), Fate.DISREGARDED, size=0)
    rig.frontier.note_capture([span])
    rig.disk.content[rig.file][span.start] ^= 1
    rig.kill()
    assert rig.disk.content[rig.file] == b""
    rig.check()


async def test_a_step_without_records_falls_with_those_before_it(rig: Rig) -> None:
    rig.schedule("/1", "/2")
    span = rig.finish(rig.must_take())
    curi = rig.must_take()
    told = Disposition(fate=Fate.DISREGARDED, status=-9998, reason="robots")
    rig.frontier.finish(curi, told)
    rig.disk.content[rig.file][span.start] ^= 1
    rig.kill()
    rig.check()
    assert rig.frontier.counts().disregarded == 0
    assert rig.frontier.counts().reasons == {}


async def test_an_undone_uri_that_was_forced_meanwhile_is_queued_once(rig: Rig) -> None:
    rig.schedule("/1")
    span = rig.finish(rig.must_take())
    rig.frontier.schedule([rig.uri("/1")], force=True)
    rig.disk.content[rig.file][span.start] ^= 1
    rig.kill()
    rig.check()
    counts = rig.frontier.counts()
    assert (counts.discovered, counts.queued) == (1, 1)


async def test_an_undone_retry_that_was_deleted_meanwhile_stays_deleted(rig: Rig) -> None:
    rig.schedule("/1")
    span = rig.finish(rig.must_take(), fate=Fate.RETRY, charge=Charge.URI, status=500)
    assert await rig.frontier.delete_matching(lambda curi: True) == 1
    rig.disk.content[rig.file][span.start] ^= 1
    rig.kill()
    rig.check()
    assert rig.frontier.is_empty()


# ---- files


async def test_a_file_the_store_does_not_name_is_never_touched(rig: Rig) -> None:
    rig.schedule("/1")
    rig.finish(rig.must_take())
    rig.disk.create("warcs/foreign.warc.gz")
    rig.disk.content["warcs/foreign.warc.gz"] += b"not ours"
    rig.kill()
    assert rig.disk.content["warcs/foreign.warc.gz"] == b"not ours"
    assert "warcs/foreign.warc.gz" not in rig.frontier.known_files()


async def test_a_file_registered_but_never_made_is_forgotten(rig: Rig) -> None:
    rig.frontier.register_file("warcs/001.warc.gz")
    rig.kill()
    assert rig.frontier.known_files() == []


async def test_a_file_that_got_its_final_name_unnoticed_is_closed(rig: Rig) -> None:
    rig.schedule("/1")
    rig.finish(rig.must_take())
    rig.disk.sync(rig.file)
    rig.disk.final.add(rig.file)
    file = rig.file
    rig.kill()
    assert rig.frontier.open_files() == {}
    assert rig.frontier.known_files() == [file]
    rig.check()


async def test_an_undone_record_in_a_closed_file_is_cut_away(rig: Rig) -> None:
    """P4: the file was synced, but the store's log was not."""
    rig.schedule("/1", "/2")
    rig.finish(rig.must_take())
    await rig.commit()
    span = rig.finish(rig.must_take())
    file = rig.file
    rig.close_file()
    rig.disk.content[file][span.start] ^= 1
    rig.kill()
    rig.check()
    assert len(rig.disk.content[file]) == span.start
    assert rig.frontier.open_files() == {}


async def test_a_closed_file_belongs_to_its_owner(rig: Rig) -> None:
    """It may be moved away or packed anew."""
    rig.schedule("/1")
    rig.finish(rig.must_take())
    await rig.commit()
    file = rig.file
    rig.close_file()
    rig.disk.content[file] += b"and more"
    rig.kill()
    assert rig.disk.content[file].endswith(b"and more")
    del rig.disk.content[file]
    rig.kill()
    assert rig.frontier.known_files() == [file]
    assert rig.frontier.recovery.damaged == []


async def test_a_file_that_lost_durable_bytes_is_reported_and_gone_on_with(rig: Rig) -> None:
    rig.schedule("/1", "/2", "/3")
    rig.finish(rig.must_take())
    span = rig.finish(rig.must_take())
    await rig.commit()
    rig.finish(rig.must_take())
    del rig.disk.content[rig.file][span.start + 3 :]
    rig.kill()
    assert rig.frontier.recovery.undone == 1
    (sentence,) = rig.frontier.recovery.damaged
    assert rig.file in sentence
    assert rig.frontier.open_files() == {rig.file: span.start + 3}
    rig.frontier.validate()


async def test_without_a_file_that_was_written_to_nothing_is_done(rig: Rig) -> None:
    """Its disk may not be mounted."""
    rig.schedule("/1")
    rig.finish(rig.must_take())
    content = rig.disk.content.pop(rig.file)
    before = {family: list(scan_all(rig.store, family)) for family in FAMILIES}
    with pytest.raises(StorageError, match="put it back"):
        rig.kill()
    rig.store = rig.store.crash()
    assert {family: list(scan_all(rig.store, family)) for family in FAMILIES} == before
    rig.disk.content[rig.file] = content
    rig.kill()
    rig.check()


async def test_a_store_that_names_files_is_not_opened_without_them(rig: Rig) -> None:
    rig.schedule("/1")
    rig.finish(rig.must_take())
    store = rig.store.crash()
    with pytest.raises(StorageError, match="without an archive"):
        LocalFrontier(store, FakeClock(), rig.politeness)


async def test_spans_must_lie_behind_the_tail_of_an_open_file(rig: Rig) -> None:
    rig.schedule("/1")
    curi = rig.must_take()
    told = Disposition(fate=Fate.SUCCEEDED, status=200, spans=(Span(file="warcs/none", start=0, end=5),))
    with pytest.raises(StateError, match="not registered"):
        rig.frontier.finish(curi, told)
    span = rig.append(curi)
    rig.frontier.note_capture([span])
    with pytest.raises(StateError, match="behind its tail"):
        rig.frontier.finish(curi, Disposition(fate=Fate.SUCCEEDED, status=200, spans=(span,)))
    with pytest.raises(StateError, match="already"):
        rig.frontier.register_file(rig.file)
    rig.frontier.validate()
    assert rig.frontier.counts().in_process == 1


# ---- commits


async def test_after_a_commit_a_loss_of_power_costs_nothing(rig: Rig) -> None:
    """P2."""
    rig.schedule("/1", "/2")
    rig.finish(rig.must_take())
    assert (rig.frontier.uncommitted, rig.frontier.uncommitted_bytes > 0) == (1, True)
    await rig.commit()
    assert (rig.frontier.uncommitted, rig.frontier.uncommitted_bytes) == (0, 0)
    rig.lose_power(random.Random(1), keep=0)
    rig.check()
    assert rig.frontier.counts().succeeded == 1


async def test_what_is_settled_during_a_commit_is_not_covered_by_it(rig: Rig) -> None:
    rig.schedule("/1", "/2")
    rig.finish(rig.must_take())
    later = rig.must_take()

    def sync(files: list[str]) -> None:
        rig.disk.sync_all(files)
        rig.finish(later)

    await rig.frontier.commit(sync)
    assert rig.frontier.uncommitted == 1
    asked: list[Span] = []
    rig.disk.is_whole = lambda span: asked.append(span) is None  # type: ignore[method-assign]
    rig.kill()
    assert len(asked) == 1


async def test_a_file_that_is_closed_during_a_commit_stays_closed(rig: Rig) -> None:
    rig.schedule("/1")
    rig.finish(rig.must_take())
    closed = rig.file

    def sync(files: list[str]) -> None:
        assert closed in files
        rig.disk.sync_all(files)
        rig.close_file()

    await rig.frontier.commit(sync)
    assert closed not in rig.frontier.open_files()
    assert closed in rig.frontier.known_files()
    rig.kill()
    rig.check()
    assert closed not in rig.frontier.open_files()
    assert rig.frontier.counts().succeeded == 1


async def test_a_commit_syncs_the_files_that_grew_and_after_a_failure_the_same_again(rig: Rig) -> None:
    rig.schedule("/1", "/2")
    rig.finish(rig.must_take())
    synced: list[list[str]] = []

    def fail(files: list[str]) -> None:
        raise StorageError("EIO")

    with pytest.raises(StorageError):
        await rig.frontier.commit(fail)
    for _ in range(2):
        await rig.frontier.commit(synced.append)
    rig.finish(rig.must_take())
    await rig.frontier.commit(synced.append)
    assert synced == [[rig.file], [], [rig.file]]


@pytest.mark.parametrize("error", [StorageError("EIO"), DiskFull("ENOSPC")])
async def test_after_a_failed_sync_everything_not_durable_is_done_again(rig: Rig, error: StorageError) -> None:
    """P4: even if it looks whole, since the kernel forgets a write that failed."""
    rig.schedule("/1", "/2", "/3")
    rig.finish(rig.must_take())
    await rig.commit()
    rig.finish(rig.must_take())

    def sync(files: list[str]) -> None:
        raise error

    with pytest.raises(type(error)):
        await rig.frontier.commit(sync)
    rig.kill()
    rig.check()
    assert rig.frontier.recovery.undone == 1
    assert rig.frontier.counts().succeeded == 1
    rig.finish(rig.must_take())
    rig.kill()
    assert rig.frontier.recovery.undone == 0, "the suspicion ended with the recovery"


async def test_a_sync_of_the_log_that_fails_makes_it_suspect_too(rig: Rig) -> None:
    """P4."""
    rig.schedule("/1")
    rig.finish(rig.must_take())

    def faults(doing: str) -> None:
        if doing == "sync":
            raise StorageError("EIO")

    rig.store.faults = faults
    with pytest.raises(StorageError, match="EIO"):
        await rig.commit()
    rig.kill()
    rig.check()
    assert rig.frontier.recovery.undone == 1


async def test_files_of_a_commit_that_failed_are_synced_by_the_next(rig: Rig) -> None:
    rig.schedule("/1")
    rig.finish(rig.must_take())

    def sync(files: list[str]) -> None:
        raise DiskFull

    with pytest.raises(DiskFull):
        await rig.frontier.commit(sync)
    synced: list[str] = []
    await rig.frontier.commit(synced.extend)
    assert synced == [rig.file]


# ---- a refused write


@pytest.mark.parametrize("error", [DiskFull(), StorageError()])
async def test_a_write_that_fails_changes_nothing(rig: Rig, error: StorageError) -> None:
    """P3."""
    rig.schedule("/1", "/2")
    rig.new_file()
    curi = rig.must_take()

    def everything() -> tuple[FrontierCounts, dict[str, int], int]:
        return rig.frontier.counts(), rig.frontier.open_files(), rig.frontier.uncommitted

    before = everything()

    def faults(doing: str) -> None:
        raise error

    steps: list[Callable[[], object]] = [
        lambda: rig.finish(curi, rig.uri("/3")),
        lambda: rig.finish(curi, fate=Fate.RETRY, charge=Charge.URI),
        lambda: rig.schedule("/4"),
        lambda: rig.schedule("/", host="b.example"),
        lambda: rig.frontier.note_seen(rig.uri("/5").identity),
        lambda: rig.frontier.register_file("warcs/x"),
        lambda: rig.frontier.mark_closed(rig.file),
        lambda: rig.frontier.retire(curi.class_key),
        lambda: rig.frontier.note_capture([]),
    ]
    for step in steps:
        rig.store.faults = faults
        with pytest.raises(type(error)):
            step()
        rig.store.faults = None
        rig.frontier.validate()
        assert everything() == before
    rig.finish(curi, rig.uri("/3"))
    rig.check()


# ---- a clean stop


async def test_after_a_clean_stop_nothing_is_checked_and_nobody_rests() -> None:
    rig = Rig(Politeness(delay=5))
    rig.schedule("/1")
    rig.schedule("/1", host="b.example")
    rig.finish(rig.must_take())
    assert not rig.frontier.mark_clean(), "something is not durable"
    await rig.commit()
    held = rig.must_take()
    assert not rig.frontier.mark_clean(), "something is in process"
    rig.frontier.give_back(held)
    assert rig.frontier.mark_clean()
    rig.kill()
    assert rig.frontier.recovery.was_clean
    assert rig.take() == held
    rig.kill()
    assert not rig.frontier.recovery.was_clean, "it counts once"


async def test_after_an_unclean_stop_each_host_rests_first() -> None:
    """P9: the last request may not have been recorded."""
    rig = Rig(Politeness(delay=5))
    rig.schedule("/1", "/2")
    rig.schedule("/1", host="b.example")
    rig.must_take()
    rig.kill()
    assert rig.take() is None
    rig.clock.advance(4.9)
    assert rig.take() is None
    rig.clock.advance(0.2)
    assert rig.take() is not None
    assert rig.take() is not None


class PassingClock(FakeClock):
    """One on which `step` seconds pass after each look at it."""

    step = 0.0

    def monotonic(self) -> float:
        now = super().monotonic()
        self._now += self.step
        return now


async def test_a_toe_is_woken_though_the_first_rest_ends_between_its_look_and_its_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """P9: who looks a moment too early must not wait for ever, whatever passes until the timer is set."""
    monkeypatch.setattr(f"{Rig.__module__}.FakeClock", PassingClock)
    rig = Rig(Politeness(delay=5))
    rig.schedule("/1")
    rig.kill()
    rig.clock.advance(4.9999)
    monkeypatch.setattr(PassingClock, "step", 0.001)
    waiting = asyncio.create_task(rig.frontier.next())
    await asyncio.sleep(0)
    assert not waiting.done()
    rig.clock.advance(0.001)
    assert (await asyncio.wait_for(waiting, 1)).url.endswith("/1")


async def test_a_crawl_delay_holds_over_an_unclean_stop() -> None:
    """P9."""
    rig = Rig(Politeness(delay=1))
    rig.schedule("/1", "/2")
    rig.finish(rig.must_take(), crawl_delay_seconds=40.0)
    rig.clock.advance(40)
    rig.must_take()
    rig.kill()
    rig.clock.advance(39)
    assert rig.take() is None
    rig.clock.advance(1.1)
    assert rig.take() is not None


async def test_a_rest_holds_over_a_clean_stop() -> None:
    """P9."""
    rig = Rig(Politeness(delay=50))
    rig.schedule("/1", "/2")
    rig.schedule("/1", host="b.example")
    rig.finish(rig.must_take())
    back = rig.must_take()
    rig.frontier.started(back, rig.clock.monotonic())
    rig.frontier.give_back(back)
    await rig.commit()
    assert rig.frontier.mark_clean()
    rig.kill()
    rig.clock.advance(49)
    assert rig.take() is None
    rig.clock.advance(1.1)
    assert {rig.must_take().class_key, rig.must_take().class_key} == {"a.example", "b.example"}


@pytest.mark.parametrize("jump", [-86_400.0, 86_400.0])
async def test_a_wall_clock_that_is_set_while_running_changes_no_rest(jump: float) -> None:
    """P9."""
    rig = Rig(Politeness(delay=100))
    rig.schedule("/1", "/2")
    rig.finish(rig.must_take())
    rig.clock.set_wall(rig.clock.wall() + jump)
    rig.clock.advance(99)
    assert rig.take() is None
    rig.clock.advance(1.1)
    assert rig.take() is not None


async def test_a_wall_clock_set_back_between_runs_keeps_nobody_waiting_for_ever() -> None:
    """P9."""
    rig = Rig(Politeness(delay=1, max_retry_after=200, max_throttle=200, host_schedule=(200.0,), max_crawl_delay=200))
    for host in ("a.example", "b.example", "c.example"):
        rig.schedule("/1", host=host)
    for _ in range(3):
        told = {"charge": Charge.THROTTLED, "status": 429, "retry_after_seconds": 150.0}
        rig.finish(rig.must_take(), fate=Fate.RETRY, **told)
    await rig.commit()
    rig.frontier.mark_clean()
    rig.clock.set_wall(rig.clock.wall() - 86_400)
    rig.kill()
    rig.clock.advance(201)
    assert {rig.must_take().class_key for _ in range(3)} == {"a.example", "b.example", "c.example"}
    rig.frontier.validate()


# ---- a kill during recovery


class Killed(Exception):
    """The process died here."""


async def test_recovery_may_be_killed_at_any_step_and_ends_the_same() -> None:
    """P1."""
    expected = None
    for steps in range(200):
        rig, bad = await damaged_crawl()
        is_through = kill_recovery_after(rig, steps)
        rig.kill()
        rig.check()
        outcome = {family: list(scan_all(rig.store, family)) for family in FAMILIES if family != "meta"}
        state = (outcome, rig.frontier.counts(), dict(rig.disk.content), rig.frontier.open_files())
        expected = expected or state
        assert state == expected, f"killed after {steps} steps of recovery, another end"
        assert len(rig.disk.content[bad.file]) == bad.start
        if is_through:
            return
    raise AssertionError("recovery takes more than 200 steps")


async def damaged_crawl() -> tuple[Rig, Span]:
    """Several files, several steps to undo, one of them in a closed file; the identity key is always the same."""
    store = MemoryKV(FAMILIES)
    batch = store.batch()
    batch.put("meta", b"identity_key", b"k" * 32)
    store.write(batch)
    rig = Rig(store=store)
    rig.schedule("/1", "/2", "/3", "/4", "/5", "/6")
    first = rig.new_file()
    rig.finish(rig.must_take())
    await rig.commit()
    bad = rig.finish(rig.must_take(), is_page=True)
    rig.finish(rig.must_take(), fate=Fate.RETRY, charge=Charge.URI, status=500)
    rig.close_file()
    second = rig.new_file()
    rig.finish(rig.must_take(), rig.uri("/7"))
    rig.append(rig.must_take())
    assert first != second
    rig.disk.content[first][bad.start] ^= 1
    return rig, bad


def kill_recovery_after(rig: Rig, steps: int) -> bool:
    """Start again, and die after so many changes to store or disk; whether recovery came through before."""
    rig.store = rig.store.crash()
    left = steps

    def step(_: object = None) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed

    class DyingDisk(DiskModel):
        def truncate(self, file: str, size: int) -> None:
            step()
            super().truncate(file, size)

        def sync(self, file: str) -> None:
            step()
            super().sync(file)

    disk = DyingDisk()
    disk.content, disk.synced, disk.final = rig.disk.content, rig.disk.synced, rig.disk.final
    rig.store.faults = step
    try:
        LocalFrontier(rig.store, rig.clock, rig.politeness, files=disk)
    except Killed:
        return False
    return True
