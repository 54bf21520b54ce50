"""How each record of the frontier becomes bytes and comes back.

Every value begins with, or is, something that tells its version, so that a later Gossamer can read an older store.
What stands in a key is not repeated in its value: of a CrawlURI the class_key, priority, attempts, depth and doc id.
Bytes that cannot be decoded raise `StoreCorrupt`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from enum import IntEnum
from functools import partial
from typing import Any

import msgspec

from gossamer.errors import StoreCorrupt
from gossamer.frontier.base import FrontierCounts, RobotsRecord, Seen
from gossamer.frontier.keys import FIRST_SUFFIX, parse_suffix
from gossamer.model.crawluri import ClassKey, CrawlURI, DocId, Identity
from gossamer.model.disposition import Fate, Span

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode

# ---- CrawlURI

CURI_VERSION = 1


def encode_curi(curi: CrawlURI) -> bytes:
    """The value of a CrawlURI in `queue` and `failed`. Raises TypeError if its `data` cannot be encoded."""
    return _encode(
        (
            CURI_VERSION,
            curi.identity,
            curi.url,
            curi.fetch_url,
            curi.via,
            curi.parent_docid,
            curi.hops,
            curi.element,
            curi.rel,
            curi.anchor,
            curi.seed,
            curi.is_seed,
            curi.redirects,
            curi.not_before,
            curi.force,
            curi.discovered,
            curi.data,
        )
    )


def decode_curi(class_key: ClassKey, suffix: bytes, value: bytes) -> CrawlURI:
    """The CrawlURI of a queue entry."""
    priority, attempts, depth, docid = parse_suffix(suffix)
    try:
        # fmt: off
        (
            version, identity, url, fetch_url, via, parent_docid, hops, element, rel, anchor,
            seed, is_seed, redirects, not_before, force, discovered, data,
        ) = _decode(value)
        # fmt: on
    except (msgspec.DecodeError, TypeError, ValueError) as error:
        raise StoreCorrupt(f"a URI of {class_key} cannot be read: {error}") from error
    if version != CURI_VERSION:
        raise StoreCorrupt(f"a URI of {class_key} has version {version!r}; this Gossamer reads {CURI_VERSION}")
    # By position: 21 names to look up cost three times as much as all the rest of this function.
    return CrawlURI(
        url,
        class_key,
        identity,
        docid,
        priority,
        attempts,
        depth,
        fetch_url,
        via,
        parent_docid,
        hops,
        element,
        rel,
        anchor,
        seed,
        is_seed,
        redirects,
        not_before,
        force,
        discovered,
        data,
    )


def identity_in(value: bytes) -> Identity:
    """The identity in a CrawlURI's value."""
    return Identity(_decode(value)[1])


# ---- seen

WAITING = 0
NOTED = 1
_SUCCEEDED, _FAILED, _DISREGARDED = Fate.SUCCEEDED, Fate.FAILED, Fate.DISREGARDED
_FATE_CODES = {_SUCCEEDED: 2, _FAILED: 3, _DISREGARDED: 4}
_FATES = {code: fate for fate, code in _FATE_CODES.items()}
_SEEN_HEAD = struct.Struct(">BQ")
_SEEN = struct.Struct(">BQBid")


encode_waiting: Callable[[int], bytes] = partial(_SEEN_HEAD.pack, WAITING)
"""A URL that stands in a queue, by its doc id: most of them, so 9 bytes."""


def encode_noted(docid: int) -> bytes:
    """A URL marked as known that was never queued."""
    return _SEEN_HEAD.pack(NOTED, docid)


def encode_outcome(docid: int, fate: Fate, status: int, when: float, reason: str, attempts: int) -> bytes:
    """A URL that left its queue."""
    return _SEEN.pack(_FATE_CODES[fate], docid, min(attempts, 255), status, when) + reason.encode()


def is_waiting(value: bytes) -> bool:
    return value[0] == WAITING


def docid_in(value: bytes) -> DocId:
    return DocId(_SEEN_HEAD.unpack_from(value)[1])


def decode_seen(value: bytes) -> Seen:
    try:
        code, docid = _SEEN_HEAD.unpack_from(value)
        if code in (WAITING, NOTED):
            return Seen(docid=DocId(docid))
        code, docid, attempts, status, when = _SEEN.unpack_from(value)
        reason = value[_SEEN.size :].decode()
        return Seen(docid=DocId(docid), fate=_FATES[code], status=status, when=when, reason=reason, attempts=attempts)
    except (struct.error, UnicodeDecodeError, KeyError) as error:
        raise StoreCorrupt(f"a seen record cannot be read: {error}") from error


# ---- a queue's row


class Place(IntEnum):
    """Where a queue is found when it is not in memory."""

    NOWHERE = 0
    """It has nothing eligible."""
    INACTIVE = 1
    """In `inactive`, by its ordinal."""
    SNOOZED = 2
    """In `snoozed`, by its wake time in microseconds."""


# Looked up once: Python 3.11 runs a function for each access to a member.
NOWHERE, INACTIVE_PLACE, SNOOZED_PLACE = Place


class QueueRow(msgspec.Struct, gc=False):
    """What is stored of a WorkQueue. `queued > 0` and not retired if and only if it has a place."""

    queued: int = 0
    """URIs in `queue`, those in process included."""
    bound: bytes = FIRST_SUFFIX
    """No URI of the queue stands before this suffix: where to seek, past the tombstones of those taken."""
    wake: float = 0.0
    """Wall-clock seconds before which the host is not asked again."""
    gap: float = 0.0
    """Seconds from start to start that the last answer called for."""
    balance: int = 0
    """Finishes left in its session."""
    precedence: int = 0
    place: Place = Place.NOWHERE
    position: int = 0
    """In its place: ordinal, or wake time in microseconds."""
    failures: int = 0
    """Host failures in a row; 0-255."""
    throttles: int = 0
    """429s and 503s in a row; 0-255."""
    is_retired: bool = False
    is_unreachable: bool = False
    """The host spent its schedule: URIs are handed out only to end as FAILED."""
    has_answered: bool = False
    """At least once in this job."""


ROW_VERSION = 1
_ROW = struct.Struct(">BBBBBBQQid12sd")
_PLACES = tuple(Place)


def encode_row(row: QueueRow) -> bytes:
    return _ROW.pack(
        ROW_VERSION,
        row.is_retired | row.is_unreachable << 1 | row.has_answered << 2,
        row.precedence,
        row.place,
        row.failures,
        row.throttles,
        row.position,
        row.queued,
        row.balance,
        row.gap,
        row.bound,
        row.wake,
    )


def decode_row(value: bytes) -> QueueRow:
    try:
        (version, flags, precedence, place, failures, throttles, position, queued, balance, gap, bound, wake) = (
            _ROW.unpack(value)
        )
    except struct.error as error:
        raise StoreCorrupt(f"the row of a queue cannot be read: {error}") from error
    if version != ROW_VERSION:
        raise StoreCorrupt(f"the row of a queue has version {version}; this Gossamer reads {ROW_VERSION}")
    return QueueRow(
        queued,
        bound,
        wake,
        gap,
        balance,
        precedence,
        _PLACES[place],
        position,
        failures,
        throttles,
        bool(flags & 1),
        bool(flags & 2),
        bool(flags & 4),
    )


# ---- counters


class Counters(msgspec.Struct, array_like=True):
    """Every number that must survive exactly; one row, in every batch. New ones are added at the end."""

    last_docid: int = 0
    last_ordinal: int = 0
    """Of the `inactive` FIFO."""
    discovered: int = 0
    queued: int = 0
    retired: int = 0
    """URIs in retired queues."""
    succeeded: int = 0
    failed: int = 0
    disregarded: int = 0
    retried: int = 0
    pages: int = 0
    wire_bytes: int = 0
    queues: int = 0
    placed_inactive: int = 0
    """Queues whose place is INACTIVE."""
    placed_snoozed: int = 0
    strays: int = 0
    """Finishes of a URI that was no longer there."""
    reasons: dict[str, int] = {}

    def add_reason(self, reason: str, change: int = 1) -> None:
        if reason:
            count = self.reasons.get(reason, 0) + change
            # Another dict: a draft, which may come to nothing, shares this one with what it was made from.
            self.reasons = {**self.reasons, reason: count}
            if count <= 0:
                del self.reasons[reason]

    def count_fate(self, fate: Fate, change: int = 1) -> None:
        if fate is _SUCCEEDED:
            self.succeeded += change
        elif fate is _FAILED:
            self.failed += change
        elif fate is _DISREGARDED:
            self.disregarded += change
        else:
            self.retried += change

    def report(self, *, in_process: int, active: int, snoozed: int, inactive: int) -> FrontierCounts:
        """These numbers with those that live in memory only."""
        return FrontierCounts(
            discovered=self.discovered,
            queued=self.queued,
            retired=self.retired,
            in_process=in_process,
            succeeded=self.succeeded,
            failed=self.failed,
            disregarded=self.disregarded,
            retried=self.retried,
            pages=self.pages,
            wire_bytes=self.wire_bytes,
            queues=self.queues,
            active_queues=active,
            snoozed_queues=snoozed,
            inactive_queues=inactive,
            reasons=dict(self.reasons),
        )


encode_counters = _encode
_decode_counters = msgspec.msgpack.Decoder(Counters).decode


def decode_counters(value: bytes) -> Counters:
    try:
        return _decode_counters(value)
    except msgspec.DecodeError as error:
        raise StoreCorrupt(f"the counters cannot be read: {error}") from error


# ---- files and journal


class FileRow(msgspec.Struct, array_like=True, frozen=True):
    """A file the store names: bytes beyond `tail` belong to no settled step."""

    tail: int
    is_closed: bool = False


_decode_file = msgspec.msgpack.Decoder(FileRow).decode


encode_file: Callable[[FileRow], bytes] = _encode


def decode_file(value: bytes) -> FileRow:
    try:
        return _decode_file(value)
    except msgspec.DecodeError as error:
        raise StoreCorrupt(f"the row of a file cannot be read: {error}") from error


class Step(IntEnum):
    """What a journal entry can undo."""

    FINISH = 1
    """A URI was settled or put back."""
    ROBOTS = 2
    """A robots.txt was noted."""
    CAPTURE = 3
    """Bytes were archived that belong to no URI of a queue."""


class JournalEntry(msgspec.Struct, array_like=True, frozen=True):
    """How to undo one step. It stands in the journal until the files and the log that it spans are synced."""

    step: Step
    spans: tuple[Span, ...]
    wire_bytes: int = 0
    class_key: str = ""
    suffix: bytes = b""
    value: bytes = b""
    """The URI as it stood in its queue before."""
    fate: Fate | None = None
    status: int = 0
    is_page: bool = False
    reason: str = ""
    new_suffix: bytes = b""
    """Where a RETRY put it."""
    failures: int = 0
    throttles: int = 0
    is_unreachable: bool = False
    """The queue's, before."""
    authority: str = ""


_decode_entry = msgspec.msgpack.Decoder(JournalEntry).decode


encode_entry: Callable[[JournalEntry], bytes] = _encode


def decode_entry(value: bytes) -> JournalEntry:
    try:
        return _decode_entry(value)
    except msgspec.DecodeError as error:
        raise StoreCorrupt(f"a journal entry cannot be read: {error}") from error


# ---- robots

_decode_robots: Any = msgspec.msgpack.Decoder(RobotsRecord).decode


def encode_robots(record: RobotsRecord) -> bytes:
    return _encode(record)


def decode_robots(value: bytes) -> RobotsRecord:
    try:
        record: RobotsRecord = _decode_robots(value)
    except msgspec.DecodeError as error:
        raise StoreCorrupt(f"what is kept of a robots.txt cannot be read: {error}") from error
    return record
