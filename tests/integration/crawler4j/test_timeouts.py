"""What crawler4j's test TimeoutTest asks for."""

from __future__ import annotations

import gossamer
from tests.support.stubsite import StubSite

from .conftest import crawl

IMPATIENT = gossamer.Fetching(idle_timeout=0.2)


def test_a_server_that_does_not_answer_in_time_is_a_failure_without_a_status(site: StubSite) -> None:
    site.add("/index.html", is_silent=True)
    failure = crawl(f"{site.url}/index.html", fetching=IMPATIENT).failed["/index.html"]
    assert failure.fetch_status is gossamer.FetchStatus.TIMED_OUT
    assert failure.status < 0 and failure.tries == 2


def test_a_server_that_falls_silent_in_the_body_leaves_a_page_with_status_headers_and_what_came(site: StubSite) -> None:
    site.add("/index.html", "<title>Hello, world!</title>", stalls=True, headers={"X-Served-By": "stub"})
    page = crawl(f"{site.url}/index.html", fetching=IMPATIENT).visited["/index.html"]
    assert (page.status, page.headers["X-Served-By"], page.title) == (200, "stub", "Hello, world!")
    assert page.is_truncated
