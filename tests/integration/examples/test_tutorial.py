"""The tutorial's programs print what the tutorial says they print."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gossamer
from gossamer.demosite import DemoPlan, DemoThread

from .conftest import HERE, PATIENCE_SECONDS
from .pieces import pieces_of

TUTORIAL = HERE.parents[2] / "docs" / "tutorial.md"
AS_THE_TUTORIAL_SAYS = DemoPlan(pages=12)


def test_every_program_of_the_tutorial_prints_what_is_shown_below_it(tmp_path: Path) -> None:
    with DemoThread(AS_THE_TUTORIAL_SAYS) as site:
        ran = subprocess.run(
            [sys.executable, "-P", HERE / "run_pieces.py", TUTORIAL, site.seeds[0]],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": os.pathsep.join((str(Path(gossamer.__file__).parents[1]), str(HERE)))},
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
    if ran.returncode or ran.stderr:
        pytest.fail(ran.stderr)
    printed = json.loads(ran.stdout)
    for piece in pieces_of(TUTORIAL.read_text("utf-8")):
        # Several toes finish in any order.
        assert sorted(printed[piece.name].splitlines()) == sorted((piece.output or "").splitlines()), piece.name


def test_every_program_of_the_tutorial_has_types_that_fit(tmp_path: Path) -> None:
    for number, piece in enumerate(pieces_of(TUTORIAL.read_text("utf-8"))):
        (tmp_path / f"piece{number}_{piece.name.split('.')[0]}.py").write_text(piece.code, "utf-8")
    # The tutorial leaves annotations out, which strict mypy allows nobody.
    lenient = ["--allow-untyped-defs", "--allow-incomplete-defs", "--allow-untyped-calls", "--check-untyped-defs"]
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "mypy", "--strict", *lenient, *tmp_path.glob("*.py")],
        cwd=HERE.parents[2],  # its settings, and what it knows of the program from scripts/check
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
