"""How the operator called Gossamer, so that a command in a hint can be given as it stands.

`scripts/gossamer` is not on anybody's PATH: it says under which name it was called.
"""

from __future__ import annotations

import os
import shlex

COMMAND = "GOSSAMER_COMMAND"


def program() -> str:
    """The first word of a command line."""
    return shlex.quote(os.environ.get(COMMAND) or "gossamer")
