from __future__ import annotations

from pathlib import Path

from gossamer.config.record import fields_of
from gossamer.config.reference import reference
from gossamer.config.settings import FLAT_NAMES, GROUPS

DOCUMENT = Path(__file__).parents[3] / "docs" / "settings.md"


def test_the_document_is_the_one_that_scripts_docs_writes() -> None:
    assert DOCUMENT.read_text() == reference(), "run scripts/docs"


def test_every_setting_and_every_flat_name_has_its_place() -> None:
    text = reference()
    for group, kind in GROUPS.items():
        section = text.split(f"## [{group}]\n")[1].split("\n## ")[0]
        for name in fields_of(kind):
            assert f"| `{name}` |" in section
    for flat in FLAT_NAMES:
        assert f"*Flat: `{flat}`.*" in text


def test_each_row_of_a_table_has_three_cells() -> None:
    rows = [line for line in reference().splitlines() if line.startswith("| ")]
    assert {row.replace(r"\|", "").count("|") for row in rows} == {4}
