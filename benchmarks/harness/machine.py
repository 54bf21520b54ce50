"""On what a figure was measured."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

LIBRARIES = "gossamer uvloop httptools selectolax can_ada rocksdict isal msgspec".split()


def machine() -> dict[str, str]:
    """Processor, memory, system, Python and the libraries that matter, each by name."""
    return {
        "processor": f"{os.cpu_count()} × {_cpu_model()}",
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        "libraries": ", ".join(f"{name} {_release(name)}" for name in LIBRARIES),
    }


def load() -> float:
    """How many processes wanted a core in the last minute, on average."""
    return os.getloadavg()[0]


def _cpu_model() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except FileNotFoundError:
        return platform.processor()
    match = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return match[1] if match else platform.machine()


def _release(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(absent)"
