from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.frontier import keys
from gossamer.model.crawluri import ClassKey, CrawlURI, DocId, Identity

class_keys = st.text(min_size=1, max_size=30).filter(lambda text: "\x00" not in text).map(ClassKey)
byte = st.integers(0, 255)
places = st.tuples(byte, byte, st.integers(0, 65535), st.integers(1, 2**63 - 1))


def curi(class_key: str = "a", place: tuple[int, int, int, int] = (128, 0, 0, 1)) -> CrawlURI:
    priority, attempts, depth, docid = place
    return CrawlURI(
        url="http://a/",
        class_key=ClassKey(class_key),
        identity=Identity(bytes(20)),
        priority=priority,
        attempts=attempts,
        depth=depth,
        docid=DocId(docid),
    )


def queue_key(of: CrawlURI) -> bytes:
    return keys.queue_prefix(of.class_key) + keys.suffix_of(of)


@given(class_keys, places)
def test_a_queue_key_comes_apart_as_it_was_put_together(class_key: ClassKey, place: tuple[int, int, int, int]) -> None:
    """S12."""
    key = queue_key(curi(class_key, place))
    found, suffix = keys.parse_queue_key(key)
    assert (found, keys.parse_suffix(suffix)) == (class_key, place)
    assert len(suffix) == keys.SUFFIX_BYTES


@given(places, places)
def test_the_order_of_keys_is_priority_attempts_depth_and_doc_id(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    """S12."""
    first, second = queue_key(curi(place=one)), queue_key(curi(place=other))  # type: ignore[arg-type]
    assert (first < second) == (one < other)


@given(class_keys, class_keys, places, places)
def test_the_keys_of_two_queues_never_mix(
    one: ClassKey, other: ClassKey, place: tuple[int, int, int, int], place_of_other: tuple[int, int, int, int]
) -> None:
    prefix = keys.queue_prefix(one)
    key = queue_key(curi(other, place_of_other))
    assert (prefix <= key < keys.queue_stop(prefix)) == (one == other)
    own = queue_key(curi(one, place))
    assert prefix <= own < keys.queue_stop(prefix)


@pytest.mark.parametrize("class_key", ["", "\x00", "a\x00b"])
def test_what_could_end_a_key_early_is_no_class_key(class_key: str) -> None:
    with pytest.raises(ValueError, match="class_key"):
        keys.queue_prefix(ClassKey(class_key))


def test_what_exceeds_its_bytes_is_clipped() -> None:
    """Even then a URI is found again under the key that it was stored under."""
    assert keys.parse_suffix(keys.queue_suffix(1000, 300, 70_000, 5)) == (255, 255, 65_535, 5)
    assert keys.parse_suffix(keys.queue_suffix(-1, 0, 0, 5)) == (0, 0, 0, 5)


@given(st.floats(0, 4e9), st.floats(0, 4e9), class_keys, class_keys)
def test_snoozed_queues_are_ordered_by_when_they_wake(
    one: float, other: float, class_key: ClassKey, of_other: ClassKey
) -> None:
    wakes = keys.microseconds(one), keys.microseconds(other)
    first, second = keys.snoozed_key(wakes[0], class_key), keys.snoozed_key(wakes[1], of_other)
    if wakes[0] < wakes[1]:
        assert first < second
    wake, found = keys.parse_snoozed_key(first)
    assert found == class_key
    assert wake == pytest.approx(one, abs=2e-6)


@given(byte, byte, st.integers(0, 2**63), st.integers(0, 2**63))
def test_inactive_queues_are_ordered_by_precedence_and_ordinal(one: int, other: int, first: int, second: int) -> None:
    assert (keys.inactive_key(one, first) < keys.inactive_key(other, second)) == ((one, first) < (other, second))
    assert keys.parse_inactive_key(keys.inactive_key(one, first)) == (one, first)


def test_every_family_is_named_once() -> None:
    assert len(keys.FAMILIES) == len(set(keys.FAMILIES))
    assert all(f"`{family}`" in (keys.__doc__ or "") for family in keys.FAMILIES)
