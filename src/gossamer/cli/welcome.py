"""What `gossamer` says of itself."""

from __future__ import annotations

import gossamer
from gossamer.util.program import program

VERSION = f"gossamer {gossamer.__version__}"


_WELCOME = """\
Gossamer crawls the web politely and archives what it finds.

See it work, on a small site that it serves on this machine:
    {gossamer} demo

Crawl a site into the folder crawls/example.org, and at most 100 pages of it:
    {gossamer} crawl https://example.org/ --max-pages 100

Ask what became of a page, while the crawl runs or later:
    {gossamer} frontier lookup https://example.org/about crawls/example.org

A crawl can be stopped at any moment, even by kill -9: the same command goes on
where it was. The archive is made of standard WARC files.

`{gossamer} --help` lists all commands,
`{gossamer} crawl --help` all options of a crawl."""


def welcome() -> str:
    """What is said to who asks for nothing; its commands can be given as they stand."""
    return _WELCOME.format(gossamer=program())
