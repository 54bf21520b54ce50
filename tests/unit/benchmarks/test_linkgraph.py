from __future__ import annotations

from benchmarks.harness.linkgraph import LINKS_PER_PAGE, LinkGraph, busy_first


def test_half_of_the_links_were_given_before_and_the_others_never() -> None:
    graph, given, count = LinkGraph(1_000), set(), 0
    for _ in range(100):
        page = graph.page()
        assert len(page) == LINKS_PER_PAGE
        given.update(page)
        count += len(page)
    assert 0.45 < len(given) / count < 0.6


def test_every_host_is_linked_to_in_the_end_and_few_have_most_links() -> None:
    graph = LinkGraph(200)
    hosts = [host for _ in range(100) for _, host in graph.page()]
    assert len(set(hosts)) == 200
    top = sorted((hosts.count(host) for host in set(hosts)), reverse=True)
    assert sum(top[:20]) > len(hosts) / 3


def test_two_graphs_of_one_seed_are_the_same() -> None:
    one, other = LinkGraph(50), LinkGraph(50)
    assert [one.page() for _ in range(5)] == [other.page() for _ in range(5)]


def test_a_late_page_has_few_new_links() -> None:
    graph = LinkGraph(1)
    given = set(graph.page())
    assert len(set(graph.few_new(5)) - given) == 5


def test_busy_hosts_have_the_asked_number_of_urls_and_come_first() -> None:
    pages = list(LinkGraph(10).busy_hosts(150, 3))
    links = [link for page in pages for link in page]
    assert len(set(links)) == 450
    assert len({host for _, host in links}) == 150
    assert {busy_first(host) for _, host in links} == {1}
    assert busy_first("www.host-1.example") > 1
