"""The commands that look at a job and order it about, on a crawl that runs in a process of its own."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gossamer.demosite import DemoThread

from .program import Gossamer, wait_until


@pytest.fixture
def running(gossamer: Gossamer, site: DemoThread) -> subprocess.Popen[str]:
    """Has fetched everything, and waits for more."""
    settings = ("politeness.delay=0", "politeness.delay_factor=0", "run_while_empty=true", "toes=3")
    made = gossamer.run("new", "job", site.seeds[0], *(word for one in settings for word in ("--set", one)))
    assert made.returncode == 0, made.stderr
    process = gossamer.start("run", "job")
    wait_until(lambda: state(gossamer) == "EMPTY", "everything is fetched")
    return process


def state(gossamer: Gossamer) -> str | None:
    answer = ask(gossamer, "status", "job")
    return answer.get("state") if isinstance(answer, dict) else None


def ask(gossamer: Gossamer, *arguments: str) -> Any:
    done = gossamer.run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_an_operator_sees_and_commands_a_running_crawl(
    gossamer: Gossamer, running: subprocess.Popen[str], site: DemoThread
):
    status = gossamer.run("status", "job").stdout
    assert " EMPTY" in status and "0 of 3 at work" in status
    # pause, and what is refused meanwhile
    assert gossamer.run("pause", "job").stdout.startswith("PAUSED")
    refused = gossamer.run("terminate", "nowhere")
    assert (refused.returncode, refused.stderr) == (2, "gossamer: there is no folder nowhere\n")
    # change this and that
    assert gossamer.run("toes", "job", "5").stdout == "5 toes\n"
    assert len(gossamer.run("toes", "job").stdout.splitlines()) == 6
    assert gossamer.run("set", "job", "politeness.delay=10ms").stdout == "politeness.delay = 0.01\n"
    bad = gossamer.run("set", "job", "politeness.dely=1s")
    assert bad.returncode == 2 and "did you mean" in bad.stderr and "cannot be changed" not in bad.stderr
    assert "limits.max_pages = none\n" in gossamer.run("set", "job").stdout
    # add and ask
    added = gossamer.run("add", "job", f"{site.seeds[0]}more", "http://x.invalid/").stdout
    assert added == "1 added, 0 known already, 1 refused by out-of-scope\n"
    assert "waiting, doc id" in gossamer.run("why", "job", f"{site.seeds[0]}more").stdout
    assert "1 queued" in gossamer.run("why", "job", site.site.authorities[0]).stdout
    for command in ("why", "job", site.site.authorities[0]), ("frontier", "queues", "job"):
        assert "The crawl is paused (operator)." in gossamer.run(*command).stdout
    for words in (
        ("why", "job", site.seeds[0]),
        ("why", site.seeds[0], "job"),
        ("frontier", "lookup", "job", site.seeds[0]),
    ):
        assert "succeeded: HTTP 200" in gossamer.run(*words).stdout
    bare = gossamer.run("why", "job", site.site.authorities[0].partition(":")[0])
    assert f"; there is {site.site.authorities[0]}" in bare.stderr
    assert gossamer.run("checkpoint", "job", "here").stdout.startswith("here taken")
    assert [one["name"] for one in ask(gossamer, "checkpoint", "job", "--list")["checkpoints"]] == ["here"]
    assert gossamer.run("checkpoint", "job", "--remove", "here").stdout == "here removed\n"
    assert gossamer.run("checkpoint", "job", "--list").stdout == "There is no checkpoint.\n"
    assert gossamer.run("checkpoint", "job", "--remove", "here").returncode == 2
    assert gossamer.run("resume", "job").stdout.startswith("RUNNING")
    wait_until(lambda: state(gossamer) == "EMPTY", "the added page is fetched")
    again = gossamer.run("resume", "job")
    assert again.returncode == 1 and "Possible now: pause, terminate" in again.stderr
    # end
    assert gossamer.run("terminate", "job").stdout == "job has ended; it can be gone on with\n"
    _, errors = running.communicate(timeout=20)
    assert running.returncode == 130, errors
    assert not Path(gossamer.folder, "job/control.sock").exists()
    late = gossamer.run("pause", "job")
    assert late.returncode == 1 and "job is not running; `gossamer run job` goes on with it" in late.stderr


def test_what_can_be_told_without_a_running_job_is_told(
    gossamer: Gossamer, running: subprocess.Popen[str], site: DemoThread
):
    seed, pages = site.seeds[0], len(site.site.expected())
    both = [
        ("report", "job", "status"),
        ("report", "job", "hosts"),
        ("report", "job", "types"),
        ("report", "job", "seeds"),
        ("report", "job", "frontier"),
    ]
    before = [ask(gossamer, *question) for question in both]
    watching = gossamer.start("status", "job", "--watch", "--json")
    assert watching.stdout is not None
    assert json.loads(watching.stdout.readline())["state"] == "EMPTY"
    gossamer.run("terminate", "job")
    watched, errors = watching.communicate(timeout=20)  # watching ends with the job
    assert watching.returncode == 0, errors
    assert json.loads(watched.splitlines()[-1])["is_running"] is False
    assert [ask(gossamer, *question) for question in both] == before
    statuses, hosts, _, seeds, counts = before
    assert {row["status"]: row["attempts"] for row in statuses}[200] >= pages
    assert [row["host"] for row in hosts] == [site.site.authorities[0]]
    assert seeds == [{"seed": seed, "fate": "succeeded", "status": "HTTP 200"}]
    assert {row["count"]: row["uris"] for row in counts}["succeeded"] == pages
    rows = list(csv.reader(io.StringIO(gossamer.run("report", "job", "status", "--csv").stdout)))
    assert rows[0] == ["status", "attempts", "body_bytes"] and rows[1][0] == "200"
    assert "job is not running\n  last launch" in gossamer.run("status", "job").stdout
    assert ask(gossamer, "status", "job")["is_running"] is False
    assert "succeeded: HTTP 200" in gossamer.run("why", "job", seed).stdout
    assert gossamer.run("report", "job", "toes").returncode == 1
    lines = gossamer.run("log", "job", "-n", "2").stdout.splitlines()
    assert lines == Path(gossamer.folder, "job/logs/crawl.log").read_text().splitlines()[-2:]
    assert "ended" in gossamer.run("log", "job", "job", "-f", "-n", "1").stdout  # -f ends with the job


def test_a_job_killed_or_sent_back_to_a_checkpoint_is_told_as_it_is(
    gossamer: Gossamer, running: subprocess.Popen[str], site: DemoThread
):
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert Path(gossamer.folder, "job/control.sock").is_socket()
    assert gossamer.run("pause", "job").returncode == 1
    assert "killed, or the machine went down" in gossamer.run("status", "job").stdout
    gossamer.start("run", "job")
    wait_until(lambda: state(gossamer) == "EMPTY", "it runs again")
    # and a checkpoint is gone back to
    gossamer.run("checkpoint", "job")
    before = ask(gossamer, "status", "job")["statistics"]["counts"]["succeeded"]
    gossamer.run("add", "job", "--force", f"{site.seeds[0]}index.html", f"{site.seeds[0]}other")
    gossamer.run("terminate", "job")
    gone = gossamer.run("run", "job", "--checkpoint", "nothing")
    assert gone.returncode == 2 and "there is no checkpoint 'nothing'" in gone.stderr
    gossamer.start("run", "job", "--checkpoint", "latest")
    wait_until(lambda: state(gossamer) == "EMPTY", "it runs once more")
    assert ask(gossamer, "status", "job")["statistics"]["counts"]["succeeded"] == before


def test_a_new_job_is_made_once_and_says_what_is_wrong(gossamer: Gossamer):
    assert gossamer.run("new", "fresh", "https://example.org/").returncode == 0
    assert Path(gossamer.folder, "fresh/seeds.txt").read_text() == "https://example.org/\n"
    again = gossamer.run("new", "fresh")
    assert again.returncode == 2 and "is a job already" in again.stderr
    assert gossamer.run("new", "other", "--set", "toes=none").returncode == 2
    assert gossamer.run("new", "other", "not a url").returncode == 2
    assert not Path(gossamer.folder, "other").exists()
    assert "nothing was crawled yet" in gossamer.run("status", "fresh").stdout


def test_the_shell_completes_commands(gossamer: Gossamer):
    asked = {"_GOSSAMER_COMPLETE": "complete_bash", "COMP_WORDS": "gossamer ter", "COMP_CWORD": "1"}
    done = subprocess.run(
        gossamer.command(), env=gossamer.environment | asked, capture_output=True, text=True, timeout=30, check=False
    )
    assert done.stdout.split() == ["terminate"], done.stderr
    assert os.environ.get("_GOSSAMER_COMPLETE") is None
