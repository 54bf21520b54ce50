"""The documentation of all settings, made from the settings: `docs/settings.md` is what `reference` returns.

Run as a module it prints it; a test holds the file to it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from gossamer.config.docstrings import field_texts
from gossamer.config.helping import summary_of
from gossamer.config.record import Field, fields_of
from gossamer.config.settings import FLAT_NAMES, GROUPS, CrawlConfig, Group
from gossamer.config.write import toml

_HEAD = """\
# Settings

Made from `src/gossamer/config/settings.py` by `scripts/docs`; do not edit.

In a job's `gossamer.toml` a group is a table and a setting a key in it; what is not set is at its default. Durations
are seconds or text with units (`"500ms"`, `"30s"`, `"5 min"`, `"1h30m"`), sizes are bytes or text with units
(`"64 MB"` is 64,000,000 bytes, `"64 MiB"` 67,108,864). A key that is not known is an error.

```toml
toes = 20

[limits]
max_pages = 10_000

[politeness]
delay = "2s"
```

In Python each group is a class and a parameter of `CrawlConfig`:
`CrawlConfig(toes=20, politeness=Politeness(delay=2))`. The settings marked *flat* can also be given directly:
`CrawlConfig(delay=2)`.
"""


def reference() -> str:
    """The whole document, Markdown."""
    sections = [_HEAD, _section("The crawl", "", CrawlConfig)]
    sections += [_section(f"[{name}]", summary_of(kind), kind) for name, kind in GROUPS.items()]
    return "\n".join(sections)


def _section(title: str, about: str, kind: type[Group]) -> str:
    rows = "\n".join(_rows(title.strip("[]"), kind))
    intro = f"{' '.join(about.split())}\n\n" if about else ""
    return f"## {title}\n\n{intro}| setting | default | meaning |\n|---|---|---|\n{rows}\n"


def _rows(group: str, kind: type[Group]) -> Iterator[str]:
    flat = {place: name for name, place in FLAT_NAMES.items()}
    for name, field in fields_of(kind).items():
        if name in GROUPS:
            continue
        meaning = " ".join(field_texts(kind).get(name, "").split()).replace("|", r"\|")
        if (group, name) in flat:
            meaning += f" *Flat: `{flat[group, name]}`.*"
        yield f"| `{name}` | {_default(field)} | {meaning} |"


def _default(field: Field) -> str:
    return "none" if field.default is None else f"`{toml(field, field.default)}`"


if __name__ == "__main__":
    sys.stdout.write(reference())
