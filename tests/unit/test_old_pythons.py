"""What the oldest Pythons that run Gossamer get wrong, and what it therefore does without.

Debian 12 comes with Python 3.11.2.
"""

from __future__ import annotations

import re
from pathlib import Path

import gossamer

SOURCE = Path(gossamer.__file__).parent
POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{[0-9,]+\})\+")


def test_no_pattern_repeats_a_group_possessively() -> None:
    """Before 3.11.5 such a group matches less than it should (https://github.com/python/cpython/issues/106052); an
    atomic group around an ordinary repetition means the same and is matched rightly."""
    found = [
        f"{path.relative_to(SOURCE)}:{number}: {line.strip()}"
        for path in sorted(SOURCE.rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if POSSESSIVE_GROUP.search(line)
    ]
    assert found == []
