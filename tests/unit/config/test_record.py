from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any, Literal, get_type_hints

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.config import CrawlConfig, Credential, Limits, LoginForm, Politeness, Scope
from gossamer.config.kinds import Unfit, reader_of
from gossamer.config.problems import InvalidSettings
from gossamer.config.record import Record, fields_of, given_in, setting
from gossamer.config.settings import GROUPS

ALL = [(kind, name) for kind in [CrawlConfig, *GROUPS.values(), Credential, LoginForm] for name in fields_of(kind)]
# Whatever TOML, a command line or a program may hand over.
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3) | st.tuples(inner, inner),
    max_leaves=6,
)


class Colours(Record):
    """A record of its own kind."""

    size: int = setting(default=1, ge=1, le=9)
    name: str
    kind: Literal["plain", "mixed"] = "plain"
    parts: tuple[tuple[str, int], ...] = ()
    home: Path | None = None
    weights: dict[str, float] = setting(default=None)

    def _check_together(self) -> None:
        if self.kind == "plain" and len(self.parts) > 1:
            raise ValueError("parts must be one where kind is plain")


def message(**settings: Any) -> list[str]:
    with pytest.raises(InvalidSettings) as caught:
        Colours(**settings)
    return str(caught.value).splitlines()


def test_a_record_holds_what_it_was_given_and_has_the_rest_from_its_class() -> None:
    colours = Colours(name="a", size=2)
    assert (colours.name, colours.size, colours.kind, colours.parts) == ("a", 2, "plain", ())
    assert given_in(colours) == {"name": "a", "size": 2}
    assert repr(colours) == "Colours(size=2, name='a')"


def test_all_mistakes_are_told_in_the_order_of_the_fields_and_unknown_names_last() -> None:
    assert message(weights={"a": "x"}, sise=3, size=0, parts=[["a", 1], ["b"], 3], kind="odd", home=1) == [
        "size must be at least 1, not 0",
        "name must be given",
        "kind must be one of 'plain' or 'mixed', not 'odd'",
        "parts must be a pair, not ['b'] (item 2)",
        "parts must be a pair, not 3 (item 3)",
        "home must be a path, not 1",
        "weights must be a number, not 'x'",
        "sise is not a setting; did you mean size?",
    ]


def test_what_holds_between_fields_is_checked_when_each_is_good() -> None:
    assert message(name="a", parts=[("a", 1), ("b", 2)]) == ["parts must be one where kind is plain"]
    assert message(name="a", size=10, parts=[("a", 1), ("b", 2)]) == ["size must be at most 9, not 10"]
    assert Colours(name="a", kind="mixed", parts=[("a", 1), ("b", 2)]).parts[1] == ("b", 2)  # type: ignore[arg-type]


def test_an_annotation_that_nobody_has_thought_of_is_a_mistake_of_ours() -> None:
    for annotation in (list[int], int | str, dict[int, str]):
        with pytest.raises(TypeError, match="a setting cannot be"):
            reader_of(annotation)


def test_a_record_is_equal_hashed_copied_and_pickled_by_its_values() -> None:
    one, other = Politeness(delay=1.0), Politeness()
    assert one == other and hash(one) == hash(other) and one != Limits() and one != Politeness(delay=2)
    config = CrawlConfig(max_pages=3, proxy="http://me:secret@a.example:1", scope="any")
    for same in (pickle.loads(pickle.dumps(config)), copy.deepcopy(config), copy.copy(config)):
        assert same == config and given_in(same) == given_in(config)


@pytest.mark.parametrize(
    "change", [lambda limits: setattr(limits, "max_pages", 1), lambda limits: delattr(limits, "max_pages")]
)
def test_a_record_cannot_be_changed(change: Any) -> None:
    limits = Limits(max_pages=3)
    with pytest.raises(AttributeError, match=r"Limits\.max_pages cannot be"):
        change(limits)
    assert limits.max_pages == 3


@pytest.mark.parametrize(("kind", "name"), ALL, ids=lambda part: part if isinstance(part, str) else part.__name__)
def test_every_setting_is_annotated_with_something_that_can_be_checked(kind: type[Record], name: str) -> None:
    assert callable(fields_of(kind)[name].read)
    assert name in get_type_hints(kind, include_extras=True)


@given(st.sampled_from(ALL), anything)
@example((Politeness, "delay"), 10**400)
@example((Scope, "include"), ["(" * 10_000])
def test_whatever_is_given_is_taken_or_told_to_be_unfit_and_what_is_taken_is_taken_again(
    setting: tuple[type[Record], str], value: object
) -> None:
    kind, name = setting
    field = fields_of(kind)[name]
    try:
        kept = field.read(value)
    except Unfit as error:
        assert all(fault.sentence for fault in error.faults)
    except ValueError as error:
        assert str(error)
    else:
        assert field.read(kept) == kept


@given(
    st.sampled_from([*GROUPS.values(), Credential, LoginForm]),
    st.dictionaries(st.text(max_size=9), anything, max_size=3),
)
def test_any_table_makes_a_record_or_one_message(kind: type[Record], table: dict[str, Any]) -> None:
    try:
        kind(**table)
    except InvalidSettings as error:
        assert str(error).replace("\n", "").isprintable()
