"""docs/coming-from-crawler4j.md names only what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gossamer
from gossamer.config import CrawlConfig
from gossamer.config.record import fields_of
from gossamer.config.settings import GROUPS

HERE = Path(__file__).parent
TEXT = (HERE.parents[2] / "docs" / "coming-from-crawler4j.md").read_text("utf-8")
CODE = set(re.findall(r"`([^`\n]+)`", TEXT))


def ours(heading: str) -> str:
    """The second column of a section's table."""
    section = TEXT.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return "\n".join(line.split("|")[2] for line in section.splitlines() if line.startswith("|"))


def test_every_setting_that_is_named_exists() -> None:
    dotted = {name for name in CODE if re.fullmatch(r"[a-z]+\.[a-z_]+", name) and name.split(".")[0] in GROUPS}
    assert len(dotted) > 30
    missing = [name for name in dotted if name.split(".")[1] not in fields_of(GROUPS[name.split(".")[0]])]
    assert missing == []
    assert all(name in fields_of(CrawlConfig) for name in ("folder", "run_while_empty"))


@pytest.mark.parametrize("heading", ["Classes", "Hooks", "The controller", "The page"])
def test_every_class_method_and_attribute_that_is_named_exists(heading: str) -> None:
    named = set(re.findall(r"`([A-Z]\w+)(?:\.(\w+))?`", ours(heading)))
    assert named
    config = CrawlConfig()
    for kind, member in named:
        found = getattr(gossamer, kind)
        known = set(dir(found)) | set(getattr(found, "__annotations__", ()))
        if kind == "Page":
            known |= set(_new_page().__dict__)
        assert not member or member in known, f"{kind}.{member}"
    assert config.folder is None


def test_the_table_of_tests_names_every_test_and_counts_right() -> None:
    names = {name for file in HERE.glob("test_*.py") for name in re.findall(r"^def (test_\w+)", file.read_text(), re.M)}
    own = set(re.findall(r"^def (test_\w+)", Path(__file__).read_text(), re.M))
    assert {name for name in CODE if name.startswith("test_")} == names - own
    verdicts = [line.rsplit("|", 2)[1].strip() for line in TEXT.splitlines() if re.match(r"\| \w+Test\b", line)]
    assert verdicts.count("holds") == 19


def _new_page() -> gossamer.Page:
    """One page, for the names that only an instance has."""
    from gossamer.model.crawluri import ClassKey, CrawlURI, Identity
    from gossamer.model.exchange import Exchange

    curi = CrawlURI(url="http://host.test/", class_key=ClassKey("host.test"), identity=Identity(b""))
    return gossamer.Page(curi, Exchange(curi.url), b"", "", "", None, [])
