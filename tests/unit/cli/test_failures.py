from __future__ import annotations

import errno

from gossamer.cli.failures import message_of, place_of
from gossamer.errors import ConfigError, DiskFull, JobInUse, StoreCorrupt
from gossamer.util.sizes import parse_size


def caught(call: object, *arguments: object) -> BaseException:
    try:
        call(*arguments)  # type: ignore[operator]
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def test_an_error_of_gossamer_is_told_in_its_own_words():
    assert message_of(ConfigError("x is wrong")) == "x is wrong"
    assert message_of(JobInUse()) == "Another process holds this job folder."


def test_a_full_disk_and_a_broken_store_come_with_what_to_do():
    assert message_of(DiskFull("no room in /x")).startswith("no room in /x\nMake room")
    assert "--fresh" in message_of(StoreCorrupt("bad block"))


def test_an_error_of_the_system_names_the_file():
    error = PermissionError(errno.EACCES, "Permission denied", "/root/x")
    assert message_of(error) == "/root/x: Permission denied"


def test_an_interruption_says_how_to_go_on():
    assert message_of(KeyboardInterrupt()) == "interrupted; the same command goes on where it was"


def test_an_unexpected_error_names_its_place_and_how_to_see_more():
    message = message_of(caught(parse_size, 5))
    assert message.startswith("an unexpected AttributeError: ")
    assert "(in gossamer/util/sizes.py:" in message
    assert "--debug" in message


def test_a_place_outside_the_package_is_named_by_its_file():
    def fail() -> None:
        raise ValueError

    assert place_of(caught(fail)).startswith("test_failures.py:")


def test_an_error_that_was_never_raised_has_no_place():
    assert place_of(ValueError()) == "an unknown place"
