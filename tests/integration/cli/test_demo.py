from __future__ import annotations

import json
from pathlib import Path

import pytest

from gossamer.demosite import DemoPlan, DemoSite

from .program import Gossamer


def test_the_demo_crawls_its_own_site_whole_and_invites_to_look(gossamer: Gossamer):
    done = gossamer.run("demo", "--pages", "5", "--job", "job")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Serving a site of 5 pages at http://127.0.0.1:")
    assert "Everything in scope was fetched" in done.stdout
    invitations = [line.strip() for line in done.stdout.splitlines() if line.startswith("  gossamer ")]
    assert len(invitations) == 3
    for command in invitations:
        assert gossamer.run(*command.split()[1:]).returncode == 0, command


def test_the_demo_finds_what_there_is_to_be_found(gossamer: Gossamer):
    report = json.loads(gossamer.run("demo", "--pages", "5", "--job", "job", "--json").stdout)
    authority = report["seeds"][0]["url"].removeprefix("http://").rstrip("/")
    assert report["pages"] == len(DemoSite(DemoPlan(pages=5), [authority]).expected_pages())


def test_the_demo_keeps_what_it_made_in_a_temporary_folder(
    gossamer: Gossamer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    report = json.loads(gossamer.run("demo", "--pages", "1", "--json").stdout)
    assert Path(report["folder"]).parent == tmp_path
    assert (Path(report["folder"]) / "gossamer.toml").exists()


def test_the_demo_given_the_same_folder_comes_back_at_its_port(gossamer: Gossamer):
    first = json.loads(gossamer.run("demo", "--pages", "1", "--job", "job", "--json").stdout)
    again = json.loads(gossamer.run("demo", "--pages", "1", "--job", "job", "--json").stdout)
    assert again["was_finished"] is True
    assert again["seeds"] == first["seeds"]
