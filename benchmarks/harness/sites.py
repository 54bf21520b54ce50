"""Which sites a benchmark runs on: URLs that somebody serves, a folder of HTML, or a demo site; each with its options.

What is served here is served by a process of its own, so that its work is in no figure of the crawler.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gossamer.demosite import DemoPlan, DemoProcess

from .weburl import normal


@dataclass(frozen=True, slots=True)
class Sites:
    """Where a crawl begins."""

    seeds: tuple[str, ...]
    demo: DemoProcess | None = None
    """If it is a demo site: it knows what there is to find, and what was asked."""


def add_site_options(parser: argparse.ArgumentParser, pages: int) -> None:
    """Let a script be told which sites to run on; a demo site of `pages` pages if it is told nothing."""
    group = parser.add_argument_group("sites (any of these; without them a demo site)")
    group.add_argument("urls", nargs="*", metavar="URL", help="begin here; something else serves it")
    group.add_argument("--folder", type=Path, action="append", default=[], help="serve this folder of HTML files")
    group.add_argument("--demosite", type=int, metavar="PAGES", default=pages, help="(%(default)s pages)")
    group.add_argument("--hosts", type=int, default=1, help="hosts of the demo site (%(default)s)")
    group.add_argument("--latency", type=float, default=0.0, help="seconds each of its answers takes (%(default)s)")
    group.add_argument("--plain", action="store_true", help="a demo site without oddities")


@contextlib.contextmanager
def served(options: argparse.Namespace, *, log: Path | None = None) -> Iterator[Sites]:
    """The sites the options name, for as long as the context lasts; `log` is where a demo site notes requests."""
    with contextlib.ExitStack() as stack:
        seeds = [url for text in options.urls if (url := normal(text)) is not None]
        if len(seeds) != len(options.urls):
            raise SystemExit("not every URL given is an http or https URL")
        seeds += [stack.enter_context(static_server(folder)) for folder in options.folder]
        demo = None
        if not seeds:
            plan = DemoPlan(
                pages=options.demosite,
                hosts=options.hosts,
                oddities=not options.plain,
                latency_seconds=options.latency,
            )
            demo = stack.enter_context(DemoProcess(plan, log=log))
            seeds = demo.seeds
        yield Sites(tuple(seeds), demo)


@contextlib.contextmanager
def static_server(folder: Path) -> Iterator[str]:
    """Serve a folder with the standard library's server; yields its URL."""
    if not folder.is_dir():
        raise SystemExit(f"{folder} is not a folder")
    options = ["--bind", "127.0.0.1", "--directory", str(folder), "--protocol", "HTTP/1.1", "0"]
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "http.server", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        match = re.search(r"port (\d+)", process.stdout.readline())
        if match is None:
            raise SystemExit(f"no server for {folder} could be started")
        yield f"http://127.0.0.1:{match[1]}/"
    finally:
        process.kill()
        process.communicate()
