from __future__ import annotations

import importlib

import pytest

from benchmarks.harness.stagetable import LOOP, REST, STAGES, judge


def test_a_sample_belongs_to_the_innermost_function_whose_module_has_a_stage() -> None:
    stack = [
        "re:sub",
        "gossamer.util.percent:one_word",
        "gossamer.warc.records:_dated",
        "gossamer.process.toe:Toe._work",
    ]
    assert judge(stack) == ("WARC", "gossamer.util.percent:one_word")


def test_the_longest_name_of_a_module_or_package_counts() -> None:
    assert judge(["gossamer.fetch.http:HttpFetcher.fetch"])[0] == "fetch"
    assert judge(["gossamer.fetch.decode:decode", "gossamer.process.extracting:Extracting._read"])[0] == "parse"


def test_what_comes_back_from_the_event_loop_is_the_event_loops() -> None:
    assert (
        judge(["asyncio.runners:Runner.run", "gossamer.util.loop:run_in_loop", "gossamer.cli.crawl:crawl"])[0] == REST
    )
    assert judge(["site:main"]) == (REST, "site:main")


@pytest.mark.parametrize("name", [name for name in STAGES if name.startswith("gossamer.")])
def test_every_module_of_the_table_exists(name: str) -> None:
    importlib.import_module(name)


@pytest.mark.parametrize("place", LOOP)
def test_every_function_of_the_loop_exists(place: str) -> None:
    module, _, path = place.partition(":")
    found: object = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    assert callable(found)
