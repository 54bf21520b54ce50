"""A full disk and a failed sync, as the system really reports them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gossamer.errors import DiskFull, StorageError
from gossamer.frontier import FAMILIES, LocalFrontier
from gossamer.model.crawluri import ClassKey, CrawlURI
from gossamer.storage import RocksKV
from gossamer.storage.kv import scan_all
from gossamer.testing import FakeClock

from .conftest import RUDE

MIB = 1024 * 1024


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 MiB; only root may make one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(folder)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no file system may be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill_up(folder: Path, leave: int) -> Path:
    filler = folder / "filler"
    filler.write_bytes(bytes(shutil.disk_usage(folder).free - leave))
    return filler


def opened(folder: Path) -> LocalFrontier:
    return LocalFrontier(RocksKV(folder / "frontier", FAMILIES, log_cap=MIB), FakeClock(), RUDE)


def uris(frontier: LocalFrontier, first: int) -> list[CrawlURI]:
    urls = [f"http://a.example/{n}" for n in range(first, first + 100)]
    return [
        CrawlURI(url=url, class_key=ClassKey("a.example"), identity=frontier.identify(url, "a.example"), via="x" * 300)
        for url in urls
    ]


async def test_a_full_disk_refuses_and_loses_nothing_and_goes_on_when_there_is_room(small_disk: Path) -> None:
    """P3."""
    frontier = opened(small_disk)
    filler = fill_up(small_disk, leave=3 * MIB)
    count = 0
    with pytest.raises(DiskFull):
        for first in range(0, 1_000_000, 100):
            count += frontier.schedule(uris(frontier, first))
    assert frontier.counts().queued == count
    for _ in range(3):
        with pytest.raises(DiskFull):
            frontier.schedule(uris(frontier, 2_000_000))
    assert frontier.counts().queued == count
    frontier.close()
    filler.unlink()
    frontier = opened(small_disk)
    frontier.validate()
    assert frontier.counts().queued == count
    assert frontier.schedule(uris(frontier, 2_000_000)) == 100
    frontier.close()


@pytest.mark.parametrize("leave", [800_000, 1_700_000, 3_300_000, 5_700_000])
def test_wherever_a_disk_becomes_full_the_store_says_so_and_waits_for_nobody(small_disk: Path, leave: int) -> None:
    """P3: in the log, in a flush, or in a write that waits for a flush: it depends on the size and on luck."""
    store = RocksKV(small_disk / "store", ("a", "b"), log_cap=MIB)
    fill_up(small_disk, leave=leave)
    written = 0
    with pytest.raises(DiskFull):
        while True:
            write_some(store, written)
            written += 1
    with pytest.raises(DiskFull):
        for more in range(written + 1, written + 1000):
            write_some(store, more)
    store.close()
    (small_disk / "filler").unlink()
    store = RocksKV(small_disk / "store", ("a", "b"), log_cap=MIB)
    assert written <= sum(1 for _ in scan_all(store, "b")) // 50
    write_some(store, written)
    store.close()


def write_some(store: RocksKV, number: int) -> None:
    batch = store.batch()
    for n in range(50):
        key = (50 * number + n).to_bytes(8, "big")
        batch.put("a", key, os.urandom(200))
        batch.put("b", key, b"x" * 30)
    store.write(batch)


async def test_the_note_of_a_failed_sync_fits_on_a_full_disk(small_disk: Path) -> None:
    """P4."""
    frontier = opened(small_disk)
    frontier.schedule(uris(frontier, 0))
    frontier.note_capture([])
    fill_up(small_disk, leave=0)

    def sync(files: list[str]) -> None:
        raise DiskFull

    with pytest.raises(DiskFull):
        await frontier.commit(sync)
    frontier.close()
    (small_disk / "filler").unlink()
    again = opened(small_disk)
    assert again.recovery.undone == 1
    again.close()


COMMITS = """
import asyncio, sys
from pathlib import Path
from gossamer.config import Politeness
from gossamer.errors import StorageError
from gossamer.frontier import FAMILIES, LocalFrontier
from gossamer.model.crawluri import ClassKey, CrawlURI
from gossamer.model.disposition import Disposition, Fate
from gossamer.storage import RocksKV
from gossamer.util.clock import SystemClock

async def main():
    store = RocksKV(Path(sys.argv[1]) / "frontier", FAMILIES)
    frontier = LocalFrontier(store, SystemClock(), Politeness(delay=0, delay_factor=0))
    for n in range(2):
        url = f"http://a/{n}"
        identity = frontier.identify(url, "a")
        frontier.schedule([CrawlURI(url=url, class_key=ClassKey("a"), identity=identity)])
        frontier.finish(await frontier.next(), Disposition(fate=Fate.SUCCEEDED, status=200))
        if n:
            print("ready", flush=True)
            sys.stdin.readline()
        try:
            await frontier.commit(lambda files: None)
        except StorageError as error:
            print("refused", error, flush=True)
        else:
            print("committed", flush=True)

asyncio.run(main())
"""


def test_a_sync_of_the_log_that_the_disk_refuses_is_undone_at_the_next_start(tmp_path: Path) -> None:
    """P4: the store itself would keep what it was told before the sync failed."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    child = subprocess.Popen(
        [sys.executable, "-c", COMMITS, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdin is not None and child.stdout is not None
    try:
        assert [child.stdout.readline().strip() for _ in range(2)] == ["committed", "ready"]
        (log,) = (tmp_path / "frontier").glob("*.log")
        tracer = refuse_syncs(child.pid, log)
        try:
            child.stdin.write("\n")
            child.stdin.flush()
            assert child.stdout.readline().startswith("refused could not sync")
            child.wait(20)
        finally:
            tracer.kill()
            tracer.communicate()
    finally:
        child.kill()
        child.communicate()
    frontier = LocalFrontier(RocksKV(tmp_path / "frontier", FAMILIES), FakeClock(), RUDE)
    assert (frontier.recovery.undone, frontier.counts().succeeded, frontier.counts().queued) == (1, 1, 1)
    frontier.validate()
    frontier.close()


def refuse_syncs(pid: int, log: Path) -> subprocess.Popen[str]:
    """Have every sync of one file fail with EIO from now on."""
    tracer = subprocess.Popen(
        ["strace", "-f", "-p", str(pid), "-P", str(log), "-e", "inject=fdatasync,fsync:error=EIO"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert tracer.stderr is not None
    first = tracer.stderr.readline()
    if "attached" not in first:
        tracer.kill()
        tracer.communicate()
        pytest.skip(f"strace may not attach: {first}")
    return tracer


def test_a_store_that_cannot_be_opened_is_not_touched(tmp_path: Path) -> None:
    """Nothing ever deletes a frontier because it failed to open."""
    frontier = opened(tmp_path)
    frontier.schedule(uris(frontier, 0))
    frontier.close()
    current = tmp_path / "frontier" / "CURRENT"
    content = current.read_bytes()
    current.write_bytes(b"rubbish\n")
    before = sorted(path.name for path in (tmp_path / "frontier").iterdir() if path.suffix in (".sst", ".log"))
    with pytest.raises(StorageError):
        opened(tmp_path)
    after = sorted(path.name for path in (tmp_path / "frontier").iterdir() if path.suffix in (".sst", ".log"))
    assert after == before
    current.write_bytes(content)
    frontier = opened(tmp_path)
    assert frontier.counts().queued == 100
    frontier.close()
