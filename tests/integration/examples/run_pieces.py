"""Runs the programs of a Markdown text one after the other: `python run_pieces.py TEXT SITE`, JSON of what each printed.

In one process, since starting ten would take most of the time. `SITE` stands in for the site that the text speaks of.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path

from pieces import pieces_of

from gossamer.config import CrawlConfig, Politeness

CrawlConfig.politeness = Politeness(delay=0, throttle_start=0.01)

TOLD = "http://127.0.0.1:8000/"

text, site = sys.argv[1:]
printed = {}
for piece in pieces_of(Path(text).read_text("utf-8")):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = compile(piece.code.replace(TOLD, site), piece.name, "exec")
        exec(code, {"__name__": "__main__"})
    printed[piece.name] = out.getvalue().replace(site, TOLD)
print(json.dumps(printed))
