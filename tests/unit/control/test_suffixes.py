from __future__ import annotations

from pathlib import Path

import pytest

from gossamer.control.suffixes import suffixes_of
from gossamer.errors import ConfigError


def test_a_file_of_public_suffixes_lies_in_the_jobs_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.dat").write_text("// mine\nexample\n")
    assert suffixes_of(Path("mine.dat"), tmp_path).registered_domain("a.b.example") == "b.example"
    assert suffixes_of(None, tmp_path).registered_domain("a.b.co.uk") == "b.co.uk"


@pytest.mark.parametrize("content", [None, b"", b"// nothing\n", b"\xff\xfe"])
def test_a_file_without_suffixes_is_refused(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "mine.dat").write_bytes(content)
    with pytest.raises(ConfigError, match=r"scope\.public_suffixes: .*mine\.dat"):
        suffixes_of(Path("mine.dat"), tmp_path)
