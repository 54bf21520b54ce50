"""Drives wget: `wget_warc.py PAGES CONCURRENCY FOLDER SEED…`.

It follows links (`a`, `link`, `img`, `script`, style sheets and more) inside the seeds' hosts, obeys robots.txt, and
writes a WARC with request and response records; the files that it saves beside it are deleted at once. It has one
connection and no limit of pages, so PAGES and CONCURRENCY are not used. Its queue is memory.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SOME_PAGES_ARE_ERRORS = 8
"""Exit code of wget if any response had a status of 400 or more."""


def main(_pages: str, _concurrency: str, folder: str, *seeds: str) -> int:
    """Crawl, and print the line of JSON; returns the exit code."""
    out = Path(folder)
    release = subprocess.run(["wget", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    line = ["wget", "--quiet", "--recursive", "--level=inf", "--delete-after", f"--directory-prefix={out / 'files'}"]
    line += [f"--warc-file={out / 'wget'}", "--warc-cdx", "--no-warc-keep-log", *seeds]
    code = subprocess.run(line, check=False).returncode
    if code not in (0, SOME_PAGES_ARE_ERRORS):
        return code
    pages, responses = count(out / "wget.cdx")
    print(json.dumps({"peer": "wget", "version": release, "pages": pages, "responses": responses}))
    return 0


def count(cdx: Path) -> tuple[int, int]:
    """HTML responses with status 200, and all, by the index that wget writes beside its archive."""
    header, *rows = [line.split() for line in cdx.read_text(encoding="utf-8").splitlines()]
    # The header's first word is CDX itself: ` CDX a b a m s …`, m the media type and s the status.
    media_type, status = header.index("m") - 1, header.index("s") - 1
    return sum(row[media_type] == "text/html" and row[status] == "200" for row in rows), len(rows)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
