"""Store links in SQLite from `async def` hooks: python examples/10_async_sqlite.py links.db https://example.org/

`async def` hooks run in the crawl's own event loop, all toes taking turns, and so must not block: what does goes to a
thread. One crawler, given as an instance, serves all toes; what its hooks share needs a lock.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3

import gossamer


class Linking(gossamer.WebCrawler):
    def __init__(self, file: str) -> None:
        self.lock = asyncio.Lock()
        self.database = sqlite3.connect(file, check_same_thread=False)
        self.database.execute(
            "CREATE TABLE IF NOT EXISTS link (source TEXT, target TEXT, PRIMARY KEY (source, target))"
        )

    async def visit(self, page: gossamer.Page) -> None:
        rows = [(page.url, link.url) for link in page.links]
        async with self.lock:
            await asyncio.to_thread(self.store, rows)

    def store(self, rows: list[tuple[str, str]]) -> None:
        with self.database:  # one transaction
            self.database.executemany("INSERT OR REPLACE INTO link VALUES (?, ?)", rows)


MOST_LINKED = "SELECT target, count(*) AS times FROM link GROUP BY target ORDER BY times DESC, target LIMIT 5"

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("file")
parser.add_argument("url", nargs="+")
given = parser.parse_args()

with gossamer.script(sqlite3.Error):
    crawler = Linking(given.file)
    controller = gossamer.CrawlController(max_depth=2)
    controller.add_seeds(given.url)
    controller.start(crawler, toes=10)
    for target, times in crawler.database.execute(MOST_LINKED):
        print(f"{times:6} {target}")
    crawler.database.close()
