"""A virtual environment of its own for each peer, made at first use: what they need is no dependency of the project."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from .report import note


def cache_folder() -> Path:
    """Where environments are kept from one run to the next."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "gossamer-benchmarks"


def interpreter(folder: Path, requirement: str) -> Path:
    """The Python of an environment in `folder` that holds `requirement`; made anew if it holds another.

    Raises subprocess.CalledProcessError if the package cannot be had.
    """
    python, stamp = folder / "bin" / "python", folder / "requirement.txt"
    # Written last, so that an environment whose making was interrupted is made again.
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != requirement:
        note(f"making an environment with {requirement} in {folder} (once)")
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", requirement], check=True)
        stamp.write_text(requirement, encoding="utf-8")
    return python
