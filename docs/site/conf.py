"""How Sphinx makes the documentation's pages: `scripts/docs`.

The sources are the Markdown files of the project where they are, README.md first, so that they read the same on a
code host and on the pages, and none is written twice. The API reference is made from the docstrings, by autodoc; they
are Markdown as well, and `docstrings.py` turns them into what autodoc reads. Nothing is fetched from anywhere, neither
now nor by who reads the pages.
"""

from __future__ import annotations

import sys
from enum import EnumType
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from docstrings import to_rst
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from tables import FetchStatuses, SettingsGroups

from gossamer import CrawlConfig, Credential, LoginForm, __version__
from gossamer.config.helping import summary_of

project = "Gossamer"
author = "the Gossamer authors"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "README"
include_patterns = ["*.md", "docs/**.md", "benchmarks/README.md"]
exclude_patterns = [".*", "build", "src", "tests", "scripts", "benchmarks/results"]
templates_path = ["templates"]

myst_heading_anchors = 3
"""Headings can be linked to as on a code host: `settings.md#limits`."""

html_theme = "furo"
html_title = "Gossamer"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_additional_pages = {"index": "index.html"}
html_theme_options = {"light_css_variables": {"font-stack": "system-ui, sans-serif"}}

default_role = "py:obj"
"""A name in back quotes is a link if it is documented, and code if not."""
add_module_names = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_inherit_docstrings = False

ROOT = Path(__file__).parents[2]
CONTENTS = """
```{{toctree}}
:hidden:
:glob:
:caption: {caption}

{pages}
```
"""
SIDEBAR = {
    "Begin": ("Gossamer <self>", "docs/tutorial", "docs/running-a-job", "docs/settings", "docs/logins"),
    "In Python": ("docs/python-api", "docs/api", "docs/examples", "docs/coming-from-crawler4j"),
    "Inside": (
        "docs/life-of-a-uri",
        "docs/architecture",
        "docs/control-api",
        "docs/benchmarks",
        "docs/adr/*",
        "docs/critiques/README",
    ),
    "Project": ("CHANGELOG", "CONTRIBUTING", "benchmarks/README"),
}
LISTED = {page for pages in SIDEBAR.values() for page in pages}
SIDEBAR["Inside"] += tuple(
    page for file in sorted((ROOT / "docs").glob("*.md")) if (page := f"docs/{file.stem}") not in LISTED
)
"""A document that has no place of its own yet is listed there."""


def add_contents(app: Sphinx, name: str, source: list[str]) -> None:
    """The README is the first page and holds the table of contents, which has no place in it anywhere else."""
    if name == root_doc:
        for caption, pages in SIDEBAR.items():
            source[0] += CONTENTS.format(caption=caption, pages="\n".join(pages))


GIVEN = {"Page", "Link", "Failure", "CrawlOutcome", "FrontierCounts", "UriFinished", "CrawlStateChanged", "HookFailed"}
"""Classes that nobody but Gossamer makes: how is no part of the API."""


def tell_constructor(
    app: Sphinx, what: str, name: str, obj: object, options: object, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Nothing of what is only given, and of enums; of the settings not their types, which are told in settings.md."""
    if what == "class" and (name.rpartition(".")[2] in GIVEN or isinstance(obj, EnumType)):
        return "", None
    if what == "class" and obj in (CrawlConfig, Credential, LoginForm):
        return "(**settings)", None
    return signature, returned


def read_docstring(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    # Of settings not each, as `help` has it: they are told in settings.md.
    lines[:] = to_rst(summary_of(obj).splitlines() if obj in (CrawlConfig, Credential, LoginForm) else lines)


def setup(app: Sphinx) -> None:
    app.connect("source-read", add_contents)
    app.connect("autodoc-process-docstring", read_docstring)
    app.connect("autodoc-process-signature", tell_constructor)
    app.add_directive("settings-groups", SettingsGroups)
    app.add_directive("fetch-statuses", FetchStatuses)
    # Drawn by code hosts; here it is shown as it is written, since what would draw it is a script from elsewhere.
    app.add_lexer("mermaid", TextLexer)
