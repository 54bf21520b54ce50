"""What crawler4j's tests CustomDnsResolverTest, PublicSuffixTest and TLDListOnlineTest ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

import gossamer
from tests.support.stubsite import StubSite

from .conftest import crawl


def hosts(*names: str) -> gossamer.Dns:
    return gossamer.Dns(hosts=dict.fromkeys(names, "127.0.0.1"))


def test_a_name_is_looked_up_where_the_configuration_says(site: StubSite) -> None:
    site.add("/index.html", "<h1>Title</h1>")
    crawl(f"http://googhle.test:{site.port}/index.html", dns=hosts("googhle.test"))
    assert site.counts["/index.html"] == 1
    assert site.asked[-1].headers["host"] == f"googhle.test:{site.port}"


@pytest.mark.parametrize(
    ("url", "domain"), [("http://www.example.com/", "example.com"), ("http://dummy.edu.np/", "dummy.edu.np")]
)
def test_a_registered_domain_is_told_from_a_public_suffix(url: str, domain: str) -> None:
    assert gossamer.Link(url).domain == domain


@pytest.mark.parametrize(("listed", "crawled"), [("fakeprovince.test", 1), ("test", 2)])
def test_public_suffixes_come_from_a_file_that_is_given(
    site: StubSite, tmp_path: Path, listed: str, crawled: int
) -> None:
    suffixes = tmp_path / "suffixes.dat"
    suffixes.write_text(f"{listed}\n")
    site.add("/", f'<a href="http://b.fakeprovince.test:{site.port}/other">of another owner, or not</a>')
    site.add("/other", "")
    found = crawl(
        f"http://a.fakeprovince.test:{site.port}/",
        dns=hosts("a.fakeprovince.test", "b.fakeprovince.test"),
        scope=gossamer.Scope(kind="domain", public_suffixes=suffixes),
    )
    assert len(found.visited) == crawled
