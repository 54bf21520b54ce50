"""Crawl a site and print what is found: python examples/01_basic.py https://example.org/

Two methods are all there is to it: which links to follow, and what to do with a page.
"""

from __future__ import annotations

import sys

import gossamer

UNWANTED = (".zip", ".gz", ".pdf", ".iso")


class Printing(gossamer.WebCrawler):
    def should_visit(self, page: gossamer.Page, url: gossamer.Link) -> bool:
        return not url.path.lower().endswith(UNWANTED)

    def visit(self, page: gossamer.Page) -> None:
        # A title is a stranger's text: !r shows control characters, where a plain print would obey them.
        print(f"{page.depth} {page.url} {page.title!r}: {len(page.text.split())} words, {len(page.links)} links")


with gossamer.script():  # what is wrong with a URL is said in one line, without a traceback
    controller = gossamer.CrawlController(max_depth=3, max_pages=100)
    controller.add_seeds(sys.argv[1:])
    controller.start(Printing, toes=5)
    print(f"{controller.counts.pages} pages, {controller.counts.discovered} URLs found")
