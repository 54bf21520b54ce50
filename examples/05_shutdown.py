"""Crawl for so many seconds, then stop in good order: python examples/05_shutdown.py 30 https://example.org/

`shutdown` lets the toes finish what is in flight; nothing fails because of it. The same command again goes on where
this one stopped, since there is a folder. (`limits=gossamer.Limits(max_time=30)` does the same without a program
that watches.)
"""

from __future__ import annotations

import sys

import gossamer

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 30.0


class Printing(gossamer.WebCrawler):
    def visit(self, page: gossamer.Page) -> None:
        print(page.url, flush=True)


controller = gossamer.CrawlController(folder="crawls/stopped")
controller.add_seeds(sys.argv[2:] or ["https://example.org/"])
controller.start(Printing, toes=5, blocking=False)
if not controller.wait(timeout=SECONDS):
    print("time is up")
    controller.shutdown()
    controller.wait()
counts = controller.counts
print(f"{counts.succeeded} URLs done, {counts.queued} wait for the next time")
