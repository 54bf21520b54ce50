"""Find the broken links of a site: python examples/06_status_handler.py https://example.org/

The hooks tell of pages and of what was given up. Who wants to hear of every answer (each redirect, each try, each
image) subscribes to UriFinished.
"""

from __future__ import annotations

import sys
from collections import Counter

import gossamer

statuses: Counter[int] = Counter()


def note(event: gossamer.UriFinished) -> None:
    """Called for every attempt that was settled, in a thread of its own: the crawl need not wait for it."""
    statuses[event.status] += 1
    if 300 <= event.status < 400:
        print(f"{event.status} {event.curi.target}: redirected to {event.redirected_to}")


class Checking(gossamer.WebCrawler):
    def on_fetch_failed(self, url: gossamer.Link, failure: gossamer.Failure) -> None:
        # Once per URL, after the last try; `failure` also knows the page that the link stood on.
        print(f"{failure.reason} {url}, linked from {failure.parent_url}: {failure}")


with gossamer.script():
    controller = gossamer.CrawlController()
    controller.subscribe(gossamer.UriFinished, note)
    controller.add_seeds(sys.argv[1:])
    controller.start(Checking)
for status, times in sorted(statuses.items()):
    print(f"{times:6} x {status}")
