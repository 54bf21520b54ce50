from __future__ import annotations

import types
import typing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gossamer.errors import StoreCorrupt
from gossamer.frontier import RobotsRecord, Seen, records
from gossamer.frontier.keys import suffix_of
from gossamer.model.crawluri import ClassKey, CrawlURI, DocId, Identity
from gossamer.model.disposition import Fate, Span


def unlike_default(name: str, kind: Any) -> Any:
    """A value for a field of a CrawlURI that differs from its default, by its type."""
    if isinstance(kind, typing.NewType):
        kind = kind.__supertype__
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        (kind,) = [choice for choice in typing.get_args(kind) if choice is not types.NoneType]
        return unlike_default(name, kind)
    samples = {str: f"a {name}", int: 7, float: 17.25, bool: True, bytes: b"0123456789abcdefghij"}
    if typing.get_origin(kind) is dict:
        return {"key": ["a", 1, None, {"more": 2.5}]}
    assert kind in samples, f"CrawlURI.{name} has a type that the test knows no value of; give the codec one, too"
    return samples[kind]


def full_curi() -> CrawlURI:
    hints = typing.get_type_hints(CrawlURI)
    return CrawlURI(**{name: unlike_default(name, hints[name]) for name in CrawlURI.__struct_fields__})


def test_every_field_of_a_curi_comes_back_from_the_store() -> None:
    """S12: fails when a field is added to CrawlURI and not to its encoding."""
    curi = full_curi()
    plain = CrawlURI(url="", class_key=ClassKey(""), identity=Identity(b""))
    for name in CrawlURI.__struct_fields__:
        assert getattr(curi, name) != getattr(plain, name), f"{name} would come back even if it were not stored"
    stored = records.decode_curi(curi.class_key, suffix_of(curi), records.encode_curi(curi))
    for name in CrawlURI.__struct_fields__:
        assert getattr(stored, name) == getattr(curi, name), f"{name} is lost in the store"


def test_a_curi_with_nothing_but_its_url_comes_back() -> None:
    curi = CrawlURI(url="http://a/", class_key=ClassKey("a"), identity=Identity(bytes(20)), docid=DocId(1))
    assert records.decode_curi(curi.class_key, suffix_of(curi), records.encode_curi(curi)) == curi


def test_the_value_of_a_curi_does_not_repeat_its_key() -> None:
    curi = full_curi()
    moved = CrawlURI(
        **{name: getattr(curi, name) for name in CrawlURI.__struct_fields__}
        | {"class_key": "other", "priority": 1, "attempts": 2, "depth": 3, "docid": 4}
    )
    assert records.encode_curi(moved) == records.encode_curi(curi)


def test_data_that_cannot_be_encoded_is_refused_when_it_is_stored() -> None:
    curi = CrawlURI(url="http://a/", class_key=ClassKey("a"), identity=Identity(bytes(20)), data={"x": object()})
    with pytest.raises(TypeError):
        records.encode_curi(curi)


def test_the_identity_can_be_had_without_the_rest() -> None:
    curi = full_curi()
    assert records.identity_in(records.encode_curi(curi)) == curi.identity


@given(
    st.integers(1, 2**63 - 1),
    st.sampled_from([Fate.SUCCEEDED, Fate.FAILED, Fate.DISREGARDED]),
    st.integers(-9999, 999),
    st.floats(0, 4e9),
    st.text(max_size=30),
    st.integers(0, 255),
)
def test_an_outcome_comes_back(docid: int, fate: Fate, status: int, when: float, reason: str, attempts: int) -> None:
    record = records.encode_outcome(docid, fate, status, when, reason, attempts)
    assert records.decode_seen(record) == Seen(
        docid=DocId(docid), fate=fate, status=status, when=when, reason=reason, attempts=attempts
    )
    assert records.docid_in(record) == docid
    assert not records.is_waiting(record)


def test_what_waits_and_what_was_only_noted_have_no_outcome() -> None:
    for record in (records.encode_waiting(7), records.encode_noted(7)):
        assert records.decode_seen(record) == Seen(docid=DocId(7))
        assert len(record) == 9
    assert records.is_waiting(records.encode_waiting(7))
    assert not records.is_waiting(records.encode_noted(7))


@given(st.builds(records.QueueRow, *[st.integers(0, 2**62)], st.binary(min_size=12, max_size=12), st.floats(0, 4e9)))
def test_a_row_comes_back(row: records.QueueRow) -> None:
    assert records.decode_row(records.encode_row(row)) == row


def test_every_field_of_a_row_comes_back() -> None:
    row = records.QueueRow(
        queued=1,
        bound=b"123456789012",
        wake=2.5,
        gap=3.3,
        balance=-4,
        precedence=5,
        place=records.Place.SNOOZED,
        position=6,
        failures=7,
        throttles=8,
        is_retired=True,
        is_unreachable=True,
        has_answered=True,
    )
    plain = records.QueueRow()
    stored = records.decode_row(records.encode_row(row))
    for name in records.QueueRow.__struct_fields__:
        assert getattr(row, name) != getattr(plain, name)
        assert getattr(stored, name) == getattr(row, name)


def test_counters_of_an_older_store_have_zeros_for_what_is_new() -> None:
    counters = records.Counters(last_docid=5, queued=3)
    counters.add_reason("robots")
    stored = records.encode_counters(counters)
    assert records.decode_counters(stored) == counters
    import msgspec

    shortened = msgspec.msgpack.encode(msgspec.msgpack.decode(stored)[:4])
    assert records.decode_counters(shortened) == records.Counters(last_docid=5, queued=3)


def test_a_reason_that_is_taken_back_leaves_no_trace() -> None:
    counters = records.Counters()
    counters.add_reason("robots")
    counters.add_reason("")
    counters.add_reason("robots", -1)
    assert counters.reasons == {}


def test_a_reason_that_is_counted_in_a_copy_is_not_counted_in_what_was_copied() -> None:
    counters = records.Counters()
    counters.add_reason("robots")
    draft = replace(counters)
    draft.add_reason("robots")
    draft.add_reason("DNS_FAILED")
    assert (counters.reasons, draft.reasons) == ({"robots": 1}, {"robots": 2, "DNS_FAILED": 1})


def test_robots_and_journal_and_files_come_back() -> None:
    robots = RobotsRecord(authority="http://a", fetched=1.5, outcome="rules", body=b"\xff\x00", status=200, tries=2)
    assert records.decode_robots(records.encode_robots(robots)) == robots
    entry = records.JournalEntry(records.Step.FINISH, (Span("f", 1, 2, "id"),), 3, "a", b"s", b"v", Fate.RETRY, 5, True)
    assert records.decode_entry(records.encode_entry(entry)) == entry
    file = records.FileRow(2**40, True)
    assert records.decode_file(records.encode_file(file)) == file


@pytest.mark.parametrize("rubbish", [b"", b"\x00", b"\xc1", b"rubbish that is long enough to be something" * 3])
def test_what_cannot_be_read_is_reported_as_corrupt(rubbish: bytes) -> None:
    for decode in (
        records.decode_seen,
        records.decode_row,
        records.decode_counters,
        records.decode_file,
        records.decode_entry,
        records.decode_robots,
        lambda value: records.decode_curi(ClassKey("a"), bytes(12), value),
    ):
        if decode is records.decode_seen and rubbish == b"":
            continue
        with pytest.raises(StoreCorrupt):
            decode(rubbish)


def test_a_record_of_a_later_version_is_not_guessed_at() -> None:
    import msgspec

    curi = full_curi()
    fields = msgspec.msgpack.decode(records.encode_curi(curi))
    later = msgspec.msgpack.encode([records.CURI_VERSION + 1, *fields[1:]])
    with pytest.raises(StoreCorrupt, match="version"):
        records.decode_curi(curi.class_key, suffix_of(curi), later)
    row = bytearray(records.encode_row(records.QueueRow()))
    row[0] += 1
    with pytest.raises(StoreCorrupt, match="version"):
        records.decode_row(bytes(row))
