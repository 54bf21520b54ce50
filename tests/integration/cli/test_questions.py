"""What can be asked of a job: beside the running crawl, and when it is over."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gossamer.demosite import DemoThread

from .program import FAST, Gossamer, wait_until


@pytest.fixture
def finished(gossamer: Gossamer, site: DemoThread) -> DemoThread:
    done = gossamer.run("crawl", site.seeds[0], *FAST, "--job", "job")
    assert done.returncode == 0, done.stderr
    return site


def test_a_fetched_page_has_its_outcome(gossamer: Gossamer, finished: DemoThread):
    answer = gossamer.run("frontier", "lookup", finished.seeds[0], "job")
    assert answer.returncode == 0, answer.stderr
    lines = answer.stdout.splitlines()
    assert lines[0] == finished.seeds[0]
    assert lines[1] == "  succeeded: HTTP 200, doc id 1"
    assert lines[2].endswith("after 1 try")


def test_a_link_out_of_scope_names_the_rule(gossamer: Gossamer, finished: DemoThread):
    answer = gossamer.run("frontier", "lookup", "https://www.example.invalid/1", "job", "--json")
    assert json.loads(answer.stdout) == {
        "url": "https://www.example.invalid/1",
        "is_seen": False,
        "seen": None,
        "queue": None,
        "scope": {"is_accepted": False, "rule": "out-of-scope"},
    }


def test_a_page_in_scope_that_nobody_links_to_was_never_seen(gossamer: Gossamer, finished: DemoThread):
    answer = gossamer.run("frontier", "lookup", finished.seeds[0] + "nowhere.html", "job")
    assert "never seen" in answer.stdout and "It is in scope (rule host)" in answer.stdout


def test_a_finished_job_has_no_queue_to_show(gossamer: Gossamer, finished: DemoThread):
    answer = gossamer.run("frontier", "queues", "job")
    assert (answer.returncode, answer.stdout) == (0, "No queue holds a URL.\n")


def test_a_running_crawl_answers_without_being_disturbed(gossamer: Gossamer, site: DemoThread):
    running = gossamer.start(
        "crawl", site.seeds[0], "--delay", "1h", "--set", "politeness.max_delay=1h", "--job", "job"
    )
    wait_until(lambda: bool(site.requests) and site.requests[0].finished is not None, "the first request")

    def queue() -> dict[str, object]:
        found = json.loads(gossamer.run("frontier", "queues", "job", "--json").stdout or '{"queues": []}')["queues"]
        return found[0] if found else {}

    wait_until(lambda: queue().get("state") == "snoozed", "the host rests")
    table = gossamer.run("frontier", "queues", "job").stdout
    assert table.splitlines()[0].split() == ["queue", "state", "queued", "wakes", "why"]
    assert re.search(rf"{site.site.authorities[0]} +snoozed +1  in (59m|1h)", table)
    waiting = gossamer.run("frontier", "lookup", site.seeds[0], "job").stdout
    assert "waiting, doc id 1" in waiting and f"queue {site.site.authorities[0]}: snoozed, 1 queued" in waiting
    assert running.poll() is None


def test_standing_in_the_folder_one_need_not_name_it(gossamer: Gossamer, finished: DemoThread):
    gossamer.folder = gossamer.folder / "job"
    assert gossamer.run("frontier", "queues").stdout == "No queue holds a URL.\n"
    assert gossamer.run("warc", "check").returncode == 0


def test_a_whole_archive_is_good(gossamer: Gossamer, finished: DemoThread):
    answer = gossamer.run("warc", "check", "job")
    assert answer.returncode == 0, answer.stderr
    header, *rows = answer.stdout.splitlines()
    assert header.split()[:3] == ["file", "size", "warcinfo"]
    assert all(row.endswith("good") for row in rows)


def test_a_damaged_archive_is_bad_and_the_place_is_named(gossamer: Gossamer, finished: DemoThread):
    (archive,) = (file for file in sorted(Path(gossamer.folder, "job/warcs").iterdir())[:1])
    content = bytearray(archive.read_bytes())
    content[len(content) // 2] ^= 0xFF
    archive.write_bytes(content)
    answer = gossamer.run("warc", "check", str(archive), "--json")
    report = json.loads(answer.stdout)
    assert answer.returncode == 1 and report["is_good"] is False
    assert "BAD" in gossamer.run("warc", "check", str(archive)).stdout
    (file,) = report["files"]
    assert file["damage_offset"] is not None or file["findings"]
