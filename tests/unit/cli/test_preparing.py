from __future__ import annotations

import io
from pathlib import Path

import pytest

from gossamer.cli.preparing import Prepared, Request, needs_contact, prepare
from gossamer.config import CrawlConfig, with_named
from gossamer.errors import ConfigError, JobInUse
from gossamer.jobs import JobDirectory
from gossamer.model.events import SeedRejected
from gossamer.seeds import parse_seed
from gossamer.storage import FolderLock

SEED = "https://example.org/"


def prepared(folder: Path, *urls: str, **more: object) -> Prepared:
    return prepare(Request(urls=urls or (SEED,), folder=folder, **more))  # type: ignore[arg-type]


def begin(folder: Path) -> None:
    """Leave behind what a crawl that was begun leaves."""
    state = JobDirectory(folder).state
    state.mkdir()
    (state / "CURRENT").write_text("x")


def test_a_new_folder_gets_settings_and_seeds(tmp_path: Path):
    job = prepared(tmp_path / "job", "example.org", SEED, settings={"politeness.delay": 2.0})
    assert [seed.url for seed in job.seeds] == [SEED]
    assert (tmp_path / "job/seeds.txt").read_text() == "example.org\n"
    assert JobDirectory(tmp_path / "job").settings().politeness.delay == 2.0
    assert job.config.folder == tmp_path / "job"


def test_without_a_folder_the_job_is_named_after_the_first_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    job = prepare(Request(urls=["http://127.0.0.1:8080/x", SEED]))
    assert job.directory.path == Path("crawls/127.0.0.1_8080")


def test_a_foreground_crawl_tries_a_silent_host_for_half_a_minute(tmp_path: Path):
    job = prepared(tmp_path / "job")
    assert job.config.politeness.first_contact_schedule == (5.0, 15.0)
    assert JobDirectory(tmp_path / "job").settings().politeness.first_contact_schedule is None


def test_a_schedule_that_was_configured_stands(tmp_path: Path):
    job = prepared(tmp_path / "job", settings={"politeness.first_contact_schedule": [1.0]})
    assert job.config.politeness.first_contact_schedule == (1.0,)


def test_the_same_command_goes_on(tmp_path: Path):
    prepared(tmp_path / "job", settings={"scope.max_depth": 3})
    begin(tmp_path / "job")
    job = prepared(tmp_path / "job", settings={"scope.max_depth": 3})
    assert job.config.scope.max_depth == 3 and job.moved == ()


def test_without_urls_the_stored_seeds_are_crawled(tmp_path: Path):
    prepared(tmp_path / "job", "https://a.example/", "https://b.example/")
    job = prepare(Request(folder=tmp_path / "job"))
    assert [seed.url for seed in job.seeds] == ["https://a.example/", "https://b.example/"]


def test_limits_may_be_raised_and_are_remembered(tmp_path: Path):
    prepared(tmp_path / "job", settings={"limits.max_pages": 10})
    begin(tmp_path / "job")
    prepared(tmp_path / "job", settings={"limits.max_pages": 20})
    assert prepared(tmp_path / "job").config.limits.max_pages == 20


def test_another_scope_for_a_crawl_that_was_begun_is_refused_with_a_hint(tmp_path: Path):
    prepared(tmp_path / "job")
    begin(tmp_path / "job")
    with pytest.raises(ConfigError, match="--fresh"):
        prepared(tmp_path / "job", settings={"scope.kind": "domain"})
    assert JobDirectory(tmp_path / "job").settings().scope.kind == "host"


def test_other_seeds_are_refused_with_a_hint(tmp_path: Path):
    prepared(tmp_path / "job")
    begin(tmp_path / "job")
    with pytest.raises(ConfigError, match="--fresh"):
        prepared(tmp_path / "job", "https://other.example/")
    assert (tmp_path / "job/seeds.txt").read_text() == f"{SEED}\n"


def test_the_same_seeds_in_another_order_are_the_same(tmp_path: Path):
    prepared(tmp_path / "job", "https://a.example/", "https://b.example/")
    begin(tmp_path / "job")
    prepared(tmp_path / "job", "https://b.example/", "https://a.example/")


def test_starting_over_moves_the_state_aside_and_takes_other_seeds(tmp_path: Path):
    prepared(tmp_path / "job")
    begin(tmp_path / "job")
    job = prepared(tmp_path / "job", "https://other.example/", is_fresh=True)
    assert [seed.url for seed in job.seeds] == ["https://other.example/"]
    assert [path.parent for path in job.moved] == [tmp_path / "job"]
    assert (job.moved[0] / "CURRENT").read_text() == "x"
    assert not job.directory.has_state()


def test_a_mistake_is_told_before_anything_moves(tmp_path: Path):
    prepared(tmp_path / "job")
    begin(tmp_path / "job")
    with pytest.raises(ConfigError):
        prepared(tmp_path / "job", settings={"toes": 0}, is_fresh=True)
    assert JobDirectory(tmp_path / "job").has_state()


def test_settings_written_by_hand_are_kept_beside_when_an_option_changes_them(tmp_path: Path):
    folder = tmp_path / "job"
    folder.mkdir()
    by_hand = "# mine\n[politeness]\ndelay = '3s'\n"
    (folder / "gossamer.toml").write_text(by_hand)
    job = prepared(folder)
    assert job.kept_settings is None and (folder / "gossamer.toml").read_text() == by_hand
    job = prepared(folder, settings={"limits.max_pages": 7})
    assert job.kept_settings is not None and job.kept_settings.read_text() == by_hand
    assert job.config.politeness.delay == 3.0 and job.config.limits.max_pages == 7


def test_options_overrule_the_file(tmp_path: Path):
    folder = tmp_path / "job"
    folder.mkdir()
    (folder / "gossamer.toml").write_text("[politeness]\ndelay = '3s'\nmax_delay = '9s'\n")
    politeness = prepared(folder, settings={"politeness.delay": 1.5}).config.politeness
    assert (politeness.delay, politeness.max_delay) == (1.5, 9.0)


def test_what_is_no_seed_is_reported_and_the_others_are_taken(tmp_path: Path):
    seeds = tmp_path / "seeds"
    seeds.write_bytes(b"https://a.example/\nftp://b.example/\n\xff\n")
    heard: list[SeedRejected] = []
    job = prepare(Request(urls=["ht!tp://x y"], seeds_file=str(seeds), folder=tmp_path / "job"), heard.append)
    assert [seed.url for seed in job.seeds] == ["https://a.example/"]
    assert [(one.line, one.text) for one in heard] == [(None, "ht!tp://x y"), (2, "ftp://b.example/"), (3, "\ufffd")]
    assert list(job.rejected) == heard


def test_hostile_seed_text_is_reported_without_its_escapes(tmp_path: Path):
    heard: list[SeedRejected] = []
    with pytest.raises(ConfigError, match="none of the seeds can be used"):
        prepare(Request(urls=["\x1b]0;owned\x07http://a"], folder=tmp_path / "job"), heard.append)
    assert "\x1b" not in heard[0].text and "\x07" not in heard[0].text
    assert not (tmp_path / "job").exists()


def test_seeds_come_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"https://a.example/\n")))
    job = prepare(Request(seeds_file="-", folder=tmp_path / "job"))
    assert [seed.url for seed in job.seeds] == ["https://a.example/"]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (Request(), "no seed was given"),
        (Request(seeds_file="/nowhere/seeds"), "cannot be read: No such file"),
        (Request(folder=Path("/nowhere/job")), "there is no folder"),
    ],
)
def test_a_crawl_of_nothing_is_refused(request_: Request, message: str):
    with pytest.raises(ConfigError, match=message):
        prepare(request_)


def test_an_empty_seed_file_is_named(tmp_path: Path):
    (tmp_path / "seeds").write_text("# nothing\n")
    with pytest.raises(ConfigError, match=r"there is no seed in .*seeds"):
        prepare(Request(seeds_file=str(tmp_path / "seeds")))


def test_a_folder_somebody_works_in_is_not_touched(tmp_path: Path):
    prepared(tmp_path / "job")
    before = (tmp_path / "job/gossamer.toml").read_bytes()
    with FolderLock(tmp_path / "job"), pytest.raises(JobInUse):
        prepared(tmp_path / "job", settings={"limits.max_pages": 1})
    assert (tmp_path / "job/gossamer.toml").read_bytes() == before


def test_an_unknown_setting_is_refused_with_the_nearest_one():
    with pytest.raises(ConfigError, match=r"politeness\.dely is not a setting; did you mean delay"):
        with_named(CrawlConfig(), {"politeness.dely": 1.0})
    with pytest.raises(ConfigError, match="politeness"):
        with_named(CrawlConfig(), {"politness.delay": 1.0})


def test_settings_without_a_group_and_flat_names_are_known():
    config = with_named(CrawlConfig(), {"toes": 7, "max_pages": 3, "limits.max_time": "1h"})
    assert (config.toes, config.limits.max_pages, config.limits.max_time) == (7, 3, 3600.0)


@pytest.mark.parametrize(
    ("url", "is_needed"),
    [
        ("https://example.org/", True),
        ("http://10.0.0.1/", True),
        ("http://localhost:8080/", False),
        ("http://127.0.0.1/", False),
        ("http://[::1]:80/", False),
        ("http://localhost.example.org/", True),
    ],
)
def test_a_contact_is_asked_for_unless_the_crawl_stays_at_home(url: str, is_needed: bool):
    assert needs_contact(CrawlConfig(), [parse_seed("http://127.0.0.1/"), parse_seed(url)]) is is_needed


def test_who_says_who_they_are_is_not_asked():
    seeds = [parse_seed(SEED)]
    assert not needs_contact(CrawlConfig(contact="me@example.org"), seeds)
    assert not needs_contact(CrawlConfig(user_agent="mybot (me@example.org)"), seeds)
