"""Which sites a benchmark runs on: URLs that somebody serves, a folder of HTML, what a script serves, or a demo site.

What is served here is served by a process of its own, so that its work is in no figure of the crawler. A script of
sites is one that knows three things:

    SCRIPT FOLDER         serve, with all that is needed kept in FOLDER
    SCRIPT hosts          print a line for each site: its URL, its name, whatever else
    SCRIPT stop FOLDER    serve no more

The pages of the demo site are as large as those of documentation sets (Python, PostgreSQL, SQLite, Apache, the Debian
handbook), measured together: median 18 KB, mean 30 KB, the largest near 1 MB; half of them have 80 to 120 links.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gossamer.demosite import DemoPlan, DemoProcess
from gossamer.demosite.server import Spread

from .venv import cache_folder
from .weburl import normal

MEDIAN_BYTES = 18_000
SIZE_SIGMA = 1.0
LARGEST_BYTES = 1_000_000


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
    group.add_argument("--sites-script", type=Path, help="serve what this script serves (see harness/sites.py)")
    group.add_argument("--site", action="append", default=[], metavar="NAME", help="only this one of the script's")
    folder = cache_folder() / "sites"
    group.add_argument("--sites-folder", type=Path, default=folder, help="where the script keeps things (%(default)s)")
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
        if options.sites_script is not None:
            seeds += stack.enter_context(scripted_sites(options.sites_script, options.sites_folder, options.site))
        demo = None
        if not seeds:
            plan = DemoPlan(
                pages=options.demosite,
                hosts=options.hosts,
                oddities=not options.plain,
                latency_seconds=options.latency,
                median_bytes=MEDIAN_BYTES,
                size_sigma=SIZE_SIGMA,
                largest_bytes=LARGEST_BYTES,
            )
            # Hosts that differ by their port only are one host to some crawlers.
            spread: Spread = "addresses" if sys.platform == "linux" else "ports"
            demo = stack.enter_context(DemoProcess(plan, spread=spread, log=log))
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


@contextlib.contextmanager
def scripted_sites(script: Path, folder: Path, names: Sequence[str] = ()) -> Iterator[list[str]]:
    """Let a script serve its sites; yields the URLs of those named, or of all."""
    if not script.is_file():
        raise SystemExit(f"{script} is no script of sites: there is no such file")
    command = str(script.resolve())
    listed = subprocess.run([command, "hosts"], capture_output=True, text=True, check=True).stdout
    urls = chosen_sites(listed, names)
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([command, str(folder)], stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)
    try:
        yield urls
    finally:
        subprocess.run([command, "stop", str(folder)], stdout=sys.stderr, check=True)


def chosen_sites(listed: str, names: Sequence[str]) -> list[str]:
    """The URLs of the sites named, in their order; of all, if none is named."""
    urls = {words[1]: words[0] for line in listed.splitlines() if len(words := line.split()) > 1}
    unknown = [name for name in names if name not in urls]
    if unknown or not urls:
        raise SystemExit(f"no site is called {', '.join(unknown)}; there are: {', '.join(urls) or 'none'}")
    return [urls[name] for name in names or urls]
