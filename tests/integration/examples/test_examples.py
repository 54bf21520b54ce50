"""Every example does what its first lines say, in a process of its own, on a site whose truth is known."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from pathlib import Path
from urllib.parse import parse_qs

from gossamer.demosite import DemoPlan, DemoThread
from tests.support.stubsite import StubSite

from .conftest import EXAMPLES, RunExample
from .members import add_members
from .postgres import database


def test_there_are_ten_examples_each_shorter_than_sixty_lines_and_each_run_here() -> None:
    names = sorted(path.name for path in EXAMPLES.glob("*.py"))
    assert [name[:2] for name in names] == [f"{number:02}" for number in range(1, 11)]
    assert all(len((EXAMPLES / name).read_text().splitlines()) < 60 for name in names)
    tests = Path(__file__).read_text()
    assert [name for name in names if f'"{name}"' not in tests] == []


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
    assert any(line.startswith("301 ") and line.endswith(": redirected") for line in lines)
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
    run_example("07_postgres.py", f"host={tmp_path}", complaint=f"no database at 'host={tmp_path}'")


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
