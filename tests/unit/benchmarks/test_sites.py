from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.harness.sites import chosen_sites, scripted_sites
from benchmarks.harness.venv import interpreter

SCRIPT = """#!/bin/sh
case $1 in
  hosts) echo "http://127.0.0.11:8080/ python python3.11-doc"; echo "http://127.0.0.13:8080/ sqlite sqlite3-doc";;
  stop) rm "$2/serving";;
  *) touch "$1/serving"; echo started;;
esac
"""


def test_a_script_of_sites_is_started_asked_and_stopped(tmp_path: Path) -> None:
    script, folder = tmp_path / "sites.sh", tmp_path / "new" / "folder"
    script.write_text(SCRIPT)
    script.chmod(0o700)
    with scripted_sites(script, folder, ["sqlite"]) as urls:
        assert urls == ["http://127.0.0.13:8080/"]
        assert (folder / "serving").exists()
    assert not (folder / "serving").exists()


def test_sites_are_chosen_by_name_and_an_unknown_one_is_told() -> None:
    listed = "http://a/ one first\nhttp://b/ two\n\n"
    assert chosen_sites(listed, []) == ["http://a/", "http://b/"]
    assert chosen_sites(listed, ["two", "one"]) == ["http://b/", "http://a/"]
    with pytest.raises(SystemExit, match="no site is called three; there are: one, two"):
        chosen_sites(listed, ["one", "three"])
    with pytest.raises(SystemExit):
        chosen_sites("", [])


def test_a_script_that_is_not_there_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(SystemExit, match=r"none\.sh is no script of sites"),
        scripted_sites(tmp_path / "none.sh", tmp_path),
    ):
        pass


def test_an_environment_that_holds_what_is_wanted_is_not_made_again(tmp_path: Path) -> None:
    (tmp_path / "requirement.txt").write_text("other==1")
    assert interpreter(tmp_path, "other==1") == tmp_path / "bin" / "python"
