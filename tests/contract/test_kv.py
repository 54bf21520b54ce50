"""The contract of KV, over all its implementations."""

from __future__ import annotations

import pytest

from gossamer.errors import StorageError
from gossamer.storage import KV, scan_all


def put_all(store: KV, family: str, *pairs: tuple[bytes, bytes]) -> None:
    batch = store.batch()
    for key, value in pairs:
        batch.put(family, key, value)
    store.write(batch)


def scan_everything(store: KV, family: str) -> list[tuple[bytes, bytes]]:
    return list(scan_all(store, family))


def test_what_was_put_is_got_from_its_family_only(store: KV) -> None:
    put_all(store, "a", (b"k", b"v"))
    assert store.get("a", b"k") == b"v"
    assert store.get("b", b"k") is None


def test_a_batch_changes_several_families_at_once_and_in_order(store: KV) -> None:
    put_all(store, "a", (b"1", b"old"), (b"2", b"old"))
    batch = store.batch()
    batch.delete("a", b"1")
    batch.put("b", b"1", b"new")
    batch.put("a", b"2", b"newer")
    batch.delete("b", b"none")
    batch.put("a", b"3", b"x")
    batch.delete("a", b"3")
    store.write(batch)
    assert store.multi_get("a", [b"1", b"2", b"3"]) == [None, b"newer", None]
    assert store.get("b", b"1") == b"new"


def test_entries_put_together_are_put_in_their_place_among_the_other_changes(store: KV) -> None:
    batch = store.batch()
    batch.put("a", b"1", b"old")
    batch.put_all("a", [(b"1", b"new"), (b"2", b"x"), (b"3", b"x"), (b"3", b"y")])
    batch.put_all("b", [])
    batch.delete("a", b"2")
    store.write(batch)
    assert scan_everything(store, "a") == [(b"1", b"new"), (b"3", b"y")]
    assert scan_everything(store, "b") == []


def test_a_batch_that_is_not_written_changes_nothing(store: KV) -> None:
    store.batch().put("a", b"k", b"v")
    assert store.get("a", b"k") is None


def test_multi_get_answers_in_the_order_asked_and_for_no_key_at_all(store: KV) -> None:
    put_all(store, "a", (b"1", b"one"), (b"2", b"two"))
    assert store.multi_get("a", [b"2", b"0", b"1", b"2"]) == [b"two", None, b"one", b"two"]
    assert store.multi_get("a", []) == []


def test_an_empty_value_is_a_value(store: KV) -> None:
    put_all(store, "a", (b"k", b""))
    assert store.get("a", b"k") == b""


def test_scan_is_bounded_by_both_ends_and_by_its_limit(store: KV) -> None:
    put_all(store, "a", *[(bytes([n]), bytes([n])) for n in range(10)])
    assert [key for key, _ in store.scan("a", b"\x02", b"\x05", 100)] == [b"\x02", b"\x03", b"\x04"]
    assert [key for key, _ in store.scan("a", b"\x02", b"\x09", 2)] == [b"\x02", b"\x03"]
    assert store.scan("a", b"\x05", b"\x05", 10) == []
    assert store.scan("b", b"", b"\xff", 10) == []


def test_keys_are_ordered_as_bytes(store: KV) -> None:
    keys = [b"a", b"a\x00", b"a\x00z", b"a\x01", b"ab", b"\xc3\xa4"]
    put_all(store, "a", *[(key, b"") for key in reversed(keys)])
    assert [key for key, _ in store.scan("a", b"", b"\xff", 100)] == keys


def test_delete_range_takes_the_start_and_leaves_the_stop(store: KV) -> None:
    put_all(store, "a", *[(bytes([n]), b"") for n in range(6)])
    batch = store.batch()
    batch.delete_range("a", b"\x01", b"\x04")
    batch.put("a", b"\x02", b"again")
    store.write(batch)
    assert [key for key, _ in store.scan("a", b"", b"\xff", 10)] == [b"\x00", b"\x02", b"\x04", b"\x05"]


def test_scan_all_goes_on_from_page_to_page(store: KV) -> None:
    keys = [n.to_bytes(2, "big") for n in range(1300)]
    put_all(store, "a", *[(key, b"") for key in keys])
    assert [key for key, _ in scan_all(store, "a")] == keys
    assert [key for key, _ in scan_all(store, "a", keys[5], keys[1200])] == keys[5:1200]


def test_a_note_is_kept_until_it_is_taken_away(store: KV) -> None:
    assert store.note("suspect") is None
    store.put_note("suspect", b"17")
    store.put_note("suspect", b"18")
    assert store.note("suspect") == b"18"
    store.put_note("suspect", None)
    store.put_note("suspect", None)
    assert store.note("suspect") is None


def test_after_close_everything_raises_and_closing_again_does_not(store: KV) -> None:
    put_all(store, "a", (b"k", b"v"))
    batch = store.batch()
    store.close()
    store.close()
    for call in (
        lambda: store.get("a", b"k"),
        lambda: store.multi_get("a", [b"k"]),
        lambda: store.scan("a", b"", b"\xff", 1),
        lambda: store.write(batch),
        store.sync,
    ):
        with pytest.raises(StorageError):
            call()


def test_sync_leaves_what_was_written(store: KV) -> None:
    put_all(store, "a", (b"k", b"v"))
    store.sync()
    store.sync()
    assert store.get("a", b"k") == b"v"
