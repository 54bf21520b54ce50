"""Drives Scrapy: `scrapy_links.py PAGES CONCURRENCY FOLDER SEED…`, run by the Python of an environment that has it.

A spider as its documentation would have one written: Scrapy's own link extractor with its defaults (`a` and `area`,
file types such as images and archives left out), kept to the seeds' hosts; robots.txt obeyed, no delay, everything else
as Scrapy has it by default. It stores nothing, in particular no archive and no queue: its queue is memory.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Iterator
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor


class LinkSpider(scrapy.Spider):
    """Follows every link inside the seeds' hosts and counts what comes."""

    name = "links"

    def __init__(self, seeds: list[str]) -> None:
        super().__init__()
        self.start_urls = seeds
        self._extractor = LinkExtractor(allow_domains=sorted({urlsplit(seed).netloc for seed in seeds}))
        self.pages = 0
        self.bytes = 0

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """The seeds; without this they would not be noted as seen, and be fetched a second time."""
        for url in self.start_urls:
            yield scrapy.Request(url)

    def parse(self, response: Response) -> Iterator[scrapy.Request]:
        """Scrapy gives nothing here but 2xx."""
        self.bytes += len(response.body)
        if isinstance(response, HtmlResponse):
            self.pages += response.status == 200
            for link in self._extractor.extract_links(response):
                yield scrapy.Request(link.url)


def main(pages: str, concurrency: str, _folder: str, *seeds: str) -> None:
    """Crawl, and print the line of JSON."""
    process = CrawlerProcess(
        {
            "CONCURRENT_REQUESTS": int(concurrency),
            "CONCURRENT_REQUESTS_PER_DOMAIN": int(concurrency),
            "DOWNLOAD_DELAY": 0,
            "ROBOTSTXT_OBEY": True,
            "CLOSESPIDER_PAGECOUNT": int(pages),
            "TELNETCONSOLE_ENABLED": False,
            "LOG_LEVEL": "WARNING",
        }
    )
    crawler = process.create_crawler(LinkSpider)
    process.crawl(crawler, seeds=list(seeds))
    process.start()
    spider = crawler.spider
    told = {
        "peer": "scrapy",
        "version": scrapy.__version__,
        "pages": spider.pages,
        "responses": crawler.stats.get_value("downloader/response_count", 0),
        "bytes": spider.bytes,
    }
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
