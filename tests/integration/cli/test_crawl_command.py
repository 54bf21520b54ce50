from __future__ import annotations

import json
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from gossamer.demosite import DemoThread

from .program import FAST, PATIENCE_SECONDS, Gossamer, wait_until


def pages_asked_for(site: DemoThread) -> list[str]:
    return [request.url for request in site.requests if request.target != "/robots.txt"]


def only_job(gossamer: Gossamer) -> Path:
    (job,) = (gossamer.folder / "crawls").iterdir()
    return job


def test_a_crawl_into_a_pipe_is_plain_text_and_ends_with_a_summary(gossamer: Gossamer, site: DemoThread):
    done = gossamer.run_apart("crawl", site.seeds[0], *FAST)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "RUNNING" in done.stdout.splitlines()[0] + done.stdout.splitlines()[1]
    assert "Everything in scope was fetched" in done.stdout
    assert f"  pages         {len(site.site.expected_pages())} (" in done.stdout
    assert done.stderr == ""
    job = only_job(gossamer)
    assert job.name == f"127.0.0.1_{site.seeds[0].rstrip('/').rpartition(':')[2]}"
    assert (job / "gossamer.toml").exists() and (job / "seeds.txt").read_text() == f"{site.seeds[0]}\n"
    assert [path.name for path in (job / "warcs").iterdir() if path.name.endswith(".open")] == []


def test_every_page_is_asked_for_once(gossamer: Gossamer, site: DemoThread):
    gossamer.run("crawl", site.seeds[0], *FAST)
    asked = pages_asked_for(site)
    assert sorted(asked) == sorted(site.site.expected())


def test_a_finished_job_says_so_and_does_nothing(gossamer: Gossamer, site: DemoThread):
    gossamer.run("crawl", site.seeds[0], *FAST)
    before = len(site.requests)
    again = gossamer.run("crawl", site.seeds[0], *FAST)
    assert again.returncode == 0, again.stderr
    assert "has finished before" in again.stdout and "--recrawl" in again.stdout
    assert len(site.requests) == before


@pytest.mark.parametrize("option", ["--recrawl", "--fresh"])
def test_a_finished_job_is_crawled_again_when_asked_to(option: str, gossamer: Gossamer, site: DemoThread):
    gossamer.run("crawl", site.seeds[0], *FAST)
    first = len(pages_asked_for(site))
    again = gossamer.run("crawl", site.seeds[0], *FAST, option)
    assert again.returncode == 0, again.stderr
    assert "Everything in scope was fetched" in again.stdout
    assert len(pages_asked_for(site)) == 2 * first
    assert gossamer.run("warc", "check", str(only_job(gossamer))).returncode == 0


def test_a_page_limit_stops_the_crawl_and_a_higher_one_goes_on(gossamer: Gossamer, site: DemoThread):
    first = gossamer.run("crawl", site.seeds[0], *FAST, "--max-pages", "3", "--json")
    assert first.returncode == 0, first.stderr
    report = json.loads(first.stdout)
    assert (report["exit_status"], report["pages"]) == ("DOCUMENT_LIMIT", 3)
    assert report["next_command"].endswith("--max-pages N")
    rest = json.loads(gossamer.run("crawl", site.seeds[0], *FAST, "--max-pages", "100", "--json").stdout)
    assert (rest["exit_status"], rest["pages"]) == ("FINISHED", len(site.site.expected_pages()))
    assert sorted(pages_asked_for(site)) == sorted(site.site.expected())


def test_json_is_one_object_alone_on_standard_output(gossamer: Gossamer, site: DemoThread):
    done = gossamer.run("crawl", site.seeds[0], *FAST, "--json")
    report = json.loads(done.stdout)
    assert done.stdout.count("\n") == 1
    assert report["exit_code"] == done.returncode == 0
    assert report["pages"] == len(site.site.expected_pages())
    assert report["seeds"] == [
        {"text": site.seeds[0], "url": site.seeds[0], "status": 200, "reason": "", "detail": "", "is_fetched": True}
    ]
    assert report["archive_bytes"] == sum(
        Path(gossamer.folder, file["path"]).stat().st_size for file in report["archive"]
    )


def test_quiet_prints_nothing(gossamer: Gossamer, site: DemoThread):
    done = gossamer.run("crawl", site.seeds[0], *FAST, "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_quiet_still_says_why_it_failed(gossamer: Gossamer):
    done = gossamer.run("crawl", closed_url(), *FAST, "--quiet", "--set", "politeness.first_contact_schedule=[0.1]")
    assert done.returncode == 3 and done.stdout == ""
    assert done.stderr.startswith("gossamer: no seed could be fetched; ")


def closed_url() -> str:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{unused.getsockname()[1]}/"


def test_a_crawl_that_reaches_no_seed_ends_with_3_and_the_reason(gossamer: Gossamer):
    done = gossamer.run_apart(
        "crawl", closed_url(), *FAST, "--json", "--set", "politeness.first_contact_schedule=[0.1, 0.1]"
    )
    report = json.loads(done.stdout)
    assert done.returncode == report["exit_code"] == 3, done.stderr
    assert report["exit_status"] == "FINISHED"
    (seed,) = report["seeds"]
    assert not seed["is_fetched"] and seed["status"] < 0


def test_what_is_no_seed_is_reported_with_its_line_and_the_others_are_crawled(gossamer: Gossamer, site: DemoThread):
    seeds = f"ftp://a.example/\n\x1b]0;owned\x07\x1b[31mevil\x1b[0m\n{site.seeds[0]}\n"
    done = gossamer.run("crawl", "--seeds", "-", "--job", "job", *FAST, stdin=seeds)
    assert done.returncode == 0, done.stderr
    assert "not a seed (line 1): 'ftp://a.example/': only http and https can be crawled, not ftp" in done.stderr
    assert "not a seed (line 2): 'evil': " in done.stderr
    assert "\x1b" not in done.stdout + done.stderr and "\x07" not in done.stdout + done.stderr
    assert "  not a seed    2 given, see above" in done.stdout


def test_other_seeds_or_another_scope_for_a_job_are_refused_with_a_hint(gossamer: Gossamer, site: DemoThread):
    job = ("--job", "job")
    gossamer.run("crawl", site.seeds[0], *FAST, *job)
    for arguments in (["http://other.example/"], [site.seeds[0], "--depth", "1"]):
        refused = gossamer.run("crawl", *arguments, *FAST, *job)
        assert refused.returncode == 2
        assert "--fresh" in refused.stderr and "--job" in refused.stderr


def crawl_that_lasts(gossamer: Gossamer, site: DemoThread, *more: str) -> subprocess.Popen[str]:
    """A crawl that has its first page and waits to be allowed the next."""
    process = gossamer.start("crawl", site.seeds[0], "--delay", "1h", "--set", "politeness.max_delay=1h", *more)
    wait_until(lambda: bool(site.requests) and site.requests[0].finished is not None, "the first request")
    return process


def test_a_job_in_use_is_refused_and_names_its_holder(gossamer: Gossamer, site: DemoThread):
    holder = crawl_that_lasts(gossamer, site)
    refused = gossamer.run("crawl", site.seeds[0], "--delay", "1h", "--set", "politeness.max_delay=1h")
    assert refused.returncode == 4
    assert f"process {holder.pid}" in refused.stderr


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (signal.SIGINT, "Interrupted (Ctrl-C); can be resumed"),
        (signal.SIGTERM, "Terminated (SIGTERM); can be resumed"),
    ],
)
def test_asked_to_end_it_ends_resumably(number: signal.Signals, told: str, gossamer: Gossamer, site: DemoThread):
    process = crawl_that_lasts(gossamer, site)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130, stderr
    assert told in stdout
    assert f"To go on: gossamer crawl --job crawls/{only_job(gossamer).name}" in stdout
    assert "Traceback" not in stderr


def test_killed_it_goes_on_where_it_was(gossamer: Gossamer, site: DemoThread):
    crawl = ("crawl", site.seeds[0], "--delay", "50ms", "--set", "politeness.delay_factor=0", "--job", "job")
    process = gossamer.start(*crawl)
    wait_until(lambda: len(site.requests) >= 4, "some pages were asked for")
    process.kill()
    process.communicate(timeout=PATIENCE_SECONDS)
    rest = gossamer.run(*crawl)
    assert rest.returncode == 0, rest.stderr
    asked = pages_asked_for(site)
    assert set(asked) == set(site.site.expected())
    assert len(asked) - len(set(asked)) <= 1  # one connection, so one was in flight
    assert gossamer.run("warc", "check", "job").returncode == 0


def test_the_second_interrupt_ends_what_is_in_flight(gossamer: Gossamer, slow_site: DemoThread):
    process = gossamer.start("crawl", slow_site.seeds[0] + "odd/slow", *FAST, "--job", "job")
    wait_until(lambda: any(r.target == "/odd/slow" for r in slow_site.requests), "the slow page was asked for")
    process.send_signal(signal.SIGINT)
    assert process.stdout is not None
    lines = iter(process.stdout.readline, "")
    assert any(line.startswith("STOPPING") for line in lines)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=10)
    assert process.returncode == 130, stderr
    assert "To go on: gossamer crawl --job job" in stdout
    assert gossamer.run("warc", "check", "job").returncode == 0


def test_a_burst_of_signals_ends_cleanly(gossamer: Gossamer, slow_site: DemoThread):
    process = gossamer.start("crawl", slow_site.seeds[0] + "odd/slow", *FAST, "--job", "job")
    wait_until(lambda: any(r.target == "/odd/slow" for r in slow_site.requests), "the slow page was asked for")
    for number in [signal.SIGINT, signal.SIGTERM] * 5:
        process.send_signal(number)
    _, stderr = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "Traceback" not in stderr


def test_a_crawl_survives_the_end_of_who_read_its_output(gossamer: Gossamer, site: DemoThread):
    process = gossamer.start("crawl", site.seeds[0], *FAST, "--job", "job")
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, stderr = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, stderr) == (0, "")
    assert sorted(pages_asked_for(site)) == sorted(site.site.expected())


def test_strangers_are_told_whose_crawler_it_is_or_the_operator_is_warned(gossamer: Gossamer):
    # A name under .invalid resolves nowhere (RFC 6761 6.4), so nobody is asked.
    silent = ("--set", "politeness.first_contact_schedule=[]", "--set", "dns.tries=1", "--set", "dns.timeout=1s")
    warned = gossamer.run("crawl", "http://a.invalid/", *silent)
    assert warned.stderr.count("no contact is set") == 1
    told = gossamer.run("crawl", "http://b.invalid/", *silent, "--contact", "me@example.org")
    assert "no contact is set" not in told.stderr


def test_a_crawl_that_cannot_begin_does_not_say_it_finished(gossamer: Gossamer, site: DemoThread):
    (gossamer.folder / "cookies.txt").write_text("not cookies\n")
    load = f"cookies.load={gossamer.folder / 'cookies.txt'}"
    done = gossamer.run_apart("crawl", site.seeds[0], *FAST, "--set", load)
    assert done.returncode == 2
    assert "FINISHED" not in done.stdout and "not in Netscape's cookies.txt format" in done.stderr


def test_a_try_that_failed_is_the_reason_why_a_host_waits(gossamer: Gossamer):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        authority = f"127.0.0.1:{closed.getsockname()[1]}"
    running = gossamer.start("crawl", f"http://{authority}/", "--job", "job")
    reason = f"No connection to the host could be made: {authority}: connection refused (try 1 of 3); next try in "
    wait_until(lambda: reason in gossamer.run("why", "job", authority).stdout, "the first try failed")
    assert reason in gossamer.run("frontier", "queues", "job").stdout
    running.send_signal(signal.SIGINT)
    running.wait(PATIENCE_SECONDS)
    assert "The crawl is not running." in gossamer.run("why", "job", authority).stdout
