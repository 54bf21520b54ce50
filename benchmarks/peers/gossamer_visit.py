"""Drives Gossamer from Python with a `visit` that does nothing: what a program pays that uses it as a library.

    gossamer_visit.py def|async crawl SEED… --job FOLDER …

It stands in for the program `gossamer` where the benchmarks crawl, and understands the options that they give. A `def`
is called in a thread of its toe, an `async def` in the loop. With `--main-thread` the crawl's loop runs in the main
thread, where signals are handled: a sampler sees nothing of other threads but where they let go of the interpreter.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import Any

import gossamer

NAMES = {
    "job": "folder",
    "delay": "politeness.delay",
    "scope": "scope.kind",
    "include": "scope.include",
    "toes": "toes",
    "connections": "politeness.connections_per_host",
    "max_pages": "limits.max_pages",
}
"""Option -> setting."""


class Visitor(gossamer.WebCrawler):
    def visit(self, page: gossamer.Page) -> None:
        """Called for every page."""


class AsyncVisitor(gossamer.WebCrawler):
    async def visit(self, page: gossamer.Page) -> None:
        """Called for every page."""


def main() -> int:
    """Crawl; returns the exit code: 0 if there is nothing left, or the limit of pages was reached."""
    options = _options()
    texts = [(NAMES[name], value) for name, value in vars(options).items() if name in NAMES and value is not None]
    texts += [setting.split("=", 1) for setting in options.set]
    settings: dict[str, Any] = {}
    for name, value in texts:
        group, _, setting = name.rpartition(".")
        place = settings.setdefault(group, {}) if group else settings
        place[setting] = int(value) if str(value).isdigit() else value
    crawler = Visitor if options.hook == "def" else AsyncVisitor
    controller = gossamer.CrawlController(gossamer.CrawlConfig(**settings))
    controller.add_seeds(options.seeds)
    if options.main_thread:
        from gossamer.util.loop import new_loop

        with asyncio.Runner(loop_factory=new_loop) as runner:
            outcome = runner.run(controller.run(crawler))
    else:
        outcome = controller.start(crawler)
    good = gossamer.ExitStatus.FINISHED, gossamer.ExitStatus.DOCUMENT_LIMIT
    if outcome.exit_status not in good:
        print(f"the crawl ended as {outcome.exit_status.name}", file=sys.stderr)
    return 0 if outcome.exit_status in good else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hook", choices=("def", "async"))
    parser.add_argument("--main-thread", action="store_true")
    parser.add_argument("command", choices=("crawl",))
    parser.add_argument("seeds", nargs="+")
    for name in NAMES:
        is_list = name == "include"
        parser.add_argument(f"--{name.replace('_', '-')}", **({"action": "append"} if is_list else {}))
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--quiet", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
