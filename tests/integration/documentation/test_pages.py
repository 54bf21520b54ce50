"""The documentation's pages are made without a warning, lead nowhere that is not there, and fetch nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

import gossamer

ROOT = Path(__file__).parents[3]
FETCHED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}
"""Where a page names what a browser fetches with it."""


class Read(HTMLParser):
    """What a page links to, fetches, and can be linked to at."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.ids: set[str] = set()
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if (tag, name) in FETCHED and value and dict(attrs).get("rel") not in ("index", "search", "next", "prev"):
                self.fetched.append(value)
            elif (tag, name) == ("a", "href") and value:
                self.links.append(value)
            elif name == "id" and value:
                self.ids.add(value)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Read]:
    """Every page, as made by what `scripts/docs` runs."""
    folder = tmp_path_factory.mktemp("docs")
    options = ["--quiet", "--fail-on-warning", "--keep-going", "-d", folder / "trees", "-c", ROOT / "docs" / "site"]
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "sphinx", *options, ROOT, folder / "pages"],
        env=os.environ | {"PYTHONPATH": str(Path(gossamer.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    return {page: Read(page) for page in (folder / "pages").rglob("*.html")}


def test_every_document_is_a_page(pages: dict[Path, Read]) -> None:
    made = {page.stem for page in pages}
    written = {path.stem for path in (ROOT / "docs").rglob("*.md")} | {"README", "CHANGELOG", "CONTRIBUTING", "index"}
    assert written <= made


def test_every_link_between_pages_leads_somewhere(pages: dict[Path, Read]) -> None:
    broken = []
    for page, read in pages.items():
        for link in read.links:
            path, fragment = urldefrag(link)
            if "://" in link or link.startswith("mailto:"):
                continue
            target = (page.parent / unquote(path)).resolve() if path else page
            is_there = target.exists() and (
                not fragment or target not in pages or unquote(fragment) in pages[target].ids
            )
            if not is_there:
                broken.append(f"{page.name}: {link}")
    assert broken == []


def test_nothing_is_fetched_from_elsewhere(pages: dict[Path, Read]) -> None:
    elsewhere = [name for read in pages.values() for name in read.fetched if "//" in name]
    assert elsewhere == []
    styles = next(iter(pages)).parent.rglob("*.css")
    assert [style.name for style in styles if "url(http" in style.read_text() or "@import" in style.read_text()] == []


def test_every_public_name_is_in_the_reference(pages: dict[Path, Read]) -> None:
    reference = next(read for page, read in pages.items() if page.name == "api.html")
    text = next(page for page in pages if page.name == "api.html").read_text("utf-8")
    named = [name for name in gossamer.__all__ if name != "__version__"]
    assert [name for name in named if f"gossamer.{name}" not in reference.ids and f">{name}<" not in text] == []
