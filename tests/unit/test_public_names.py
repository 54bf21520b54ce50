"""What a user may rely on: the names, that they are quick to import, and that they are typed."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files

import pytest

import gossamer

NAMES = """
    ConfigError Cookies CrawlConfig CrawlController CrawlFailed CrawlOutcome CrawlStateChanged Credential DiskFull Dns
    Durability ExitStatus Extraction Failure FetchStatus Fetching FrontierCounts GossamerError HookFailed Hooks InvalidSettings JobInUse Limits Link
    Login LoginForm Page Politeness Progress Resolver Robots Scope SeedOutcome StateError StorageError UriFinished Warc WebCrawler __version__ crawl
    pages script
""".split()


def test_the_public_names_are_these() -> None:
    assert sorted(gossamer.__all__) == sorted(NAMES)
    assert set(NAMES) <= set(dir(gossamer))


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_is_there_and_defined_once(name: str) -> None:
    value = getattr(gossamer, name)
    assert value is getattr(gossamer, name)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Crawler'"):
        _ = gossamer.Crawler  # type: ignore[attr-defined]


def test_importing_the_package_loads_nothing_of_it() -> None:
    program = "import sys, gossamer; print(*sorted(name for name in sys.modules if name.startswith('gossamer')))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert loaded == ["gossamer", "gossamer.version"]


def test_a_program_that_can_crawl_has_not_loaded_what_few_crawls_need() -> None:
    program = "import sys, gossamer, gossamer.control.assembly; gossamer.CrawlController(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not {"tomllib", "difflib", "sortedcontainers", "gossamer.frontier.memory", "aiodns", "pydantic"} & set(
        loaded
    )


def test_the_package_says_that_it_is_typed() -> None:
    assert files("gossamer").joinpath("py.typed").is_file()
