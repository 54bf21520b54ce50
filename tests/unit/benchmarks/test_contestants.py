from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.harness.contestants import Course, Driver, Failed, Floor, GossamerCrawl, last_json, parse_driver
from benchmarks.peers.wget_warc import count
from gossamer.demosite import DemoPlan, DemoThread

COURSE = Course(seeds=("http://a.example:81/", "http://a.example:81/x", "http://b.example/"), connections=3, pages=7)
ECHO = """
import json, os, sys
pages, concurrency, folder, *seeds = sys.argv[1:]
assert os.listdir(folder) == [] and os.path.isabs(folder)
print("a word of its own")
print(json.dumps({"version": f"{concurrency} at once", "pages": int(pages), "responses": 9, "bytes": len(seeds)}))
print("a warning at the end")
"""


def driver(script: str) -> Driver:
    return Driver("other", (sys.executable, "-c", script), "nothing")


def test_a_driver_is_given_pages_concurrency_an_empty_folder_and_seeds(tmp_path: Path) -> None:
    result = driver(ECHO).run(COURSE, tmp_path)
    assert (result.name, result.version) == ("other", "6 at once")
    assert (result.pages, result.responses, result.body_bytes) == (7, 9, 3)
    assert result.cpu_seconds > 0 and result.wall_seconds > 0 and result.peak_rss_bytes > 1_000_000
    assert result.cpu_us_per_page == pytest.approx(result.cpu_seconds * 1e6 / 7)


def test_the_cpu_of_a_drivers_children_is_its_own(tmp_path: Path) -> None:
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    script = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {burn!r}])\nprint('{{\"pages\": 1}}')"
    assert driver(script).run(COURSE, tmp_path).cpu_seconds >= 0.3


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("print('done')", "no line of JSON"),
        ("print('{\"pages\": 3}'); raise SystemExit(4)", "exit code 4"),
        ("print('{\"pages\": 0}')", "found no page"),
        ("print('{\"answers\": 3}')", "should tell pages"),
        ('print(\'{"pages": "many"}\')', "should tell pages"),
    ],
)
def test_a_driver_that_tells_nothing_of_use_gives_no_figure(tmp_path: Path, script: str, reason: str) -> None:
    with pytest.raises(Failed, match=reason):
        driver(script).run(COURSE, tmp_path)


def test_a_driver_that_never_ends_is_ended(tmp_path: Path) -> None:
    course = Course(seeds=COURSE.seeds, connections=1, timeout_seconds=0.2)
    with pytest.raises(Failed, match="exit code -9"):
        driver("import time; time.sleep(60)").run(course, tmp_path)


def test_the_last_object_of_an_output_counts() -> None:
    assert last_json('{"pages": 1}\n{"pages": 2}\n{not json\n') == {"pages": 2}
    with pytest.raises(Failed):
        last_json("[1]\n")


def test_a_drivers_command_is_split_as_by_a_shell() -> None:
    assert parse_driver("x=env A=1 'my driver' --fast").command == ("env", "A=1", "my driver", "--fast")
    for bad in ("x", "x=", "=y", "x='"):
        with pytest.raises(ValueError, match=r"NAME=COMMAND|quotation"):
            parse_driver(bad)


def test_what_wget_archived_is_counted_by_its_index(tmp_path: Path) -> None:
    rows = ("text/html 200", "text/html 404", "text/css 200", "text/html 200", "unk 302")
    cdx = tmp_path / "wget.cdx"
    cdx.write_text(" CDX a b a m s k\n" + "".join(f"http://a/ 20260702 http://a/ {row} KEY\n" for row in rows))
    assert count(cdx) == (2, 5)


def test_crawl_and_floor_do_the_same_responses(tmp_path: Path) -> None:
    with DemoThread(DemoPlan(pages=6, hosts=2, oddities=False, median_bytes=4000)) as site:
        course = Course(seeds=tuple(site.seeds), connections=2)
        crawl = GossamerCrawl()
        crawled = crawl.run(course, tmp_path / "crawl")
        asked = site.server.accepted
        floored = Floor(crawl).run(course, tmp_path / "floor")
        connections = site.server.accepted - asked
    assert crawled.pages == floored.pages >= 6
    assert crawled.responses == floored.responses == len(crawl.answered) > crawled.pages
    assert crawled.body_bytes == floored.body_bytes > 4000
    assert connections <= 4, "the floor keeps its connections"
