"""Tables in the API reference that are made from the code: a directive each, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from gossamer.config.helping import summary_of
from gossamer.config.settings import GROUPS
from gossamer.model.fetchstatus import FetchStatus


class SettingsGroups(SphinxDirective):
    """Each group of CrawlConfig, with a link to its settings."""

    def run(self) -> list[nodes.Node]:
        rows = (
            (f"`{kind.__name__}`", f"[{name}](settings.md#{name})", " ".join(summary_of(kind).split()))
            for name, kind in GROUPS.items()
        )
        return self.parse_text_to_nodes(table(("class", "group", ""), rows))


class FetchStatuses(SphinxDirective):
    """Each member of FetchStatus."""

    def run(self) -> list[nodes.Node]:
        rows = ((f"`{status.name}`", str(status.code), status.sentence) for status in FetchStatus)
        return self.parse_text_to_nodes(table(("name", "code", ""), rows))


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
