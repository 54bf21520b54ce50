"""The small parts of a header."""

from __future__ import annotations

import base64
import hashlib
import uuid

from hypothesis import given
from hypothesis import strategies as st

from gossamer.warc.fields import (
    RecordIds,
    header_value,
    labels_in_python,
    sha1_labels,
    sha1_of,
    warc_date,
    warc_fields,
)


def test_a_date_has_microseconds_and_is_utc() -> None:
    assert warc_date(1_700_000_000.123456) == "2023-11-14T22:13:20.123456Z"
    assert warc_date(0) == "1970-01-01T00:00:00.000000Z"
    assert warc_date(1_700_000_000.9999999) == "2023-11-14T22:13:21.000000Z"


@given(st.tuples(*[st.binary(min_size=20, max_size=20)] * 4))
def test_digests_are_written_in_base32_with_the_native_extension_and_without(
    digests: tuple[bytes, bytes, bytes, bytes],
) -> None:
    written = tuple("sha1:" + base64.b32encode(digest).decode() for digest in digests)
    assert sha1_labels(*digests) == written
    assert labels_in_python(*digests) == written


def test_the_digest_of_nothing_is_that_of_the_empty_string() -> None:
    assert sha1_of(b"") == "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
    assert sha1_of(b"abc") == "sha1:" + base64.b32encode(hashlib.sha1(b"abc").digest()).decode()


def test_record_ids_are_random_uuids_that_never_repeat() -> None:
    ids = RecordIds()
    taken = [record_id for _ in range(1000) for record_id in ids.take()]
    assert len(set(taken)) == 3000
    for urn in taken:
        parsed = uuid.UUID(urn)
        assert parsed.version == 4
        assert parsed.variant == uuid.RFC_4122
        assert parsed.urn == urn


@given(st.text())
def test_a_header_value_never_leaves_its_line(text: str) -> None:
    assert all(" " <= c <= "~" for c in header_value(text))


@given(st.lists(st.tuples(st.sampled_from(["via", "annotations"]), st.text()), max_size=5))
def test_warc_fields_have_one_line_for_each_field(pairs: list[tuple[str, str]]) -> None:
    block = warc_fields(pairs)
    lines = block.decode("utf-8").split("\r\n")
    assert lines.pop() == ""
    assert [line.split(": ")[0] for line in lines] == [name for name, _ in pairs]
    assert not set(block.replace(b"\r\n", b"")) & set(range(32))
