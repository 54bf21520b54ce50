"""`gossamer demo`: the whole of a crawl on one's own machine, against a site that Gossamer serves itself.

The site runs in a thread on loopback, for as long as the crawl. A demo that was stopped, or killed, goes on when it is
given the same folder: the site comes back at the port it had.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from gossamer.cli import options
from gossamer.cli.output import Output
from gossamer.errors import ConfigError
from gossamer.util.program import program

PAGES = 200

# One's own machine needs no politeness; anybody else's does, and is asked once a second by default.
SETTINGS = {"politeness.delay": 0.0, "politeness.delay_factor": 0.0, "politeness.connections_per_host": 4}


def demo(
    pages: options.DemoPages = PAGES,
    job: options.DemoJob = None,
    is_json: options.Json = False,
    is_quiet: options.Quiet = False,
    is_debug: options.Debug = False,
) -> int:
    """Serve a small site on this machine, crawl it, and show what was made."""
    import tempfile

    from gossamer.cli.crawl import run_request
    from gossamer.cli.logs import start_logging
    from gossamer.cli.preparing import Request
    from gossamer.demosite import DemoPlan, DemoThread

    start_logging(is_debug=is_debug, is_quiet=is_quiet)
    folder = job if job is not None else Path(tempfile.mkdtemp(prefix="gossamer-demo-"))
    port = _port_before(folder)
    notices = Output(sys.stderr if is_json else sys.stdout)
    try:
        site = DemoThread(DemoPlan(pages=pages), port=port)
        site.start()
    except OSError as error:
        raise ConfigError(f"the site cannot be served on port {port}: {error.strerror or error}") from error
    try:
        if not is_quiet:
            notices.line(f"Serving a site of {pages:,} pages at {site.seeds[0]} while it is crawled.")
        request = Request(urls=site.seeds, folder=folder, settings=SETTINGS)
        code = run_request(request, is_json=is_json, is_quiet=is_quiet, command="demo")
    finally:
        site.close()
    if not (is_json or is_quiet):
        notices.line(_invitation(folder, site.seeds[0]))
    return code


def _port_before(folder: Path) -> int:
    """The port the site had when this folder was crawled before; 0 = any."""
    from gossamer.jobs import JobDirectory
    from gossamer.seeds import Seed
    from gossamer.url import parse

    seed = next((one for one in JobDirectory(folder).seeds() if isinstance(one, Seed)), None)
    return (parse(seed.url).port or 0) if seed is not None else 0


def _invitation(folder: Path, url: str) -> str:
    place = shlex.quote(str(folder))
    return (
        "\nLook at what was made:\n"
        f"  {program()} warc check {place}\n"
        f"  {program()} frontier lookup {url} {place}\n"
        f"  {program()} frontier queues {place}\n"
        f"  less {place}/logs/crawl.log"
    )
