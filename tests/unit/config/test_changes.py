from __future__ import annotations

import pytest

from gossamer.config import CrawlConfig, Limits, Politeness, Scope, check_changes, check_seeds
from gossamer.config.changes import FIXED
from gossamer.config.record import fields_of
from gossamer.config.settings import GROUPS
from gossamer.errors import ConfigError

STORED = CrawlConfig(max_pages=10, toes=5, delay=1, scope="host")


@pytest.mark.parametrize(
    "wanted",
    [
        STORED,
        STORED.replace(max_pages=20),
        STORED.replace(limits=Limits()),
        STORED.replace(toes=1, politeness=Politeness(delay=0.0)),
        STORED.replace(obey_robots=False, user_agent="another"),
        STORED.replace(folder="elsewhere"),
    ],
)
def test_limits_toes_and_politeness_may_change(wanted: CrawlConfig) -> None:
    check_changes(STORED, wanted)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (STORED.replace(scope="any"), 'scope.kind is "host" in this job and cannot become "any": links refused so far'),
        (STORED.replace(max_depth=3), "scope.max_depth is none in this job and cannot become 3: links refused so far"),
        (STORED.replace(scope=Scope(exclude=("x",))), 'scope.exclude is [] in this job and cannot become ["x"]'),
        (STORED.replace(warc=False), "warc.enabled is true in this job and cannot become false: the archive would"),
    ],
)
def test_what_the_work_so_far_depends_on_is_refused_with_what_to_do(wanted: CrawlConfig, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_changes(STORED, wanted)
    assert str(caught.value).startswith(message)
    assert "--fresh" in str(caught.value)
    assert "--job" in str(caught.value)


def test_all_that_is_refused_is_told_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        check_changes(STORED, STORED.replace(scope="any", max_depth=3, warc=False))
    assert len(str(caught.value).splitlines()) == 4


def test_everything_that_is_fixed_is_a_setting() -> None:
    for group, name in FIXED:
        assert name in fields_of(GROUPS[group])


def test_the_same_seeds_in_any_order_are_accepted() -> None:
    check_seeds(["https://a.example/", "https://b.example/"], ["https://b.example/", "https://a.example/"])


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (["a", "b", "c", "d"], "this job has no seed c and 1 more\n"),
        (["a"], "this job also has the seed b\n"),
        (["x\x1b[2J"], "this job has no seed x\n"),
    ],
)
def test_other_seeds_are_refused_with_what_to_do(wanted: list[str], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_seeds(["a", "b"], wanted)
    assert str(caught.value).startswith(message)
    assert "--fresh" in str(caught.value)
