from __future__ import annotations

from dataclasses import dataclass

import pytest

from gossamer.cli.exitcodes import BY_EXIT_STATUS, ExitCode, code_of_error, code_of_outcome, table
from gossamer.control import ExitStatus
from gossamer.control.seeding import SeedOutcome
from gossamer.errors import ConfigError, DiskFull, JobInUse, StateError, StorageError

FETCHED = SeedOutcome("a.example", "https://a.example/", 200, "")
FAILED = SeedOutcome("b.example", "https://b.example/", -2, "CONNECT_FAILED")
WAITING = SeedOutcome("c.example", "https://c.example/", None, "")


@dataclass
class Outcome:
    """As much of a CrawlOutcome as an exit code depends on."""

    exit_status: ExitStatus
    seeds: tuple[SeedOutcome, ...] = (FETCHED,)

    @property
    def has_fetched_seed(self) -> bool:
        return any(seed.is_fetched for seed in self.seeds)


def test_every_exit_status_has_a_code():
    assert set(BY_EXIT_STATUS) == {status.name for status in ExitStatus}


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (ExitStatus.FINISHED, 0),
        (ExitStatus.TIME_LIMIT, 0),
        (ExitStatus.DOCUMENT_LIMIT, 0),
        (ExitStatus.BYTE_LIMIT, 0),
        (ExitStatus.FAILED, 1),
        (ExitStatus.DISK_FULL, 5),
        (ExitStatus.ABORTED, 130),
    ],
)
def test_a_crawl_that_fetched_a_seed_ends_with_the_code_of_its_status(status: ExitStatus, code: int):
    assert code_of_outcome(Outcome(status)) == code


def test_a_finished_crawl_whose_seeds_all_failed_ends_with_3():
    assert code_of_outcome(Outcome(ExitStatus.FINISHED, (FAILED, FAILED))) == 3


def test_one_fetched_seed_is_enough():
    assert code_of_outcome(Outcome(ExitStatus.FINISHED, (FAILED, FETCHED))) == 0


def test_a_limit_that_came_before_a_seed_was_tried_is_no_failure_of_the_seed():
    assert code_of_outcome(Outcome(ExitStatus.TIME_LIMIT, (FAILED, WAITING))) == 0


def test_an_interrupted_crawl_is_interrupted_whatever_became_of_its_seeds():
    assert code_of_outcome(Outcome(ExitStatus.ABORTED, (FAILED,))) == 130


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError(), 2),
        (JobInUse(), 4),
        (DiskFull(), 5),
        (StorageError(), 1),
        (StateError(), 1),
        (ValueError(), 1),
        (KeyboardInterrupt(), 130),
    ],
)
def test_an_error_ends_a_command_with_the_code_of_who_must_act(error: BaseException, code: int):
    assert code_of_error(error) == code


def test_the_table_in_the_help_names_every_code():
    assert [int(line.split()[0]) for line in table().splitlines()] == [int(code) for code in ExitCode]
