"""What a program may be given can be pickled and copied."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import gossamer
from gossamer.model.crawluri import ClassKey, CrawlURI, Identity
from gossamer.model.disposition import Fate
from gossamer.model.outlink import Outlink
from gossamer.seeds import InvalidSeed, parse_seed

CURI = CrawlURI(url="http://host.test/", class_key=ClassKey("host.test"), identity=Identity(b"x" * 20))
WAYS: list[Callable[[Any], Any]] = [lambda value: pickle.loads(pickle.dumps(value)), copy.copy, copy.deepcopy]

pytestmark = pytest.mark.parametrize("way", WAYS)


@pytest.mark.parametrize(
    "value",
    [
        gossamer.CrawlConfig(max_pages=4, scope="domain", proxy="http://user:secret@host.test:80"),
        gossamer.Login(credentials=(gossamer.Credential(url="https://host.test/", login="me", password="secret"),)),
        gossamer.Failure(
            status=-1,
            fetch_status=gossamer.FetchStatus.TIMED_OUT,
            sentence="Nothing came.",
            tries=2,
            requested_url=CURI.url,
            docid=1,
        ),
        gossamer.UriFinished(CURI, Fate.SUCCEEDED, 200, "", "text/html", 10, 0.1, True, 1),
        gossamer.CrawlStateChanged("PAUSED", "operator"),
        gossamer.FrontierCounts(queued=3),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_record_is_the_same_again(way: Callable[[Any], Any], value: Any) -> None:
    assert way(value) == value and type(way(value)) is type(value)


def test_a_link_keeps_where_it_stood(way: Callable[[Any], Any]) -> None:
    where = Outlink("http://host.test/a", "E", "img@src", "x", lambda: "a text")
    link = way(gossamer.Link("http://host.test/a", None, where, 3))
    assert type(link) is gossamer.Link
    assert (link, link.path, link.hop, link.element, link.rel, link.anchor, link.depth) == (
        "http://host.test/a", "/a", "E", "img@src", "x", "a text", 3,
    )  # fmt: skip


def test_an_error_keeps_what_it_says_and_knows(way: Callable[[Any], Any]) -> None:
    with pytest.raises(gossamer.InvalidSettings) as caught:
        gossamer.CrawlConfig(toes=0, max_pages=0)
    again = way(caught.value)
    assert str(again) == str(caught.value) and again.problems == caught.value.problems
    with pytest.raises(InvalidSeed) as refused:
        parse_seed("ftp://host.test/")
    assert str(way(refused.value)) == str(refused.value)
    assert way(gossamer.StateError("no", allowed=["start"])).allowed == ("start",)
    assert way(gossamer.JobInUse("taken", pid=7)).pid == 7
