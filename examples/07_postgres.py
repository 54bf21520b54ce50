"""Store pages in PostgreSQL: python examples/07_postgres.py dbname=crawl https://example.org/

The first argument is a connection string as psql takes it. Each toe has a connection of its own: `def` hooks all run in
the toe's own thread, where code may block. Needs `pip install psycopg[binary]`.
"""

from __future__ import annotations

import sys

import psycopg

import gossamer

DATABASE = sys.argv[1] if len(sys.argv) > 1 else "dbname=crawl"
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


try:
    with psycopg.connect(DATABASE) as connection:
        connection.execute(TABLE)
except psycopg.OperationalError as error:
    sys.exit(f"no database at {DATABASE!r}: {error}")
controller = gossamer.CrawlController(max_pages=1000)
controller.add_seeds(sys.argv[2:] or ["https://example.org/"])
controller.start(lambda: Storing(DATABASE), toes=4)
with psycopg.connect(DATABASE) as connection:
    for url, title in connection.execute("SELECT url, title FROM page ORDER BY url"):
        print(f"{url} {title!r}")
