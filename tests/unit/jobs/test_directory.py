from __future__ import annotations

import os
import resource
import signal
from pathlib import Path

import pytest

from gossamer.config import CrawlConfig
from gossamer.errors import ConfigError, JobInUse, StorageError
from gossamer.jobs.directory import LONGEST_NAME, JobDirectory, default_folder
from gossamer.model.events import SeedRejected
from gossamer.seeds import parse_seed
from gossamer.storage.files import FolderLock

NOW = 1_700_000_000.0  # 2023-11-14 22:13:20 UTC
STAMP = "20231114221320"


def _job(path: Path) -> JobDirectory:
    directory = JobDirectory(path)
    directory.create()
    directory.write_settings(CrawlConfig(max_pages=10))
    directory.write_seeds([parse_seed("example.org")])
    directory.state.mkdir()
    (directory.state / "CURRENT").write_text("store")
    (directory.warcs / "A-00001.warc.gz").write_text("archive")
    directory.crawl_log.write_text("line\n")
    return directory


def _all_files(path: Path) -> dict[str, str]:
    return {str(file.relative_to(path)): file.read_text() for file in path.rglob("*") if file.is_file()}


# ---- the name of a new one


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://example.org/path?q", "example.org"),
        ("https://EXAMPLE.org./", "example.org"),
        ("http://example.org:80/", "example.org"),
        ("http://localhost:8080/", "localhost_8080"),
        ("http://[2001:db8::1]:81/", "ipv6-2001-db8--1_81"),
        ("http://[::1]/", "ipv6---1"),
        ("https://exämple.org/", "xn--exmple-cua.org"),
        ("http://0x7f.1/", "127.0.0.1"),
        ("https://a_b-c.example/", "a_b-c.example"),
    ],
)
def test_a_new_job_is_named_after_the_host_of_its_seed(url: str, name: str) -> None:
    assert default_folder(url) == Path("crawls") / name


def test_a_long_host_makes_a_short_name_that_no_other_host_has() -> None:
    host = ".".join(["a" * 63] * 3)
    names = [default_folder(f"https://{host}.{last}:65535/").name for last in ("b" * 59, "c" * 59)]
    assert [len(name) for name in names] == [LONGEST_NAME, LONGEST_NAME]
    assert names[0] != names[1]


@pytest.mark.parametrize(
    "url", ["https://../x", "https://.../", "https://%2e%2e/", "https://a%2fb/", "https://a/../../etc"]
)
def test_no_host_makes_a_path_outside_the_folder_of_crawls(url: str) -> None:
    try:
        folder = default_folder(url)
    except ValueError:
        return
    assert folder.parent == Path("crawls")
    assert folder.name not in {"", ".", ".."}


# ---- is it a job?


def test_a_new_job_gets_its_folders_and_nothing_else(tmp_path: Path) -> None:
    directory = JobDirectory(tmp_path / "deep" / "job")
    directory.create()
    directory.create()
    assert sorted(place.name for place in directory.path.iterdir()) == ["logs", "reports", "spool", "warcs"]
    assert not directory.is_job()
    assert not directory.has_state()


def test_making_the_object_touches_nothing(tmp_path: Path) -> None:
    JobDirectory(tmp_path / "job")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.odt").write_text("precious")
    with pytest.raises(ConfigError, match=r"is not a job and not empty \(it has 'thesis.odt'\)"):
        JobDirectory(tmp_path).create()
    assert _all_files(tmp_path) == {"thesis.odt": "precious"}


def test_a_job_may_hold_files_of_its_owner(tmp_path: Path) -> None:
    directory = _job(tmp_path / "job")
    (directory.path / "notes.txt").write_text("mine")
    directory.open()
    directory.create()


def test_opening_makes_folders_that_are_missing(tmp_path: Path) -> None:
    directory = _job(tmp_path / "job")
    directory.spool.rmdir()
    directory.open()
    assert directory.spool.is_dir()


def test_a_job_is_known_by_its_settings_or_its_state(tmp_path: Path) -> None:
    by_settings, by_state = JobDirectory(tmp_path / "a"), JobDirectory(tmp_path / "b")
    by_settings.path.mkdir()
    by_settings.settings_file.write_text("")
    by_state.state.mkdir(parents=True)
    assert not by_state.is_job()
    (by_state.state / "CURRENT").write_text("x")
    for directory in (by_settings, by_state):
        directory.open()
        assert directory.is_job()
    assert (by_settings.has_state(), by_state.has_state()) == (False, True)


def test_what_cannot_be_a_job_is_refused_with_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for refuse, path, message in [
        (JobDirectory.open, tmp_path / "absent", "there is no folder .*absent; `gossamer crawl URL --job"),
        (JobDirectory.open, tmp_path, "is not a job: it has neither gossamer.toml nor a state folder"),
        (JobDirectory.open, file, "is not a folder; a job needs one"),
        (JobDirectory.create, file, "is not a folder; a job needs one"),
        (JobDirectory.create, file / "below", "cannot be made: Not a directory"),
        (JobDirectory.create, tmp_path / ("x" * 300), "cannot be looked at: File name too long"),
        (JobDirectory.create, Path("/proc/gossamer"), "cannot be made: "),
    ]:
        with pytest.raises(ConfigError, match=message):
            refuse(JobDirectory(path))


# ---- what is in it


def test_settings_and_seeds_are_read_back_as_they_were_stored(tmp_path: Path) -> None:
    directory = JobDirectory(tmp_path / "job")
    directory.create()
    seeds = [parse_seed("example.org/" + "x" * 1000, 1), parse_seed("http://localhost:81/", 2)]
    config = CrawlConfig(max_pages=10, delay="500ms", folder=directory.path)
    directory.write_settings(config)
    directory.write_seeds(seeds)
    assert directory.settings() == config
    assert list(directory.seeds()) == seeds


def test_a_job_without_files_has_defaults_and_no_seeds(tmp_path: Path) -> None:
    directory = JobDirectory(tmp_path)
    assert directory.settings() == CrawlConfig(folder=tmp_path)
    assert list(directory.seeds()) == []


def test_bad_lines_of_a_stored_seed_file_are_told(tmp_path: Path) -> None:
    directory = JobDirectory(tmp_path)
    directory.seeds_file.write_text("example.org\nftp://x/\n")
    assert [type(found) for found in directory.seeds()][1] is SeedRejected
    directory.seeds_file.unlink()
    directory.seeds_file.mkdir()
    with pytest.raises(ConfigError, match=r"seeds\.txt cannot be read: Is a directory"):
        list(directory.seeds())


def test_archive_files_are_those_closed_and_those_open(tmp_path: Path) -> None:
    directory = JobDirectory(tmp_path / "job")
    directory.create()
    for name in ("A-2.warc.gz.open", "A-1.warc.gz", "A-3.warc.gz", "A-1.warc.gz.bak", "notes.txt"):
        (directory.warcs / name).write_text("")
    assert [file.name for file in directory.archive_files()] == ["A-1.warc.gz", "A-2.warc.gz.open", "A-3.warc.gz"]


def test_every_place_of_a_job_lies_in_its_folder(tmp_path: Path) -> None:
    directory = JobDirectory(tmp_path)
    paths = directory.paths()
    for place in (paths.state, paths.warcs, paths.crawl_log, paths.spool, paths.lock, directory.control_socket):
        assert place.is_relative_to(paths.folder)


# ---- starting over


def test_starting_over_moves_the_state_aside_and_deletes_nothing(tmp_path: Path) -> None:
    directory = _job(tmp_path / "job")
    before = _all_files(directory.path)
    moved = directory.fresh(NOW)
    assert moved == [directory.path / f"state.{STAMP}", directory.logs / f"crawl.log.{STAMP}"]
    after = _all_files(directory.path)
    assert set(before.values()) <= set(after.values())
    assert after[f"state.{STAMP}/CURRENT"] == "store"
    assert after[f"logs/crawl.log.{STAMP}"] == "line\n"
    assert after["warcs/A-00001.warc.gz"] == "archive"
    assert after[f"gossamer.toml.{STAMP}"] == after["gossamer.toml"]
    assert after[f"seeds.txt.{STAMP}"] == after["seeds.txt"] == "example.org\n"
    assert not directory.has_state()
    assert directory.is_job()


def test_starting_over_moves_every_crawl_log_aside(tmp_path: Path) -> None:
    directory = _job(tmp_path / "job")
    (directory.logs / "crawl-2.log").write_text("more\n")
    directory.fresh(NOW)
    assert sorted(path.name for path in directory.logs.glob("crawl*")) == [f"crawl-2.log.{STAMP}", f"crawl.log.{STAMP}"]


def test_starting_over_twice_in_a_second_keeps_both(tmp_path: Path) -> None:
    directory = _job(tmp_path / "job")
    directory.fresh(NOW)
    directory.state.mkdir()
    (directory.state / "CURRENT").write_text("second")
    assert directory.fresh(NOW) == [directory.path / f"state.{STAMP}.1"]
    assert (directory.path / f"state.{STAMP}" / "CURRENT").read_text() == "store"
    assert (directory.path / f"state.{STAMP}.1" / "CURRENT").read_text() == "second"


def test_starting_over_where_nothing_was_begun_does_nothing(tmp_path: Path) -> None:
    directory = JobDirectory(tmp_path / "job")
    assert directory.fresh(NOW) == []
    directory.create()
    directory.write_settings(CrawlConfig())
    assert directory.fresh(NOW) == []
    assert _all_files(directory.path).keys() == {"gossamer.toml"}


def test_a_log_left_by_an_interrupted_start_over_is_moved_by_the_next(tmp_path: Path) -> None:
    directory = _job(tmp_path / "job")
    directory.state.rename(directory.path / f"state.{STAMP}")
    assert directory.fresh(NOW) == [directory.logs / f"crawl.log.{STAMP}.1"]


def test_a_job_in_use_cannot_be_started_over(tmp_path: Path) -> None:
    directory = _job(tmp_path / "job")
    with FolderLock(directory.path), pytest.raises(JobInUse):
        directory.fresh(NOW)
    assert directory.has_state()


def test_what_cannot_be_moved_is_a_storage_error(tmp_path: Path) -> None:
    directory = _job(tmp_path / "job")
    directory.seeds_file.unlink()
    directory.seeds_file.mkdir()
    with pytest.raises(StorageError, match=r"could not copy .*seeds\.txt"):
        directory.fresh(NOW)
    assert directory.has_state()


def test_seeds_added_one_by_one_have_the_file_read_once_and_again_when_somebody_else_wrote_it(tmp_path: Path) -> None:
    class Counting(JobDirectory):
        read = 0

        def seeds(self):
            self.read += 1
            return super().seeds()

    directory = Counting(tmp_path / "job")
    directory.create()
    directory.write_seeds([parse_seed("http://a.example/")])
    for number in range(20):
        directory.add_seeds([parse_seed(f"http://a.example/{number % 15}")])
    assert directory.read == 1
    with directory.seeds_file.open("a") as stream:
        stream.write("http://b.example/\n")
    directory.add_seeds([parse_seed("http://b.example/")])
    assert directory.read == 2
    assert directory.seeds_file.read_text().splitlines() == [
        "http://a.example/",
        *(f"http://a.example/{number}" for number in range(15)),
        "http://b.example/",
    ]


def test_a_thousand_seeds_added_one_by_one_are_appended_and_synced_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = JobDirectory(tmp_path / "job")
    directory.create()
    directory.seeds_file.write_text("# mine\nhttp://a.example/")
    inode = directory.seeds_file.stat().st_ino
    synced: list[int] = []
    for name in ("fsync", "fdatasync"):
        monkeypatch.setattr(os, name, synced.append)
    urls = [f"http://a.example/{number}" for number in range(1000)]
    for url in urls:
        directory.add_seeds([parse_seed(url)])
    assert synced == []
    directory.sync()
    directory.sync()
    assert len(synced) == 2  # the file, and the folder that names it
    assert directory.seeds_file.read_text().splitlines() == ["# mine", "http://a.example/", *urls]
    assert directory.seeds_file.stat().st_ino == inode


def test_an_append_that_fails_leaves_the_seeds_as_they_were(tmp_path: Path) -> None:
    directory = JobDirectory(tmp_path / "job")
    directory.create()
    directory.write_seeds([parse_seed("http://a.example/")])
    seeds = [parse_seed(f"http://b.example/{number}") for number in range(1000)]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, limits[1]))
        with pytest.raises(StorageError, match="could not write"):
            directory.add_seeds(seeds)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert directory.seeds_file.read_text() == "http://a.example/\n"
    directory.seeds_file.unlink()
    directory.add_seeds(seeds[:1])
    directory.seeds_file.unlink()
    directory.sync()
