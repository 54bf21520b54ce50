"""What crawler4j's tests RedirectHandlerTest and OnRedirectedToInvalidTest ask for."""

from __future__ import annotations

import pytest

import gossamer
from tests.support.stubsite import StubSite

from .conftest import QUICK, Noting, crawl

ALL_CODES = (300, 301, 302, 303, 307, 308)


@pytest.mark.parametrize("status", ALL_CODES)
def test_a_redirect_and_its_target_are_asked_for_once_each(site: StubSite, status: int) -> None:
    site.add("/some/index.html", status=status, headers={"Location": "/another/index.html"})
    site.add("/another/index.html", "<h1>Redirected here.</h1>")
    crawler = crawl(f"{site.url}/some/index.html")
    assert site.counts == {"/robots.txt": 1, "/some/index.html": 1, "/another/index.html": 1}
    (page,) = crawler.visited.values()
    assert page.url == f"{site.url}/another/index.html"
    assert page.redirected_from == f"{site.url}/some/index.html"


@pytest.mark.parametrize("status", ALL_CODES)
def test_a_redirect_to_what_is_no_url_is_told_and_ends_there(site: StubSite, status: int) -> None:
    site.add("/index.html", '<a href="/redirect.html">to nowhere</a>')
    site.add("/redirect.html", "<h1>Moved</h1>", status=status, headers={"Location": "asd://-invalid-/verybad"})
    finished: list[gossamer.UriFinished] = []
    controller = gossamer.CrawlController(politeness=QUICK)
    controller.subscribe(gossamer.UriFinished, finished.append)
    controller.add_seed(f"{site.url}/index.html")
    controller.start(Noting, toes=1)
    assert [(e.curi.url, e.status) for e in finished][-1] == (f"{site.url}/redirect.html", status)
    assert site.counts == {"/robots.txt": 1, "/index.html": 1, "/redirect.html": 1}
