"""What crawler4j's tests PageTest, HtmlParserTest, CssParseDataTest and RobotstxtParserTest ask for."""

from __future__ import annotations

import pytest

from tests.support.stubsite import StubSite

from .conftest import crawl


@pytest.mark.parametrize(
    ("content_type", "body", "charset", "text"),
    [
        pytest.param("text/html; charset=UNPARSABLE", "Größe".encode(), "utf-8", "Größe", id="unknown"),
        pytest.param("text/html", "Größe".encode(), "utf-8", "Größe", id="none"),
        pytest.param("text/html; charset=ISO-8859-1", "Größe".encode("latin-1"), "windows-1252", "Größe", id="latin1"),
    ],
)
def test_a_charset_is_as_declared_and_utf_8_where_the_declaration_is_none(
    site: StubSite, content_type: str, body: bytes, charset: str, text: str
) -> None:
    site.add("/", body, content_type=content_type)
    page = crawl(f"{site.url}/").visited["/"]
    assert (page.charset, page.text) == (charset, text)


def test_a_page_of_old_bad_html_is_read(site: StubSite) -> None:
    site.add("/", "<HTML><title>Wiki</title><B>&nbsp;<A HREF=one>One</B><TABLE><P><a name=x href='two'>Two<FORM></tr>")
    site.add("/one", "")
    site.add("/two", "")
    assert [link.url for link in crawl(f"{site.url}/").visited["/"].links] == [f"{site.url}/one", f"{site.url}/two"]


@pytest.mark.parametrize(
    ("sheet", "fetched"),
    [
        pytest.param("a{b:url(/1)} a{b:url('/2')} a{b:url(\"/3\")}", {"/1", "/2", "/3"}, id="quotes"),
        pytest.param("a{b:url(HOST/1)} a{b:url('//HOSTPORT/2')} a{b:url(/3)} a{b:url(data:x)}", {"/1", "/2", "/3"}, id="absolute"),
        pytest.param("a{b:url(../images/one)} a{b:url(../../two)}", {"/asset/images/one", "/two"}, id="relative"),
    ],
)  # fmt: skip
def test_what_a_style_sheet_fetches_is_fetched(site: StubSite, sheet: str, fetched: set[str]) -> None:
    site.add("/", '<link rel=stylesheet href="/asset/css/css.css">')
    sheet = sheet.replace("HOSTPORT", site.url.removeprefix("http://")).replace("HOST", site.url)
    site.add("/asset/css/css.css", sheet, content_type="text/css")
    crawl(f"{site.url}/")
    assert set(site.counts) == {"/robots.txt", "/", "/asset/css/css.css"} | fetched


def test_a_robots_txt_that_ends_with_a_user_agent_line_forbids_nothing(site: StubSite) -> None:
    robots = "User-agent: other\nDisallow: /\n\n# <pre>\nUser-agent: *\n # </pre>"
    site.add("/robots.txt", robots, content_type="text/plain")
    site.add("/", "<h1>title</h1>")
    assert list(crawl(f"{site.url}/").visited) == ["/"]
