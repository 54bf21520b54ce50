"""The native extension `gossamer_native`, where it is installed: this is the only file that imports it.

It is built by `scripts/native`, and nothing but speed depends on it: whatever it does, Python does as well. A build that
speaks another protocol than this file is not used.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

try:
    import gossamer_native
except ImportError:
    gossamer_native = None

__all__ = ["PROTOCOL", "gossamer_native", "problem_of", "usable_extension"]

PROTOCOL = 4
"""What is expected of the extension."""


def problem_of(module: ModuleType | None) -> str:
    """Why this extension cannot be used, and what to do; empty if it can."""
    if module is None:
        return "gossamer_native is not installed; scripts/native builds it"
    spoken = getattr(module, "PROTOCOL", None)
    if spoken != PROTOCOL:
        return f"gossamer_native speaks protocol {spoken}, not {PROTOCOL}; scripts/native builds the one that fits"
    return ""


def usable_extension() -> Any:
    """The extension, or None."""
    return None if problem_of(gossamer_native) else gossamer_native
