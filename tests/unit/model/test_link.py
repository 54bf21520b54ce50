from __future__ import annotations

import json
import pickle

import pytest

from gossamer.model.link import Link
from gossamer.model.outlink import Outlink
from gossamer.url import InvalidUrl, parse

URL = "https://www.example.co.uk:8443/a/b.html?x=1"


def test_a_link_is_its_url_and_knows_the_parts() -> None:
    link = Link(URL)
    assert link == URL and link.endswith(".html?x=1") and link in {URL}
    assert json.dumps([link]) == json.dumps([URL])
    assert (link.href, link.scheme, link.host, link.port) == (URL, "https", "www.example.co.uk", 8443)
    assert (link.authority, link.path, link.query) == ("www.example.co.uk:8443", "/a/b.html", "?x=1")
    assert link.domain == "example.co.uk"
    assert link.parsed == parse(URL)


def test_a_link_knows_where_it_stood() -> None:
    asked: list[int] = []

    def text() -> str:
        asked.append(1)
        return "more"

    link = Link(URL, parse(URL), Outlink(URL, "E", "img@src", "nofollow", text), 3)
    assert (link.hop, link.element, link.rel, link.depth) == ("E", "img@src", "nofollow", 3)
    assert asked == []
    assert link.anchor == "more"


def test_a_link_made_of_a_text_stood_nowhere_and_may_be_no_url() -> None:
    assert (Link(URL).element, Link(URL).anchor, Link(URL).rel, Link(URL).depth) == ("", "", None, 0)
    with pytest.raises(InvalidUrl):
        _ = Link("rubbish").host
    assert pickle.loads(pickle.dumps(str(Link(URL)))) == URL
