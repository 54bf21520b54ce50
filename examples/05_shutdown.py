"""Crawl for so many seconds, then stop in good order: python examples/05_shutdown.py 30 https://example.org/

`shutdown` lets the toes finish what is in flight; nothing fails because of it. The same command again goes on where
this one stopped, since there is a folder. (`limits=gossamer.Limits(max_time=30)` does the same without a program
that watches.)
"""

from __future__ import annotations

import argparse

import gossamer


class Printing(gossamer.WebCrawler):
    def visit(self, page: gossamer.Page) -> None:
        print(page.url)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("seconds", type=float)
parser.add_argument("url", nargs="+")
given = parser.parse_args()

with gossamer.script():
    controller = gossamer.CrawlController(folder="crawls/stopped")
    controller.add_seeds(given.url)
    controller.start(Printing, toes=5, blocking=False)
    if not controller.wait(timeout=given.seconds):
        print("time is up")
        controller.shutdown()
        controller.wait()
    counts = controller.counts
    print(f"{counts.succeeded} URLs done, {counts.queued} wait for the next time")
