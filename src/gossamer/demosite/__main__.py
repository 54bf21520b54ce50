"""`python -m gossamer.demosite`: serve a demo site on loopback until interrupted.

Prints one URL per host, then nothing. Every field of the plan is an option.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
from dataclasses import fields
from pathlib import Path

from gossamer.demosite.plan import DemoPlan
from gossamer.demosite.requestlog import RequestLog
from gossamer.demosite.server import DemoServer


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        plan = DemoPlan(**{field.name: getattr(options, field.name) for field in fields(DemoPlan)})
    except ValueError as error:
        parser.error(str(error))
    with contextlib.ExitStack() as stack:
        sink = stack.enter_context(options.log.open("a", encoding="utf-8")) if options.log else None
        server = DemoServer(plan, port=options.port, spread=options.spread, log=RequestLog(sink, keep=False))
        try:
            asyncio.run(_serve(server, until_stdin_closes=options.until_stdin_closes))
        except OSError as error:
            print(f"cannot serve: {error}", file=sys.stderr)
            return 1
    return 0


async def _serve(server: DemoServer, *, until_stdin_closes: bool) -> None:
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    async with server:
        print(*server.seeds, sep="\n", flush=True)
        if until_stdin_closes:
            loop.add_reader(sys.stdin.fileno(), ended.set)
        await ended.wait()


def _parser() -> argparse.ArgumentParser:
    default = DemoPlan()
    flag = argparse.BooleanOptionalAction
    parser = argparse.ArgumentParser(prog="python -m gossamer.demosite", description="Serve a demo site on loopback.")
    parser.add_argument("--pages", type=int, default=default.pages, help="documentation pages (%(default)s)")
    parser.add_argument("--seed", type=int, default=default.seed, help="another seed, another site (%(default)s)")
    parser.add_argument("--hosts", type=int, default=default.hosts, help="(%(default)s)")
    spreads = ("ports", "addresses")
    parser.add_argument("--spread", choices=spreads, default="ports", help="how hosts differ (%(default)s)")
    parser.add_argument("--port", type=int, default=0, help="of the first host; 0 = any")
    parser.add_argument("--oddities", action=flag, default=default.oddities, help="serve /odd/ (%(default)s)")
    parser.add_argument("--root-redirect", action=flag, default=default.root_redirect, help="(%(default)s)")
    parser.add_argument("--crawl-delay-seconds", type=float, help="in robots.txt")
    parser.add_argument("--retry-after-seconds", type=int, default=default.retry_after_seconds, help="(%(default)s)")
    parser.add_argument("--slow-seconds", type=float, default=default.slow_seconds, help="(%(default)s)")
    parser.add_argument("--latency-seconds", type=float, default=default.latency_seconds, help="(%(default)s)")
    parser.add_argument("--median-bytes", type=int, default=default.median_bytes, help="of a page (%(default)s)")
    parser.add_argument("--size-sigma", type=float, default=default.size_sigma, help="of their spread (%(default)s)")
    parser.add_argument("--largest-bytes", type=int, default=default.largest_bytes, help="of a page (%(default)s)")
    parser.add_argument("--log", type=Path, help="append each request to this file, as a line of JSON")
    parser.add_argument("--until-stdin-closes", action="store_true", help="end when standard input does")
    return parser


if __name__ == "__main__":
    sys.exit(main())
