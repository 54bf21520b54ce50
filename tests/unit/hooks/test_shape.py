"""A crawler whose hooks cannot be called, or never will be, is refused before anything is fetched."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from gossamer.hooks import WebCrawler
from gossamer.hooks.shape import check_shape


def with_methods(**methods: Any) -> WebCrawler:
    return type("Mine", (WebCrawler,), methods)()  # type: ignore[no-any-return]


def yielding(self: Any, page: Any) -> Iterator[Any]:
    yield page


async def quick(self: Any, page: Any, url: Any) -> bool:
    return True


@pytest.mark.parametrize(
    ("methods", "said"),
    [
        ({"visit": lambda self: None}, "Mine.visit must take (self, page); it takes (self)"),
        ({"visit": lambda: None}, "Mine.visit must take (self, page); it takes ()"),
        ({"visit": lambda self, page, more: None}, "Mine.visit must take (self, page); it takes (self, page, more)"),
        ({"visit": staticmethod(lambda: None)}, "Mine.visit must take (page); it takes ()"),
        (
            {"should_visit": lambda self, url: True},
            "Mine.should_visit must take (self, page, url); it takes (self, url)",
        ),
        (
            {"on_fetch_failed": lambda self, url: 0},
            "Mine.on_fetch_failed must take (self, url, failure); it takes (self",
        ),
        ({"on_start": lambda self, page: None}, "Mine.on_start must take (self); it takes (self, page)"),
        ({"visit": yielding}, "Mine.visit must have no yield in it"),
        ({"should_visit": quick}, "Mine.should_visit must be def, not async def"),
        ({"visit": 5}, "Mine.visit must be a method, not 5"),
        ({"shouldVisit": lambda self, page, url: True}, "Mine.shouldVisit is never called; the hook is should_visit"),
        ({"onBeforeExit": lambda self: None}, "Mine.onBeforeExit is never called; the hook is on_finish"),
    ],
)
def test_a_hook_that_cannot_be_called_is_refused(methods: dict[str, Any], said: str) -> None:
    with pytest.raises(TypeError) as raised:
        check_shape(with_methods(**methods))
    assert str(raised.value).startswith(said)


def test_a_function_set_on_an_instance_is_looked_at_too() -> None:
    crawler = WebCrawler()
    crawler.visit = lambda: None  # type: ignore[method-assign, assignment, misc]
    with pytest.raises(TypeError, match=r"^visit must take \(page\); it takes \(\)$"):
        check_shape(crawler)


@pytest.mark.parametrize("visit", [print, [].append, lambda *pages: None, lambda page, more=1: None, None])
def test_whatever_takes_a_page_may_be_visit(visit: Any) -> None:
    crawler = WebCrawler()
    crawler.visit = visit  # type: ignore[method-assign]
    check_shape(crawler)


@pytest.mark.parametrize(
    ("name", "meant"),
    [("should_vist", "should_visit"), ("on_finished", "on_finish"), ("on_fetch_fail", "on_fetch_failed")],
)
def test_a_name_that_is_nearly_a_hook_is_warned_of(name: str, meant: str, caplog: pytest.LogCaptureFixture) -> None:
    check_shape(with_methods(**{name: lambda self: None}))
    assert caplog.messages == [f"Mine.{name} is never called by the crawl; did you mean {meant}?"]


def test_methods_of_ones_own_are_nobodys_business(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        check_shape(with_methods(visited=lambda self: 1, visit_table=lambda self: 1, _on_finished=lambda self: 1))
        check_shape(with_methods(on_finish=lambda self: 1, on_finished=lambda self: 1))
        check_shape(with_methods(should_visit=lambda self, page, url: 1, shouldVisit=lambda self, page, url: 1))
    assert caplog.messages == []
