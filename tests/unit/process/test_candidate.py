"""What is remembered of links that were refused never keeps a link out that would be let in."""

from __future__ import annotations

from gossamer.config import Politeness, Scope
from gossamer.model.attempt import Attempt
from gossamer.model.crawluri import ClassKey, CrawlURI
from gossamer.model.outlink import HOP_EMBED, HOP_LINK, Outlink
from gossamer.process import CandidateMaker, LocalServices
from gossamer.process.candidate import RecentRefusals
from gossamer.scope import build_scope
from gossamer.testing import FakeClock, MemoryFrontier
from gossamer.url import parse

HOME = "http://example.org/"
ELSEWHERE = "http://other.org/a"


class Desk:
    """A maker of candidates over a frontier without a store."""

    def __init__(self, settings: Scope) -> None:
        clock = FakeClock()
        self.services = LocalServices(MemoryFrontier(clock, Politeness(delay=0)), clock, None, None)
        self.scope = build_scope(settings, [parse(HOME)])
        self.maker = CandidateMaker(self.services, self.scope, 5)

    def urls(self, url: str, hop: str = HOP_LINK, depth: int = 0) -> list[str]:
        """What becomes a candidate of one link on a page at this depth."""
        parent = CrawlURI(
            url=HOME,
            class_key=ClassKey("example.org"),
            identity=self.services.identify(HOME, "example.org"),
            depth=depth,
            hops="L" * depth,
        )
        link = Outlink(url, hop, "a@href", None, "")
        return [curi.url for curi in self.maker.candidates(Attempt(parent, 1), [link])]


def test_each_link_that_is_refused_again_is_counted_again() -> None:
    desk = Desk(Scope())
    assert [desk.urls(ELSEWHERE) for _ in range(3)] == [[], [], []]
    assert desk.maker.refusals == {"out-of-scope": 3}


def test_a_link_too_deep_on_one_page_is_taken_from_a_page_nearer_to_the_seed() -> None:
    desk = Desk(Scope(max_depth=1))
    assert desk.urls(HOME + "a", depth=1) == []
    assert desk.urls(HOME + "a", depth=0) == [HOME + "a"]


def test_what_is_refused_as_a_link_is_taken_as_an_embed() -> None:
    desk = Desk(Scope(max_embed_hops=1))
    assert desk.urls(ELSEWHERE) == []
    assert desk.urls(ELSEWHERE, HOP_EMBED) == [ELSEWHERE]


def test_a_link_is_taken_once_its_host_is_a_seed() -> None:
    desk = Desk(Scope())
    assert desk.urls(ELSEWHERE) == []
    desk.scope.add_seed(parse("http://other.org/"))
    assert desk.urls(ELSEWHERE) == [ELSEWHERE]


def test_a_link_is_taken_once_the_scope_is_another() -> None:
    desk = Desk(Scope())
    assert desk.urls(ELSEWHERE) == []
    desk.maker.set_scope(build_scope(Scope(kind="any"), [parse(HOME)]))
    assert desk.urls(ELSEWHERE) == [ELSEWHERE]


def test_refusals_are_remembered_up_to_a_bound() -> None:
    refused = RecentRefusals(capacity=10)
    for number in range(1000):
        refused.put(f"{ELSEWHERE}{number}", "out-of-scope")
    remembered = [number for number in range(1000) if refused.get(f"{ELSEWHERE}{number}")]
    assert 5 <= len(remembered) <= 11 and remembered[-1] == 999
