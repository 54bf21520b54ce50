"""Every example does what its first lines say, in a process of its own, on a site whose truth is known."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import sqlite3
import subprocess
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from gossamer.demosite import DemoPlan, DemoThread
from tests.support.stubsite import StubSite

from .conftest import EXAMPLES, PATH, PATIENCE_SECONDS, RunExample, command
from .members import add_members
from .postgres import database


def test_there_are_ten_examples_each_shorter_than_sixty_lines_and_each_run_here() -> None:
    names = sorted(path.name for path in EXAMPLES.glob("*.py"))
    assert [name[:2] for name in names] == [f"{number:02}" for number in range(1, 11)]
    assert all(len((EXAMPLES / name).read_text().splitlines()) < 60 for name in names)
    tests = Path(__file__).read_text()
    assert [name for name in names if f'"{name}"' not in tests] == []


@pytest.mark.parametrize(
    ("name", "arguments", "complaint"),
    [
        ("09_json_lines.py", [], "no seed was given"),
        ("01_basic.py", ["ftp://host.test/"], "01_basic.py: 'ftp://host.test/' is not a seed: only http and https"),
        ("02_images.py", ["no/folder", "http://127.0.0.1:9/"], "02_images.py: no/folder: No such file or directory"),
        ("04_several_controllers.py", ["http://127.0.0.1:9/"], "required: manual"),
        ("05_shutdown.py", ["soon", "http://127.0.0.1:9/"], "invalid float value: 'soon'"),
        ("08_login_form.py", ["ftp://host.test/", "http://127.0.0.1:9/"], "page must be a URL of http or https"),
        ("10_async_sqlite.py", ["no/file.db", "http://127.0.0.1:9/"], "unable to open database file"),
    ],
)
def test_what_cannot_be_used_is_said_in_a_line(
    run_example: RunExample, name: str, arguments: list[str], complaint: str
) -> None:
    run_example(name, *arguments, complaint=complaint)


@pytest.mark.parametrize("name", ["01_basic.py", "09_json_lines.py"])
def test_ctrl_c_ends_an_example_without_a_word(name: str, tmp_path: Path) -> None:
    with DemoThread(DemoPlan(pages=40, oddities=False, median_bytes=4000, latency_seconds=0.05)) as site:
        running = subprocess.Popen(
            command(name, site.seeds[0]),
            cwd=tmp_path,
            env=os.environ | PATH | {"PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert running.stdout is not None and running.stdout.readline()
        running.send_signal(signal.SIGINT)
        _, complaint = running.communicate(timeout=PATIENCE_SECONDS)
    assert (running.returncode, complaint) == (130, "")


def test_json_lines_end_quietly_where_the_next_program_has_read_enough(site: DemoThread, tmp_path: Path) -> None:
    running = subprocess.Popen(
        command("09_json_lines.py", site.seeds[0]),
        cwd=tmp_path,
        env=os.environ | PATH,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert running.stdout is not None and running.stderr is not None
    running.stdout.close()
    with running:
        assert running.stderr.read() == b""
    assert running.returncode == 1


def test_basic_prints_every_page_of_the_site(run_example: RunExample, site: DemoThread) -> None:
    *lines, summary = run_example("01_basic.py", site.seeds[0]).splitlines()
    assert {line.split()[1] for line in lines} == site.site.expected_pages()
    assert re.fullmatch(rf"{len(lines)} pages, \d+ URLs found", summary)


def test_images_saves_each_image_once_under_the_name_of_its_content(
    run_example: RunExample, site: DemoThread, tmp_path: Path
) -> None:
    printed = run_example("02_images.py", "pictures", site.seeds[0]).splitlines()
    files = sorted((tmp_path / "pictures").iterdir())
    assert files and len(files) == len(printed)
    for file in files:
        assert file.name == f"{hashlib.sha256(file.read_bytes()).hexdigest()}.png"


def test_local_data_adds_up_what_each_crawler_counted(run_example: RunExample, site: DemoThread) -> None:
    lines = run_example("03_local_data.py", site.seeds[0]).splitlines()
    counted = {
        int(crawler): int(words) for crawler, words in re.findall(r"crawler (\d): (\d+) words", "\n".join(lines))
    }
    assert sorted(counted) == [1, 2, 3]
    assert lines[3].startswith(f"all: {sum(counted.values())} words, ")
    assert len(lines) == 3 + 1 + 5


def test_several_controllers_crawl_at_once_and_keep_apart(run_example: RunExample, tmp_path: Path) -> None:
    plan = DemoPlan(pages=4, oddities=False, median_bytes=4000)
    with DemoThread(plan) as news, DemoThread(plan) as manual:
        *lines, summary = run_example("04_several_controllers.py", news.seeds[0], manual.seeds[0]).splitlines()
        found = {name: {line.split()[1] for line in lines if line.startswith(name)} for name in ("news:", "manual:")}
        assert found["manual:"] == manual.site.expected_pages()
        assert found["news:"] < news.site.expected_pages()
    assert summary == f"news: {len(found['news:'])} pages; manual: {len(found['manual:'])} pages"
    assert all(list((tmp_path / "crawls" / name / "warcs").glob("*.warc.gz")) for name in ("news", "manual"))


def test_shutdown_ends_in_good_order_and_the_same_command_goes_on(run_example: RunExample) -> None:
    with DemoThread(DemoPlan(pages=12, oddities=False, median_bytes=4000, latency_seconds=0.05)) as site:
        first = run_example("05_shutdown.py", "0.4", site.seeds[0]).splitlines()
        assert "time is up" in first and not first[-1].endswith(" 0 wait for the next time")
        second = run_example("05_shutdown.py", "50", site.seeds[0]).splitlines()
        assert "time is up" not in second and second[-1].endswith(" 0 wait for the next time")
        pages = [line for line in first + second if line.startswith("http://")]
        assert sorted(pages) == sorted(site.site.expected_pages())


def test_status_handler_names_redirects_and_broken_links_with_the_page_they_stand_on(
    run_example: RunExample, odd_site: DemoThread
) -> None:
    printed = run_example("06_status_handler.py", odd_site.seeds[0])
    lines = printed.splitlines()
    root = odd_site.seeds[0].rstrip("/")
    assert any(re.match(rf"301 {root}/\S+: redirected to {root}/", line) for line in lines)
    missing = next(line for line in lines if line.startswith("HTTP 404 "))
    assert re.match(rf"HTTP 404 {root}/odd/\S+, linked from {root}/", missing)
    counted = dict(reversed(pair) for pair in re.findall(r"(\d+) x (-?\d+)", printed))
    assert int(counted["200"]) > 0 and int(counted["404"]) > 0


def test_postgres_holds_every_page_also_after_a_second_crawl(run_example: RunExample, site: DemoThread) -> None:
    with database() as where:
        for _ in range(2):
            lines = run_example("07_postgres.py", where, site.seeds[0]).splitlines()
            assert {line.split()[0] for line in lines} == site.site.expected_pages()


def test_postgres_says_so_where_there_is_no_database(run_example: RunExample, tmp_path: Path) -> None:
    run_example("07_postgres.py", f"host={tmp_path}", "http://127.0.0.1:9/", complaint=f'"{tmp_path}/.s.PGSQL')


def test_login_form_is_sent_once_with_its_hidden_fields_and_opens_the_members_pages(run_example: RunExample) -> None:
    with StubSite() as site:
        add_members(site)
        start = f"{site.url}/members/"
        member = {"MEMBER_NAME": "alice", "MEMBER_PASSWORD": "open sesame"}
        printed = run_example("08_login_form.py", f"{site.url}/login", start, **member)
    sent = [parse_qs(asked.body) for asked in site.asked if asked.method == "POST"]
    assert sent == [{"username": ["alice"], "password": ["open sesame"], "token": ["t0ken"]}]
    assert printed.splitlines() == [f"{start} 'Members'", f"{start}minutes 'Minutes'"]
    assert site.counts["/logout"] == 0


def test_json_lines_are_one_page_each(run_example: RunExample, site: DemoThread) -> None:
    pages = [json.loads(line) for line in run_example("09_json_lines.py", site.seeds[0]).splitlines()]
    assert {page["url"] for page in pages} == site.site.expected_pages()
    assert len(pages) == len(site.site.expected_pages())
    assert all(page["title"] and page["headings"] and page["links"] for page in pages)


def test_async_sqlite_holds_the_links_of_all_pages(run_example: RunExample, site: DemoThread, tmp_path: Path) -> None:
    printed = run_example("10_async_sqlite.py", "found.db", site.seeds[0]).splitlines()
    assert len(printed) == 5
    database = sqlite3.connect(tmp_path / "found.db")
    sources = {source for (source,) in database.execute("SELECT DISTINCT source FROM link")}
    database.close()
    assert sources <= site.site.expected_pages()
    assert site.seeds[0] in sources
