"""Store pages in PostgreSQL: python examples/07_postgres.py dbname=crawl https://example.org/

The first argument is a connection string as psql takes it. Each toe has a connection of its own: `def` hooks all run in
the toe's own thread, where code may block. Needs `pip install psycopg[binary]`.
"""

from __future__ import annotations

import argparse

import psycopg

import gossamer

TABLE = "CREATE TABLE IF NOT EXISTS page (url text PRIMARY KEY, title text, body text, fetched timestamptz)"
# After a crash the pages that were in flight come once more, so a page is put, not added.
PUT = """INSERT INTO page VALUES (%s, %s, %s, %s) ON CONFLICT (url)
         DO UPDATE SET title = excluded.title, body = excluded.body, fetched = excluded.fetched"""


class Storing(gossamer.WebCrawler):
    def __init__(self, database: str) -> None:
        self.database = database

    def on_start(self) -> None:
        self.connection = psycopg.connect(self.database, autocommit=True)

    def visit(self, page: gossamer.Page) -> None:
        values = (page.url, page.title, page.text, page.fetched_at)
        # PostgreSQL's texts cannot hold a NUL, and pages can.
        self.connection.execute(PUT, [v.replace("\0", "") if isinstance(v, str) else v for v in values])

    def on_finish(self) -> None:
        self.connection.close()


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("database")
parser.add_argument("url", nargs="+")
given = parser.parse_args()

with gossamer.script(psycopg.Error):  # where no database is, that is said in a line, too
    with psycopg.connect(given.database) as connection:
        connection.execute(TABLE)
    controller = gossamer.CrawlController(max_pages=1000)
    controller.add_seeds(given.url)
    controller.start(lambda: Storing(given.database), toes=4)
    with psycopg.connect(given.database) as connection:
        for url, title in connection.execute("SELECT url, title FROM page ORDER BY url"):
            print(f"{url} {title!r}")
