"""What a Page knows, in a hook and long after it."""

from __future__ import annotations

import copy
import gzip
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from typing import Any

import pytest

import gossamer
from gossamer import CrawlConfig, Page, StateError
from tests.support.native import NEEDS_NATIVE

Eager = Callable[..., CrawlConfig]


def pages_of(seed: str, config: CrawlConfig) -> dict[str, Page]:
    """Every page of a crawl, kept beyond its end, by its path."""
    found: dict[str, Page] = {}
    gossamer.crawl(
        seed, visit=lambda page: found.__setitem__(page.url.partition("/")[2].partition("/")[2], page), config=config
    )
    return {"/" + url.partition("/")[2]: page for url, page in found.items()}


def test_a_page_knows_all_of_itself_also_when_the_crawl_is_over(site, eager: Eager) -> None:
    site.page("/", "/article", body="<img src=/picture.png><a href=/nf rel=nofollow>x</a>")
    html = (
        "<html lang=de><head><title> Ein  Titel </title><meta name=Author content='Ä. Meier'>"
        "<meta name=robots content=nofollow></head>"
        "<body><h1>Grüße</h1><p>aus <b>B</b>ern</p><a href='/next?a=1#top' rel=next>Wei\n ter</a></body></html>"
    )
    site.answer("/article", 200, gzip.compress(html.encode("latin-1")), Content_Type="text/html; charset=iso-8859-1",
                Content_Encoding="gzip", Last_Modified="Thu, 01 Jan 2026 00:00:00 GMT")  # fmt: skip
    site.page("/nf")
    page = pages_of(site("/"), eager())["/article"]
    assert page.url == page.requested_url == site("/article")
    assert (page.parent_url, page.depth, page.anchor, page.hop_path) == (site("/"), 1, "to /article", "L")
    assert page.seed == site("/") and not page.is_seed
    assert page.docid > page.parent_docid == 1
    assert (page.status, page.content_type, page.charset, page.ip) == (200, "text/html", "windows-1252", "127.0.0.1")
    assert page.headers["CONTENT-type"] == "text/html; charset=iso-8859-1"
    assert page.headers.get("last-modified") == "Thu, 01 Jan 2026 00:00:00 GMT"
    assert page.headers.get("X-None") is None and "Server" in page.headers
    assert page.content == html.encode("latin-1")
    assert page.html == html
    assert page.text == "Grüße\naus Bern\nWei ter"
    assert (page.title, page.language, page.meta["author"]) == ("Ein Titel", "de", "Ä. Meier")
    assert page.is_nofollow and not page.is_noindex and not page.is_truncated
    assert [(link.url, link.text, link.element, link.rel, link.hop) for link in page.links] == [
        (site("/next?a=1"), "Wei ter", "a@href", "next", "L")
    ]
    assert [node.text() for node in page.select("h1, b")] == ["Grüße", "B"]
    assert timedelta(0) <= datetime.now(UTC) - page.fetched_at < timedelta(minutes=5)
    assert 0 < page.fetch_seconds < 60 and page.wire_bytes > 200


def test_the_raw_bytes_are_there_in_visit_and_kept_if_they_were_asked_for(site, eager: Eager) -> None:
    big = b"<html>" + b"x" * 2_000_000  # goes through a spool file
    site.page("/", "/big", "/unread")
    site.answer("/big", 200, big)
    site.page("/unread")
    kept: dict[str, Page] = {}

    def visit(page: Page) -> None:
        kept[page.url] = page
        if not page.url.endswith("/unread"):
            assert page.raw.startswith(b"HTTP/1.1 200 OK\r\n")

    gossamer.crawl(site("/"), visit=visit, config=eager())
    assert kept[site("/big")].raw.endswith(big)
    assert kept[site("/big")].content == big
    with pytest.raises(StateError, match=r"read page\.raw in visit"):
        kept[site("/unread")].raw  # noqa: B018
    assert kept[site("/unread")].title == "/unread"


def test_a_page_that_is_not_whole_says_so(site, eager: Eager) -> None:
    site.page("/", "/long", "/packed", "/whole")
    site.answer("/long", 200, b"<html>" + b"y" * 5000)
    site.answer("/packed", 200, gzip.compress(b"<html>" + b"z" * 5000), Content_Encoding="gzip")
    site.answer("/whole", 200, b"<html>" + b"y" * 500)
    found = pages_of(site("/"), eager(extraction=gossamer.Extraction(max_decoded=1024)))
    assert {path: (page.is_truncated, len(page.content)) for path, page in found.items() if path != "/"} == {
        "/long": (True, 1024),
        "/packed": (True, 1024),
        "/whole": (False, 506),
    }
    cut = pages_of(site("/long"), eager(fetching=gossamer.Fetching(max_body=1000)))
    assert cut["/long"].is_truncated


def test_a_page_knows_the_redirects_that_led_to_it(site, eager: Eager) -> None:
    site.answer("/", 301, Location="/one")
    site.answer("/one", 302, Location="/two")
    site.page("/two")
    page = pages_of(site("/"), eager())["/two"]
    assert (page.redirects, page.redirected_from, page.hop_path, page.depth) == (2, site("/one"), "RR", 0)


def test_what_is_no_document_has_text_only_if_it_is_text(site, eager: Eager) -> None:
    site.page("/", "/data", "/picture", "/odd", "/plain")
    site.answer("/data", 200, '{"ü": 1}'.encode(), Content_Type="application/json")
    site.answer("/picture", 200, b"\x89PNG\0", Content_Type="image/png")
    site.answer("/odd", 200, "ö".encode(), Content_Type="application/xml; charset=made-up")
    site.answer("/plain", 200, "é".encode("latin-1"), Content_Type="text/plain; charset=latin1", Content_Language="fr")
    found = pages_of(site("/"), eager(visit_types=("*/*",)))
    assert found["/data"].text == found["/data"].html == '{"ü": 1}'
    assert found["/picture"].text == "" and found["/picture"].content == b"\x89PNG\0"
    assert found["/odd"].text == "ö"
    assert (found["/plain"].text, found["/plain"].language) == ("é", "fr")
    assert found["/picture"].select("a") == [] and found["/picture"].title == "" and found["/picture"].meta == {}


def test_a_page_reached_through_a_session_id_has_both_urls(site, eager: Eager) -> None:
    site.answer("/shop", 302, Location="/shop;jsessionid=1234")
    site.page("/shop;jsessionid=1234")
    (page,) = pages_of(site("/shop"), eager()).values()
    assert page.requested_url == site("/shop")
    assert page.url == site("/shop;jsessionid=1234")


ENGINES = pytest.mark.parametrize("engine", ["python", pytest.param("native", marks=NEEDS_NATIVE)])


def told_by(page: Page) -> dict[str, Any]:
    """Everything that a page says of itself."""
    names = [name for name, kind in vars(Page).items() if isinstance(kind, property) and name != "raw"]
    names += ["content", "content_type", "charset", "is_noindex", "is_nofollow", "follow"]
    told = {name: getattr(page, name) for name in names if name != "added_links"}
    told["links"] = [(link.url, link.text, link.element, link.rel, link.hop) for link in page.links]
    told["headings"] = [node.text() for node in page.select("h1")]
    return told


@ENGINES
@pytest.mark.parametrize("way", [lambda page: pickle.loads(pickle.dumps(page)), copy.copy, copy.deepcopy])
def test_a_page_can_be_pickled_and_copied_whole_but_for_its_raw_bytes(
    site, eager: Eager, engine: Any, way: Callable[[Page], Page]
) -> None:
    site.page("/", "/next", title="Grüße", head="<meta name=author content=A>", body="<h1>One</h1><img src=/a.png>")
    kept: list[Page] = []
    copies: list[Page] = []

    def visit(page: Page) -> None:
        kept.append(page)
        copies.append(way(page))
        page.add_link("/late")
        assert copies[-1].added_links == ()

    gossamer.crawl(site("/"), visit=visit, config=eager(max_pages=1, extraction=gossamer.Extraction(engine=engine)))
    assert told_by(copies[0]) == told_by(kept[0]) == told_by(way(kept[0]))
    assert copies[0].links and copies[0].title == "Grüße"
    with pytest.raises(StateError, match="raw bytes"):
        copies[0].raw  # noqa: B018


def test_a_page_whose_raw_bytes_were_read_takes_them_along_and_never_its_request(site, eager: Eager) -> None:
    site.page("/")
    pickles: list[bytes] = []

    def visit(page: Page) -> None:
        assert page.raw
        pickles.append(pickle.dumps(page))

    fetching = gossamer.Fetching(headers=(("X-Secret", "swordfish"),))
    gossamer.crawl(site("/"), visit=visit, config=eager(fetching=fetching))
    assert pickle.loads(pickles[0]).raw.startswith(b"HTTP/1.1 200 OK")
    assert b"swordfish" not in pickles[0]


def title_and_links(page: Page) -> tuple[str, list[str]]:
    return page.title, [link.text for link in page.links]


def test_pages_can_be_handed_to_a_pool_of_processes(site, eager: Eager) -> None:
    site.page("/", "/one", title="Home")
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        futures = []
        gossamer.crawl(
            site("/"), visit=lambda page: futures.append(pool.submit(title_and_links, page)), config=eager(max_pages=1)
        )
        assert [future.result() for future in futures] == [("Home", ["to /one"])]
