"""What tests need to know of the native extension: whether it can be used here."""

from __future__ import annotations

import pytest

from gossamer.extract import native

NEEDS_NATIVE = pytest.mark.skipif(
    bool(native.problem_of(native.gossamer_native)), reason=native.problem_of(native.gossamer_native)
)
