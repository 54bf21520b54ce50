"""Crawl two sites at once, each by its own rules: python examples/04_several_controllers.py https://a.example/ https://b.example/

Each controller has its own settings, toes and folder, and its own thread: neither knows of the other. With a folder a
crawl writes WARC files and goes on, when started again, where it was.
"""

from __future__ import annotations

import argparse

import gossamer


class Printing(gossamer.WebCrawler):
    def __init__(self, name: str) -> None:
        self.name = name

    def visit(self, page: gossamer.Page) -> None:
        print(f"{self.name}: {page.url}")


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("news")
parser.add_argument("manual")
given = parser.parse_args()

with (
    gossamer.script(),
    gossamer.CrawlController(folder="crawls/news", max_depth=1) as news,
    gossamer.CrawlController(folder="crawls/manual", max_depth=5, max_pages=1000) as manual,
):
    news.add_seed(given.news)
    manual.add_seed(given.manual)
    # A factory makes the crawlers: so they can be given what they need.
    news.start(lambda: Printing("news"), toes=2, blocking=False)
    manual.start(lambda: Printing("manual"), toes=7, blocking=False)
    news.wait()
    manual.wait()
    print(f"news: {news.counts.pages} pages; manual: {manual.counts.pages} pages")
