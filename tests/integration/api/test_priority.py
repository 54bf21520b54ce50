"""Which URL of a host comes next, as a program says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import gossamer
from gossamer import CrawlConfig, CrawlController, ExitStatus, Link, Page, WebCrawler

Eager = Callable[..., CrawlConfig]


class Visiting(WebCrawler):
    """Notes the paths of pages in the order in which they come."""

    def __init__(self) -> None:
        self.local_data = self.paths = []

    def visit(self, page: Page) -> None:
        self.paths.append("/" + page.url.split("/", 3)[3])


class LastFirst(Visiting):
    def should_visit(self, page: Page, url: Link) -> bool:
        assert url.priority == 128
        url.priority = 100 - int(url.path[1:])
        return True


def paths_of(controller: CrawlController, crawler: type[Visiting]) -> list[str]:
    controller.start(crawler, toes=1)
    (paths,) = controller.local_data
    return paths


def test_links_come_in_the_order_that_should_visit_gives_them_also_after_a_restart(
    site, eager: Eager, tmp_path: Path
) -> None:
    site.pages(6)
    first = CrawlController(eager(folder=tmp_path / "job", max_pages=3))
    first.add_seed(site("/"))
    assert paths_of(first, LastFirst) == ["/", "/5", "/4"]
    assert first.outcome is not None and first.outcome.exit_status is ExitStatus.DOCUMENT_LIMIT
    second = CrawlController(eager(folder=tmp_path / "job", max_pages=100))
    assert paths_of(second, Visiting) == ["/3", "/2", "/1", "/0"]


def test_add_link_gives_a_link_of_the_page_and_another_a_priority(site, eager: Eager) -> None:
    site.page("/", "/a", "/b", "/c")
    for path in ("/a", "/b", "/c", "/added"):
        site.page(path)

    class Adding(Visiting):
        def visit(self, page: Page) -> None:
            super().visit(page)
            if page.is_seed:
                page.add_link("/c", priority=10)
                page.add_link("/added", priority=20)
                page.add_link("/a", priority=255)
            elif page.url.endswith("/c"):
                assert page.priority == 10

    controller = CrawlController(eager())
    controller.add_seed(site("/"))
    assert paths_of(controller, Adding) == ["/", "/c", "/added", "/b", "/a"]


def test_seeds_have_priorities_which_their_redirects_inherit(site, eager: Eager) -> None:
    for path in ("/ordinary", "/first", "/target"):
        site.page(path, "/found" if path == "/first" else "/first")
    site.answer("/last", 302, Location="/target")
    site.page("/found")
    controller = CrawlController(eager())
    controller.add_seed(site("/last"), priority=200)
    controller.add_seed(site("/ordinary"))
    controller.add_seed(site("/first"), priority=0)
    assert paths_of(controller, Visiting) == ["/first", "/ordinary", "/found", "/target"]


def test_a_failure_tells_the_priority_of_its_url(site, eager: Eager) -> None:
    site.page("/", "/gone")
    failed: list[Link] = []

    class Failing(WebCrawler):
        def should_visit(self, page: Page, url: Link) -> bool:
            url.priority = 7
            return True

        def on_fetch_failed(self, url: Link, failure: gossamer.Failure) -> None:
            failed.append(url)

    controller = CrawlController(eager())
    controller.add_seed(site("/"))
    controller.start(Failing, toes=1)
    assert [(link.path, link.priority) for link in failed] == [("/gone", 7)]


@pytest.mark.parametrize("bad", [-1, 256, 1.5, True, "high"])
def test_what_is_no_priority_is_refused_where_it_is_given(bad: object) -> None:
    with pytest.raises(ValueError, match=r"a whole number from 0 \(first\) to 255 \(last\), not "):
        CrawlController().add_seed("https://example.org/", priority=bad)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a priority is"):
        Link("https://example.org/").priority = bad  # type: ignore[assignment]
