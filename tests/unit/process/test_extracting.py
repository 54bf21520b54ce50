"""Where a response is read: in the loop if it is little, elsewhere if it is much or unpacks to much."""

from __future__ import annotations

import gzip
import threading

import pytest

from gossamer.config import Extraction, Robots
from gossamer.extract import Extraction as Extracted
from gossamer.extract import PageExtractor
from gossamer.extract.headers import ContentType, Headers
from gossamer.fetch.recording import SpooledRecording
from gossamer.model.attempt import Attempt
from gossamer.model.crawluri import ClassKey, CrawlURI, Identity
from gossamer.model.exchange import Exchange
from gossamer.process.extracting import THREAD_ABOVE, Extracting

URL = "http://site.test/"


class Reader:
    """An extractor that notes in which thread it reads how much."""

    def __init__(self) -> None:
        self.read: list[tuple[bool, int]] = []

    def extract(self, data: bytes, url: str, declared: ContentType, headers: Headers) -> Extracted:
        self.read.append((threading.current_thread() is threading.main_thread(), len(data)))
        return Extracted()


async def read(body: bytes, *, is_coded: bool, max_decoded: int = 10 * THREAD_ABOVE) -> tuple[bool, int, bool]:
    raw, reader = SpooledRecording(10**9), Reader()
    raw.append(body)
    headers = [(b"content-type", b"text/html"), *([(b"content-encoding", b"gzip")] if is_coded else [])]
    attempt = Attempt(
        CrawlURI(url=URL, class_key=ClassKey("site.test"), identity=Identity(bytes(20))),
        1,
        exchange=Exchange(URL, raw=raw, http_status=200, headers=headers),
    )
    await Extracting(reader, Extraction(max_decoded=max_decoded), Robots()).process(attempt)
    assert attempt.page is not None and attempt.content == attempt.page.content
    return *reader.read[0], attempt.page.is_truncated


@pytest.mark.parametrize("is_coded", [False, True])
async def test_what_is_little_is_read_in_the_loop_and_what_is_much_elsewhere_packed_or_not(is_coded: bool) -> None:
    for size, is_in_loop in [(THREAD_ABOVE // 2, True), (THREAD_ABOVE * 2, False)]:
        body = bytes(size)
        assert await read(gzip.compress(body) if is_coded else body, is_coded=is_coded) == (is_in_loop, size, False)


async def test_a_bomb_is_read_elsewhere_up_to_the_limit() -> None:
    assert await read(gzip.compress(bytes(20 * THREAD_ABOVE)), is_coded=True) == (False, 10 * THREAD_ABOVE, True)


async def test_where_the_limit_is_low_little_is_read_of_a_bomb_and_that_in_the_loop() -> None:
    assert await read(gzip.compress(bytes(20 * THREAD_ABOVE)), is_coded=True, max_decoded=2000) == (True, 2000, True)


async def test_a_codec_that_only_python_knows_decodes_no_page_whatever_a_server_says() -> None:
    raw = SpooledRecording(10**9)
    raw.append(b"a" * 1000)
    headers = [(b"content-type", b"application/json; charset=punycode")]
    attempt = Attempt(
        CrawlURI(url=URL, class_key=ClassKey("site.test"), identity=Identity(bytes(20))),
        1,
        exchange=Exchange(URL, raw=raw, http_status=200, headers=headers),
    )
    settings = Extraction(visit_types=("application/json",))
    await Extracting(PageExtractor(10, "gossamer"), settings, Robots()).process(attempt)
    assert attempt.page is not None and (attempt.page.charset, attempt.page.text) == ("", "a" * 1000)
