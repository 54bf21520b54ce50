"""What tests need to know of the native extension: whether it can be used here."""

from __future__ import annotations

import pytest

from gossamer.util.native import gossamer_native, problem_of

NEEDS_NATIVE = pytest.mark.skipif(bool(problem_of(gossamer_native)), reason=problem_of(gossamer_native))
