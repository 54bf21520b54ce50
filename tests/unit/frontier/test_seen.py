from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.errors import StorageError
from gossamer.frontier.keys import FAMILIES, SEEN
from gossamer.frontier.records import encode_noted
from gossamer.frontier.seen import ABSENT_URLS, Identifier, SeenIndex, identity_key
from gossamer.model.crawluri import Identity
from gossamer.storage.memory import MemoryKV
from tests.support.native import NEEDS_NATIVE

ANY_TEXT = st.text(st.characters())
"""Half surrogate pairs included."""


def test_the_key_of_a_job_is_made_once_and_differs_from_job_to_job() -> None:
    store, other = MemoryKV(FAMILIES), MemoryKV(FAMILIES)
    key = identity_key(store)
    assert len(key) == 32
    assert identity_key(store) == key != identity_key(other)


def test_identities_depend_on_the_key_in_both_parts() -> None:
    one, other = Identifier(b"k" * 32), Identifier(b"K" * 32)
    first, second = one.identify("http://a/", "a"), other.identify("http://a/", "a")
    assert first[:4] != second[:4]
    assert first[4:] != second[4:]
    assert one.identify("http://a/", "a") == first == Identifier(b"k" * 32).identify("http://a/", "a")


def test_a_url_that_is_no_text_has_an_identity_all_the_same() -> None:
    assert len(Identifier(b"k" * 32).identify("http://a/\ud800", "a\udc00")) == 20


def test_the_identities_of_many_are_those_of_each() -> None:
    identifier = Identifier(b"k" * 32)
    links = [(f"http://{host}/{number}", host) for host in "ab" for number in range(3)]
    assert identifier.identify_all(links) == [identifier.identify(url, host) for url, host in links]
    assert len({identity[:4] for identity in identifier.identify_all(links)}) == 2


@NEEDS_NATIVE
@given(st.binary(min_size=32, max_size=32), st.lists(st.tuples(ANY_TEXT, ANY_TEXT)))
@example(
    b"k" * 32, [("http://a/" + "x" * 1000, "a" * 255), ("", ""), ("http://b/\ud800", "b"), ("http://c/", "\udfff")]
)
def test_the_extension_gives_the_identities_that_python_gives(key: bytes, links: list[tuple[str, str]]) -> None:
    identifier = Identifier(key)
    assert identifier.identify_all(links) == identifier.identify_all_here(links)


def test_identities_are_the_same_from_version_to_version() -> None:
    identifier = Identifier(bytes(range(32)))
    links = [("https://example.org/a?b=%C3%BC", "example.org"), ("https://example.org/" + "x" * 300, "ü.example")]
    for identities in (identifier.identify_all(links), identifier.identify_all_here(links)):
        assert [identity.hex() for identity in identities] == [
            "2a3590a078d3c1b40dd4c7dd876abe0c3a4c32cf",
            "c84549c3deb8b7778d4f64acaa27349157f0f4bd",
        ]


def test_what_is_stored_is_known_and_nothing_else() -> None:
    store = MemoryKV(FAMILIES)
    known, unknown = Identity(b"1" * 20), Identity(b"2" * 20)
    batch = store.batch()
    batch.put(SEEN, known, encode_noted(1))
    store.write(batch)
    assert SeenIndex(store).unseen([known, unknown, known]) == [False, True, False]


def test_what_was_found_unknown_is_not_read_again_until_it_is_added() -> None:
    store = MemoryKV(FAMILIES)
    identities = [Identity(bytes([number]) * 20) for number in range(3)]
    index = SeenIndex(store)
    assert index.unseen(identities) == [True] * 3
    store.close()
    assert index.records(identities) == [None] * 3
    index.added(identities[:1])
    assert index.unseen(identities[1:]) == [True] * 2
    with pytest.raises(StorageError):
        index.unseen(identities)


def test_unknown_ones_are_remembered_in_bounded_memory() -> None:
    index = SeenIndex(MemoryKV(FAMILIES))
    for start in range(0, 2 * ABSENT_URLS, 500):
        index.unseen([Identity(number.to_bytes(20, "big")) for number in range(start, start + 500)])
    assert len(index._absent) < ABSENT_URLS + 500
