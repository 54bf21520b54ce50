"""What crawler4j's tests NoFollowTest, NoIndexTest, WebCrawlerTest and CrawlerWithJSTest ask for."""

from __future__ import annotations

import gossamer
from tests.support.stubsite import StubSite

from .conftest import Noting, crawl


def test_a_nofollow_link_and_the_links_of_a_nofollow_page_are_not_followed(site: StubSite) -> None:
    site.add("/index.html", '<a href="/one.html" rel="nofollow">no</a> <a href="/two.html">yes</a>')
    site.add("/one.html", "")
    site.add("/two.html", '<meta name="robots" content="nofollow"><a href="/three.html">no</a>')
    site.add("/three.html", "")
    crawl(f"{site.url}/index.html", robots=gossamer.Robots(obey_rel_nofollow=True))
    assert site.counts == {"/robots.txt": 1, "/index.html": 1, "/two.html": 1}


def test_a_noindex_page_is_fetched_and_not_visited(site: StubSite) -> None:
    site.add("/index.html", '<a href="/one.html">one</a> <a href="/two.html">two</a>')
    site.add("/one.html", "<h1>title</h1>")
    site.add("/two.html", '<meta name="ROBOTS" content="NOINDEX, nofollow"><p>A paragraph.</p>')
    assert crawl(f"{site.url}/index.html").visited.keys() == {"/index.html", "/one.html"}
    assert site.counts["/two.html"] == 1


class NotBeyond(Noting):
    def visit(self, page: gossamer.Page) -> None:
        page.follow = not page.url.endswith("/two.html")


def test_the_links_of_a_page_can_be_left_alone(site: StubSite) -> None:
    site.add("/index.html", "".join(f'<a href="/{name}.html">a link</a>' for name in ("one", "two", "three")))
    site.add("/one.html", "<h1>title</h1>")
    site.add("/two.html", '<a href="/four.html">not this one</a>')
    site.add("/three.html", "<h1>title</h1>")
    crawl(f"{site.url}/index.html", crawler=NotBeyond)
    assert site.counts == {f"/{name}": 1 for name in ("robots.txt", "index.html", "one.html", "two.html", "three.html")}


def test_scripts_are_fetched_once_each_wherever_in_the_page_they_stand(site: StubSite) -> None:
    script = '<script src="/js/app.js"></script>'
    site.add("/index.html", f'<head>{script}</head><a href="/one.html">one</a> <a href="/two.html">two</a>')
    site.add("/one.html", f"<head>{script}</head><h1>title</h1>")
    site.add("/two.html", f'<head>{script}</head><h1>title</h1><script src="/js/module.js"></script>')
    site.add("/js/app.js", "alert('Hello');", content_type="text/javascript")
    site.add("/js/module.js", "// a module", content_type="text/javascript")
    crawl(f"{site.url}/index.html")
    assert (site.counts["/js/app.js"], site.counts["/js/module.js"], site.counts["/robots.txt"]) == (1, 1, 1)
