"""Which argument is the folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from gossamer.cli.places import split_place
from gossamer.errors import ConfigError


def test_the_first_argument_is_the_folder_if_it_is_one(tmp_path: Path):
    assert split_place([str(tmp_path), "5"], at_most=1) == (tmp_path, ["5"])
    assert split_place([str(tmp_path)]) == (tmp_path, [])


def test_without_one_it_is_where_one_stands():
    assert split_place(["5"], at_most=1) == (Path(), ["5"])
    assert split_place(None) == (Path(), [])


def test_a_folder_that_is_not_there_is_named():
    with pytest.raises(ConfigError, match="there is no folder nowhere"):
        split_place(["nowhere", "5"], at_most=1)


def test_more_than_can_be_taken_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match="too many"):
        split_place([str(tmp_path), "1", "2", "3"], at_most=1)


def test_the_last_argument_may_be_the_folder_too(tmp_path: Path):
    assert split_place(["http://a/", str(tmp_path)], at_most=1) == (tmp_path, ["http://a/"])
