from __future__ import annotations

import pytest

from benchmarks.harness.htmllinks import links_of
from gossamer.demosite import DemoPlan, DemoSite

ADDRESS = ["127.0.0.1:8000"]
TOP = "http://127.0.0.1:8000/"


def site(**fields: object) -> DemoSite:
    plan = DemoPlan(**fields)  # type: ignore[arg-type]
    return DemoSite(plan, [f"127.0.0.1:{8000 + host}" for host in range(plan.hosts)])


def body(made: DemoSite, url: str) -> bytes:
    authority, _, path = url.removeprefix("http://").partition("/")
    return made.find(made.authorities.index(authority), "/" + path).answer(99).body


def test_equal_plans_at_equal_addresses_serve_equal_bytes() -> None:
    one, other = site(pages=40, hosts=2), site(pages=40, hosts=2)
    assert one.expected() == other.expected()
    assert {url: body(one, url) for url in one.expected()} == {url: body(other, url) for url in other.expected()}


def test_another_seed_makes_another_site() -> None:
    assert body(site(pages=40, seed=1), TOP) != body(site(pages=40, seed=2), TOP)


@pytest.mark.parametrize("pages", [1, 2, 6, 7, 20, 300])
def test_every_page_is_found_by_following_links(pages: int) -> None:
    made = site(pages=pages, oddities=False)
    fronts = {url for url in made.expected_pages() if not url.endswith(("sitemap.xml", "/"))}
    assert len(fronts) == pages
    assert all(outcome.status == 200 for outcome in made.expected().values())


def test_the_links_a_page_claims_to_have_are_those_another_parser_reads_in_it() -> None:
    made = site(pages=60, oddities=False)
    for url in made.expected_pages():
        resource = made.find(0, url.removeprefix(TOP[:-1]))
        read = {link for link in links_of(resource.answer(0).body, "utf-8", url) if link.startswith(TOP)}
        assert read <= set(resource.links())
        assert set(resource.links()) - read <= {url}, url


def test_pages_are_as_large_and_as_linked_as_those_of_a_manual() -> None:
    made = site(pages=300, oddities=False)
    pages = [url for url in made.expected_pages() if url.endswith(".html")]
    sizes = sorted(len(body(made, url)) for url in pages)
    links = sorted(body(made, url).count(b"href=") for url in pages)
    assert 20_000 < sizes[len(sizes) // 2] < 40_000
    assert 60 < links[len(links) // 2] < 140
    assert sizes[0] < 15_000 and sizes[-1] > 100_000


def test_sizes_spread_as_wide_as_the_plan_says() -> None:
    made = site(pages=300, oddities=False, median_bytes=18_000, size_sigma=1.0, largest_bytes=1_000_000)
    sizes = sorted(len(body(made, url)) for url in made.expected_pages() if url.endswith(".html"))
    assert 15_000 < sizes[len(sizes) // 2] < 21_000
    assert 26_000 < sum(sizes) / len(sizes) < 38_000
    assert sizes[-1] > 150_000


def test_what_robots_txt_disallows_is_linked_but_not_expected() -> None:
    made = site(pages=20, hosts=2, root_redirect=True)
    assert made.forbidden() == {"http://127.0.0.1:8000/private/", "http://127.0.0.1:8001/en/private/"}
    assert not made.forbidden() & made.expected().keys()
    assert "Disallow: /en/private/" in made.robots(1)


def test_the_crawl_delay_stands_in_robots_txt_only_if_given() -> None:
    assert "Crawl-delay" not in site().robots(0)
    assert "Crawl-delay: 2.5\n" in site(crawl_delay_seconds=2.5).robots(0)


def test_the_last_host_may_redirect_its_root() -> None:
    made = site(pages=20, hosts=2, root_redirect=True)
    assert made.expected()["http://127.0.0.1:8001/"].status == 302
    assert made.expected()["http://127.0.0.1:8001/en/"].is_page
    assert made.expected()["http://127.0.0.1:8000/"].status == 200


@pytest.mark.parametrize(
    ("name", "status", "tries"),
    [
        ("moved-1", 301, 1),
        ("moved-2", 302, 1),
        ("goal", 200, 1),
        ("loop-b", 303, 1),
        ("status-404", 404, 1),
        ("status-410", 410, 1),
        ("no-such-page", 404, 1),
        ("broken-once", 200, 2),
        ("busy-once", 200, 2),
        ("caf%C3%A9.html", 200, 1),
        ("%E6%97%A5%E6%9C%AC%E8%AA%9E.html", 200, 1),
        ("gr%C3%B6%C3%9Fe.html", 200, 1),
        ("sloppy-1?a=1&b=2", 200, 1),
        ("sloppy-5%20x", 200, 1),
        ("deeper/by-base", 200, 1),
        ("by-noindex", 200, 1),
        ("by-until-close", 200, 1),
        ("frame-2", 200, 1),
        ("by-refresh", 200, 1),
        ("document.pdf", 200, 1),
    ],
)
def test_an_oddity_has_the_outcome_that_an_ideal_crawl_reports(name: str, status: int, tries: int) -> None:
    expected = site().expected()[f"{TOP}odd/{name}"]
    assert (expected.status, expected.tries) == (status, tries)


def test_what_must_not_be_followed_is_not_expected_but_would_answer() -> None:
    made = site()
    assert not [url for url in made.expected() if "never" in url or "invalid" in url]
    assert made.find(0, "/odd/never/nofollow").status == 200


def test_noindex_is_known_of_the_page_that_says_so() -> None:
    marked = {url for url, outcome in site().expected().items() if outcome.is_noindex}
    assert marked == {TOP + "odd/noindex", TOP + "odd/header"}


def test_the_general_index_has_two_thousand_links() -> None:
    assert body(site(), TOP + "odd/general-index").count(b"<a href=") == 2000


def test_a_plan_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="too few"):
        DemoPlan(pages=2, hosts=3)
    with pytest.raises(ValueError, match="hosts must be"):
        DemoPlan(pages=500, hosts=201)
    with pytest.raises(ValueError, match="2 hosts"):
        DemoSite(DemoPlan(hosts=2), ADDRESS)
